// Which of the newest writes made values that are read as they were written: caches need not look at them. In memory that
// threads may share.

import type { Revision } from '../../meta/revision.ts';

/** A cache is never further behind than this, or it looks at the value. */
const slots = 1024;

export class SettledRevisions {
  readonly #slots: Int32Array;

  constructor(memory: ArrayBufferLike = new ArrayBuffer(SettledRevisions.bytes), offset = 0) {
    this.#slots = new Int32Array(memory, offset, slots);
  }

  static readonly bytes = slots * Int32Array.BYTES_PER_ELEMENT;

  /** For every write, before it can be read. */
  note(revision: Revision, isSettled: boolean): void {
    Atomics.store(this.#slots, revision % slots, isSettled ? markOf(revision) : 0);
  }

  /** False for older writes, too. */
  has(revision: Revision): boolean {
    return Atomics.load(this.#slots, revision % slots) === markOf(revision);
  }
}

/** Each write overwrites its slot, so that numbers may come again after billions of writes. Never zero. */
const markOf = (revision: Revision) => (Math.trunc(revision / slots) % 0x7fff_ffff) + 1;
