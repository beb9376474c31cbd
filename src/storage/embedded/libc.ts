// Which C library Node runs on. Whoever loads a native addon has to know; the package that does so for LMDB loads three more
// files to find out, unless the environment says it.

import { closeSync, openSync, readSync } from 'node:fs';

export type Libc = 'glibc' | 'musl';

/** The program names the loader it wants in its first bytes. */
const headBytes = 4096;

/** Undefined where the program does not say: then others have to look closer. */
export function libcOf(program: string): Libc | undefined {
  let file: number | undefined;
  try {
    file = openSync(program, 'r');
    const head = Buffer.alloc(headBytes);
    readSync(file, head);
    const found = /\/ld-(musl|linux)[-.]/.exec(head.toString('latin1'));
    if (found === null) return undefined;
    return found[1] === 'musl' ? 'musl' : 'glibc';
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Runs `load` with the library in the environment, where it is known and nobody has said it. */
export function withLibc<T>(load: () => T, env: NodeJS.ProcessEnv = process.env): T {
  const libc = process.platform === 'linux' && env['LIBC'] === undefined ? libcOf(process.execPath) : undefined;
  if (libc === undefined) return load();
  env['LIBC'] = libc;
  try {
    return load();
  } finally {
    delete env['LIBC'];
  }
}
