// Space in the data file that is allocated on disk before LMDB needs it. LMDB's binding damages its own memory when one of its writes
// finds the disk full, so no transaction begins before the file is long enough for it: extending a file is a write that
// may fail without harm. What stands behind the last page in use is never read.

import { closeSync, ftruncateSync, openSync, rmSync, statfsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Kept for deletions: LMDB copies the pages it changes, so that a full disk would take no delete either. */
export const reservedBytes = 1024 * 1024;
/** With less than this a disk counts as full. */
const fullBytes = 1024 * 1024;
/** The file grows by an eighth at a time, within these limits: each growth is a write that a commit waits for. */
const growth = { share: 8, min: 512 * 1024, max: 4 * 1024 * 1024 };
const zeros = Buffer.alloc(512 * 1024);

const noRoomCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Whether a call of the file system failed because the disk is full. */
export function isNoRoom(error: unknown): boolean {
  return noRoomCodes.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Whether next to nothing more can be written to the disk of a folder. */
export function isDiskFull(folder: string): boolean {
  return freeBytes(folder) < fullBytes;
}

/** Without limit where the system does not tell. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

interface RoomNeeded {
  /** The most that a transaction writes. */
  readonly bytes: number;
  /** Whether it frees space, and may use the reserve for that. */
  readonly reclaims: boolean;
}

export class DataRoom {
  readonly #folder: string;
  readonly #path: string;
  readonly #usedBytes: () => number;
  #size: number;
  /** No page in use lies behind this. */
  #used: number;

  /** `usedBytes` returns the end of the last page in use. */
  constructor(folder: string, usedBytes: () => number) {
    this.#folder = folder;
    this.#path = dataFileOf(folder);
    this.#usedBytes = usedBytes;
    this.#size = statSync(this.#path).size;
    this.#used = usedBytes();
    // the reserve of an older version
    rmSync(join(folder, 'reserve'), { force: true });
  }

  /** Whether a transaction may begin. Only one may be under way at a time. */
  async take({ bytes, reclaims }: RoomNeeded): Promise<boolean> {
    if (this.#free < bytes + reservedBytes) {
      this.#used = this.#usedBytes();
      const requiredBytes = this.#used + bytes + reservedBytes;
      if (this.#size < requiredBytes) await this.#extend(requiredBytes + this.#step());
    }
    if (this.#free < bytes + (reclaims ? 0 : reservedBytes)) return false;
    this.#used += bytes;
    return true;
  }

  /** Whether next to nothing more can be written but deletions. */
  isShort(): boolean {
    const spare = this.#size - this.#usedBytes() - reservedBytes;
    return freeBytes(this.#folder) + Math.max(0, spare) < fullBytes;
  }

  get #free(): number {
    return this.#size - this.#used;
  }

  #step(): number {
    return Math.min(growth.max, Math.max(growth.min, Math.ceil(this.#used / growth.share)));
  }

  /** Extends the file as far as the disk has space. */
  async #extend(requiredBytes: number): Promise<void> {
    const file = await open(this.#path, 'r+');
    try {
      this.#size = (await file.stat()).size;
      while (this.#size < requiredBytes) {
        const length = Math.min(zeros.length, requiredBytes - this.#size);
        this.#size += (await file.write(zeros, 0, length, this.#size)).bytesWritten;
      }
    } catch (error) {
      if (!isNoRoom(error)) throw error;
    } finally {
      await file.close();
    }
  }
}

/** Frees space behind the pages in use, before LMDB has opened the file; false if the file has less. */
export function giveUpRoom(folder: string, usedBytes: number, bytes: number): boolean {
  const path = dataFileOf(folder);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size - bytes < usedBytes) return false;
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, size - bytes);
  } finally {
    closeSync(file);
  }
  return true;
}

function dataFileOf(folder: string): string {
  return join(folder, 'data.mdb');
}
