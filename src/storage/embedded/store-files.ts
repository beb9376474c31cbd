// The files of a store, prepared before LMDB opens them: sound, readable by their owner only, and with space for data that is
// written through memory, where a full disk would end the process.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { checkDataFile } from './data-file.ts';
import { giveUpRoom, isDiskFull, isNoRoom } from './data-room.ts';

/** What LMDB makes. */
const storeFiles = ['data.mdb', 'lock.mdb'] as const;

/** More than the lock file of LMDB takes for its usual number of readers. */
const lockBytes = 12 * 1024;
const blockBytes = 4096;

/** Runs `open` on files that LMDB can be trusted with; leaves nothing behind of a store that could not be made. */
export function openFiles<T>(folder: string, open: () => T): T {
  const usedBytes = checkDataFile(folder);
  const isNew = !existsSync(join(folder, 'data.mdb'));
  if (isNew && isDiskFull(folder)) throw new Error(`the disk is full: there is no room for a store in ${folder}`);
  const lock = join(folder, 'lock.mdb');
  if (!allocateLock(lock) && !(giveUpRoom(folder, usedBytes, 2 * lockBytes) && allocateLock(lock)))
    throw new Error(`the disk is full: there is no room for the lock of ${folder}`);
  try {
    return open();
  } catch (error) {
    if (isNew) removeEmpty(join(folder, 'data.mdb'));
    throw error;
  } finally {
    for (const name of storeFiles) keepToOwner(join(folder, name));
  }
}

/** LMDB asks the system for files that everyone may read; the folder is closed to others meanwhile. */
function keepToOwner(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o777) !== 0o600 && process.platform !== 'win32') chmodSync(path, 0o600);
}

/** False if the disk is full. Only a block that was never written is written; others belong to readers of the store. */
function allocateLock(path: string): boolean {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size, blocks } = fstatSync(file);
    if (size >= lockBytes && blocks * 512 >= size) return true;
    const block = Buffer.alloc(blockBytes);
    for (let at = 0; at < lockBytes; at += blockBytes) {
      block.fill(0);
      readSync(file, block, 0, blockBytes, at);
      if (block.every((byte) => byte === 0)) writeSync(file, block, 0, blockBytes, at);
    }
    return true;
  } catch (error) {
    if (isNoRoom(error)) return false;
    throw error;
  } finally {
    closeSync(file);
  }
}

function removeEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
}
