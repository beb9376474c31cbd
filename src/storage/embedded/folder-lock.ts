// One server per data folder: a lock file that names the process, taken over when that process is gone.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class FolderLockedError extends Error {}

export interface FolderLock {
  release(): void;
}

/** Throws `FolderLockedError` when another live process holds the folder. */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const own = `${process.pid} ${startTimeOf(process.pid)}\n`;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    take(draft, path, folder);
  } finally {
    rmSync(draft, { force: true });
  }
  return { release: () => releaseLock(path, own) };
}

/** A hard link appears whole or not at all, and only where no lock file is. */
function take(draft: string, path: string, folder: string): void {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      linkSync(draft, path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    removeStale(path, folder);
  }
  throw new FolderLockedError(`data folder ${folder} is in use by another process`);
}

function removeStale(path: string, folder: string): void {
  const held = readLock(path);
  if (held === undefined) return;
  const [pid = '', started = ''] = held.trim().split(' ');
  if (isAlive(Number(pid), started)) {
    throw new FolderLockedError(`data folder ${folder} is in use by another Keelson (process ${pid})`);
  }
  // moved aside first: should a third process have taken over in the meantime, its lock is put back
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    // somebody else was faster
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readLock(aside) !== held) linkSync(aside, path);
  rmSync(aside, { force: true });
}

function releaseLock(path: string, own: string): void {
  if (readLock(path) === own) rmSync(path, { force: true });
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // a recycled process id has another start time
  return startTimeOf(pid) === started;
}

/** When a process started, where the system tells; `-` elsewhere. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-';
  } catch {
    return '-';
  }
}
