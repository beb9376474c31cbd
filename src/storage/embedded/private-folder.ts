// A data folder is its owner's alone: it holds secrets and private keys, and those who may write to it own the cluster.

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNoRoom } from './data-room.ts';
import { UnusableFolderError } from './unusable-folder-error.ts';

class SharedFolderError extends Error {}

type Warn = (message: string) => void;

/** Files of a data folder that hold secrets. */
const secretFiles = /\.key$|^kubeconfig$|\.mdb$/;

/**
 * Makes a data folder, or takes one that exists: refused when others may write to it, closed to those who may read it.
 * What stands in it already is held to the same.
 */
export function openPrivateFolder(folder: string, warn: Warn): void {
  makeWritable(folder);
  if (process.platform === 'win32') return;
  for (const path of [folder, join(folder, 'store'), join(folder, 'pki')]) closeToOthers(path, warn);
  const owner = statSync(folder).uid;
  if (owner !== process.geteuid?.())
    warn(`the data folder ${folder} belongs to another user (${owner}), who may change everything in it`);
}

/** Tried before anything else is touched: a folder of the system is not closed to others by mistake. */
function makeWritable(folder: string): void {
  try {
    if (makeFolder(folder)) chmodSync(folder, 0o700);
    const probe = join(folder, `.writable-${randomUUID()}`);
    writeFileSync(probe, '', { mode: 0o600, flag: 'wx' });
    rmSync(probe);
  } catch (error) {
    if (!isNoRoom(error)) throw new UnusableFolderError(folder, error as NodeJS.ErrnoException);
  }
}

/** Whether the folder is new. Step by step: below /proc, Node's own way to make parents never ends. */
function makeFolder(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return false;
  if (stats === undefined && dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    // another process was faster
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw error;
  }
}

function closeToOthers(folder: string, warn: Warn): void {
  const mode = modeOf(folder);
  if (mode === undefined) return;
  if ((mode & 0o022) !== 0) {
    throw new SharedFolderError(
      `others may write to the data folder ${folder} (mode ${octal(mode)}): see that nothing in it is theirs, then chmod 700 it`,
    );
  }
  if ((mode & 0o077) !== 0) {
    chmodSync(folder, 0o700);
    warn(`others could read the data folder ${folder} (mode ${octal(mode)}): it is closed to them now`);
  }
  for (const name of readdirSync(folder)) if (secretFiles.test(name)) closeFile(join(folder, name));
}

/** Should the folder ever be opened to others, its secrets are not. */
function closeFile(path: string): void {
  if (((modeOf(path) ?? 0) & 0o077) !== 0) chmodSync(path, 0o600);
}

function modeOf(path: string): number | undefined {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

const octal = (mode: number) => mode.toString(8).padStart(3, '0');
