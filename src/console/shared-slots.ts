// A table of secrets in memory that all threads of a server share: bounded, and each entry expires. Only digests are kept.

import { timingSafeEqual } from 'node:crypto';

const digestBytes = 32;
const headerBytes = 16;
/** State and expiry of an entry, then two digests. */
const entryBytes = 16 + 2 * digestBytes;

const states = { free: 0, writing: 1, ready: 2 } as const;

/** The bytes that a table of this many entries needs. */
export const slotBytes = (count: number) => headerBytes + count * entryBytes;

export class SharedSlots {
  readonly #states: Int32Array;
  readonly #expiries: Float64Array;
  readonly #digests: Uint8Array;
  readonly #count: number;

  constructor(count: number, memory: SharedArrayBuffer, offset = 0) {
    const begin = offset + headerBytes;
    this.#count = count;
    this.#expiries = new Float64Array(memory, begin, count);
    this.#states = new Int32Array(memory, begin + count * 8, count);
    this.#digests = new Uint8Array(memory, begin + count * 16, count * 2 * digestBytes);
  }

  /** Replaces the entry that expires first if the table is full. */
  add(first: Uint8Array, second: Uint8Array, expiresAt: number, now: number): void {
    const at = this.#take(now);
    this.#digests.set(first, at * 2 * digestBytes);
    this.#digests.set(second, (at * 2 + 1) * digestBytes);
    this.#expiries[at] = expiresAt;
    Atomics.store(this.#states, at, states.ready);
  }

  /** The place of the entry with these digests; undefined where there is none or it has expired. */
  find(first: Uint8Array, second: Uint8Array, now: number): number | undefined {
    for (let at = 0; at < this.#count; at++) {
      if (!this.#isLive(at, now)) continue;
      const from = at * 2 * digestBytes;
      const isFirst = timingSafeEqual(this.#digests.subarray(from, from + digestBytes), first);
      const isSecond = timingSafeEqual(this.#digests.subarray(from + digestBytes, from + 2 * digestBytes), second);
      if (isFirst && isSecond) return at;
    }
    return undefined;
  }

  /** Whether this call removed the entry: of several calls at once, one does. */
  remove(at: number): boolean {
    return Atomics.compareExchange(this.#states, at, states.ready, states.free) === states.ready;
  }

  #isLive(at: number, now: number): boolean {
    return Atomics.load(this.#states, at) === states.ready && (this.#expiries[at] as number) > now;
  }

  #take(now: number): number {
    for (;;) {
      const at = this.#replaceable(now);
      const state = Atomics.load(this.#states, at);
      if (state !== states.writing && Atomics.compareExchange(this.#states, at, state, states.writing) === state)
        return at;
    }
  }

  /** An entry that is free or has expired, or else the one that expires first. */
  #replaceable(now: number): number {
    let first = 0;
    for (let at = 0; at < this.#count; at++) {
      if (Atomics.load(this.#states, at) === states.writing) continue;
      if (!this.#isLive(at, now)) return at;
      if ((this.#expiries[at] as number) < (this.#expiries[first] as number)) first = at;
    }
    return first;
  }
}
