// The files of a folder of manifests: YAML and JSON, in the order of their names, and what they hold.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseYaml } from '../../codec/body.ts';

type Parsed = Awaited<ReturnType<typeof parseYaml>>;

interface ManifestDocument extends Parsed {
  /** The file; its number as well where the file has several documents. */
  readonly place: string;
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

/** Throws an error that names the file and the document. */
export async function parseManifests({ texts }: ManifestFiles): Promise<readonly ManifestDocument[]> {
  const documents: ManifestDocument[] = [];
  for (const { file, text } of texts) {
    const parts = text.split(separator).filter((one) => one.trim() !== '');
    for (const [index, part] of parts.entries()) {
      const place = parts.length === 1 ? file : `${file}: document ${index + 1}`;
      const parsed = await namingPlace(place, async () => parseYaml(Buffer.from(part)));
      if (parsed.value !== null) documents.push({ ...parsed, place });
    }
  }
  return documents;
}

/** Errors name the place they are at. */
export async function namingPlace<T>(place: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`error loading ${place}: ${(error as Error).message}`);
  }
}
