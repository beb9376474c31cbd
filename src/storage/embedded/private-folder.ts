// A data folder is its owner's alone: it holds secrets and private keys, and those who may write to it own the cluster.

import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

class SharedFolderError extends Error {}

type Warn = (message: string) => void;

/** Files of a data folder that hold secrets. */
const secretFiles = /\.key$|^kubeconfig$|\.mdb$|^reserve$/;

/**
 * Makes a data folder, or takes one that exists: refused when others may write to it, closed to those who may read it.
 * What stands in it already is held to the same.
 */
export function openPrivateFolder(folder: string, warn: Warn): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
  if (process.platform === 'win32') return;
  for (const path of [folder, join(folder, 'store'), join(folder, 'pki')]) closeToOthers(path, warn);
  const owner = statSync(folder).uid;
  if (owner !== process.geteuid?.())
    warn(`the data folder ${folder} belongs to another user (${owner}), who may change everything in it`);
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
  const found = statSync(path, { throwIfNoEntry: false })?.mode;
  return found === undefined ? undefined : found & 0o777;
}

const octal = (mode: number) => mode.toString(8).padStart(3, '0');
