// In memory that all threads share: the newest durable revision, how far history is compacted, and which values need no
// second look. The thread that writes the data folder sets it; the others read it before each request.

import { type Revision, revision } from '../../meta/revision.ts';
import type { Publication } from '../mvcc/mvcc-store.ts';
import { SettledRevisions } from '../mvcc/settled-revisions.ts';

const durableSlot = 0;
const compactedSlot = 1;
const slots = 2;
const slotBytes = slots * BigInt64Array.BYTES_PER_ELEMENT;

export class RevisionBoard implements Publication {
  readonly memory: SharedArrayBuffer;
  readonly settled: SettledRevisions;
  readonly #slots: BigInt64Array;
  readonly #followers = new Set<() => void>();

  constructor(memory = new SharedArrayBuffer(slotBytes + SettledRevisions.bytes)) {
    this.memory = memory;
    this.#slots = new BigInt64Array(memory, 0, slots);
    this.settled = new SettledRevisions(memory, slotBytes);
  }

  get newest(): Revision {
    return revision(Number(Atomics.load(this.#slots, durableSlot)));
  }

  get oldest(): Revision {
    return revision(Number(Atomics.load(this.#slots, compactedSlot)));
  }

  /** Calls `wake` in the writing thread after each change of the newest revision. */
  follow(wake: () => void): { end(): void } {
    this.#followers.add(wake);
    return { end: () => this.#followers.delete(wake) };
  }

  durable(at: Revision): void {
    Atomics.store(this.#slots, durableSlot, BigInt(at));
    for (const wake of this.#followers) wake();
  }

  compacted(at: Revision): void {
    Atomics.store(this.#slots, compactedSlot, BigInt(at));
  }
}
