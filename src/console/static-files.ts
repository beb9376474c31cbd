// The files of the console, as the build left them next to the code. They are read by the names in the build's own list, never by a
// path that a client sent.

import { readFileSync } from 'node:fs';

export interface StaticFile {
  readonly type: string;
  /** Whether the name has a hash of the content in it. */
  readonly isHashed: boolean;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/** What `scripts/build-console.mjs` writes. */
interface FileList {
  readonly files: readonly { readonly name: string; readonly type: string; readonly isHashed: boolean }[];
}

/** Next to the built code; the sources find the build of their checkout. */
const usualFolders = ['../console/', '../../dist/console/'].map((path) => new URL(path, import.meta.url));

export const indexName = 'index.html';

/** By name; undefined where the console is not built. */
export function readStaticFiles(folders: readonly URL[] = usualFolders): ReadonlyMap<string, StaticFile> | undefined {
  for (const folder of folders) {
    const files = readFolder(folder);
    if (files !== undefined) return files;
  }
  return undefined;
}

function readFolder(folder: URL): ReadonlyMap<string, StaticFile> | undefined {
  const read = (name: string) => readFileSync(new URL(name, folder));
  try {
    const { files } = JSON.parse(read('files.json').toString()) as FileList;
    return new Map(
      files.map(({ name, type, isHashed }) => [
        name,
        { type, isHashed, plain: read(name), gzip: read(`${name}.gz`), brotli: read(`${name}.br`) },
      ]),
    );
  } catch {
    return undefined;
  }
}
