// Memory for texts and messages on their way out.

/** Memory for so many bytes, or more. */
export type TakeMemory = (length: number) => Buffer;

const kept = Buffer.allocUnsafeSlow(64 * 1024);

/** Memory that the next call uses again. */
export const reusedMemory = (length: number): Buffer => (length <= kept.length ? kept : Buffer.allocUnsafeSlow(length));

const slabBytes = 128 * 1024;

/** Copies of what is sent once, many in one piece of memory. */
export class Slab {
  #memory = Buffer.alloc(0);
  #used = 0;

  /** Memory for `size` bytes. `isFree` where what was taken before is no longer needed. */
  take(size: number, isFree = false): Buffer {
    if (isFree) this.#used = 0;
    if (this.#used + size > this.#memory.length) {
      this.#memory = Buffer.allocUnsafeSlow(Math.max(size, slabBytes));
      this.#used = 0;
    }
    const taken = this.#memory.subarray(this.#used, this.#used + size);
    this.#used += size;
    return taken;
  }
}
