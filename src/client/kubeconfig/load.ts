// Finding and reading kubeconfig files, the way kubectl does.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseYaml } from '../../codec/body.ts';
import { type Kubeconfig, KubeconfigError, mergeKubeconfigs } from './kubeconfig.ts';
import { parseKubeconfig } from './parse.ts';

export interface KubeconfigSource {
  /** One file, which has to exist. */
  readonly file?: string;
  /** Several files; missing ones are skipped, and the first file that defines an entry wins. */
  readonly files?: readonly string[];
  /** The text of a kubeconfig; its relative paths begin at the working folder. */
  readonly text?: string;
  /** Where `KUBECONFIG` and the home folder are looked for when nothing else is given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A kubeconfig holds certificates of many clusters; one that is larger than this is something else. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Reads a kubeconfig: from a file, from several, from a text, or, when nothing is given, from where kubectl would.
 * Throws a KubeconfigError with the file and its error.
 */
export async function loadKubeconfig(source: KubeconfigSource = {}): Promise<Kubeconfig> {
  const { file, files, text } = source;
  if (text !== undefined) return parseText(text, 'the kubeconfig', process.cwd());
  if (file !== undefined) return parseText(readFile(file), file, dirname(resolve(file)));
  const paths = files ?? usualFiles(source.environment ?? process.env);
  const read = [...new Set(paths)].flatMap((path) => {
    const content = readIfThere(path);
    return content === undefined ? [] : [parseText(content, path, dirname(resolve(path)))];
  });
  return mergeKubeconfigs(await Promise.all(read));
}

/** The files kubectl would read. */
function usualFiles(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const paths = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return paths.length > 0 ? paths : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new KubeconfigError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFile(path);
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function parseText(text: string, name: string, folder: string): Promise<Kubeconfig> {
  try {
    const { value } = text.trim() === '' ? { value: null } : await parseYaml(Buffer.from(text), { maxBytes });
    return parseKubeconfig(value, folder);
  } catch (error) {
    throw new KubeconfigError(`${name}: ${(error as Error).message}`);
  }
}
