// The files of a folder of manifests: YAML and JSON, in the order of their names, and what they hold.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseYaml } from '../../codec/body.ts';

type Parsed = Awaited<ReturnType<typeof parseYaml>>;

interface ManifestDocument extends Parsed {
  readonly file: string;
}

interface ManifestText {
  readonly file: string;
  readonly text: string;
}

export interface ManifestFiles {
  readonly texts: readonly ManifestText[];
  /** Of everything in the files; empty where there is nothing in them. */
  readonly hash: string;
}

const extensions: readonly string[] = ['.yaml', '.yml', '.json'];
/** A line that ends a document of YAML. */
const separator = /^---[ \t\r]*$/m;

/** Throws where a file, or the folder, cannot be read. */
export function readManifestFiles(folder: string): ManifestFiles {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && extensions.includes(extname(entry.name).toLowerCase()))
    .map(({ name }) => name)
    .sort();
  const all = names.map((name) => ({ file: join(folder, name), bytes: readFileSync(join(folder, name)) }));
  const filled = all.filter(({ bytes }) => bytes.length > 0);
  const hash = createHash('sha256');
  for (const { bytes } of filled) hash.update(bytes).update('\0');
  return {
    texts: filled.map(({ file, bytes }) => ({ file, text: bytes.toString() })),
    hash: filled.length === 0 ? '' : `sha256:${hash.digest('hex')}`,
  };
}

/** Throws an error that names the file. */
export async function parseManifests({ texts }: ManifestFiles): Promise<readonly ManifestDocument[]> {
  const documents: ManifestDocument[] = [];
  for (const { file, text } of texts)
    for (const part of text.split(separator).filter((one) => one.trim() !== '')) {
      const parsed = await namingFile(file, async () => parseYaml(Buffer.from(part)));
      if (parsed.value !== null) documents.push({ ...parsed, file });
    }
  return documents;
}

/** Errors say in which file they are. */
export async function namingFile<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`error loading ${file}: ${(error as Error).message}`);
  }
}
