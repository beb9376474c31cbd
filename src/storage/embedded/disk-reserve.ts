// Room on the disk that is kept for deletions: LMDB copies the pages it changes, so that a full disk would take no delete
// either. The room is a file; it is given up piece by piece, and taken back as soon as there is room again.

import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What a few hundred deletes, or a step of compaction, write at most. */
const reserveBytes = 1024 * 1024;
const pieceBytes = 128 * 1024;
/** Below this a disk counts as full: LMDB reports a short write as nothing but an input/output error. */
const fullBytes = 1024 * 1024;
/** How often it is tried to take the room back, at most. */
const refillEveryMs = 1000;

const noRoomCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Whether a call of the file system failed for want of room. */
export function isNoRoom(error: unknown): boolean {
  return noRoomCodes.has((error as NodeJS.ErrnoException).code ?? '');
}

export class DiskReserve {
  readonly #folder: string;
  readonly #path: string;
  #held = 0;
  #triedAt = 0;

  /** Takes what is missing of the room, as far as there is any. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'reserve');
    this.refill();
  }

  get isWhole(): boolean {
    return this.#held >= reserveBytes;
  }

  /** Whether the disk has no room but the one that is kept here. */
  isFull(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      return bavail * bsize < fullBytes;
    } catch {
      return false;
    }
  }

  /** Gives up a piece; false where the disk is not full, or nothing is left to give. */
  lend(): boolean {
    if (this.#held === 0 || !this.isFull()) return false;
    this.#withFile((file) => {
      this.#held = Math.max(0, this.#held - pieceBytes);
      ftruncateSync(file, this.#held);
    });
    return true;
  }

  /** Takes back what can be had; called often, it looks once in a while. */
  refillAtTimes(): void {
    if (!this.isWhole && performance.now() - this.#triedAt > refillEveryMs) this.refill();
  }

  refill(): void {
    this.#triedAt = performance.now();
    try {
      this.#withFile((file) => {
        this.#held = fstatSync(file).size;
        if (this.#held > reserveBytes) ftruncateSync(file, reserveBytes);
        while (this.#held < reserveBytes) this.#held += this.#extend(file);
      });
    } catch (error) {
      if (!isNoRoom(error)) throw error;
    }
  }

  /** Random bytes: those that repeat take no room on disks that compress. */
  #extend(file: number): number {
    const piece = randomBytes(Math.min(pieceBytes, reserveBytes - this.#held));
    let written = 0;
    while (written < piece.length) {
      try {
        written += writeSync(file, piece, written, piece.length - written, this.#held + written);
      } catch (error) {
        this.#held += written;
        throw error;
      }
    }
    return written;
  }

  #withFile(use: (file: number) => void): void {
    const file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      use(file);
    } finally {
      closeSync(file);
    }
  }
}
