// Input of a client for a function that reads it when it likes; only so much may wait.

const maxWaitingBytes = 4 * 1024 * 1024;

export class InputQueue implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #isEnded = false;
  #wake: () => void = () => {};

  /** Whether the chunk was taken; false when the reader is too slow. */
  push(chunk: Uint8Array): boolean {
    if (this.#isEnded) return true;
    if (this.#waitingBytes + chunk.length > maxWaitingBytes) return false;
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#wake();
    return true;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const chunks = this.#chunks;
      this.#chunks = [];
      this.#waitingBytes = 0;
      yield* chunks;
      if (this.#chunks.length > 0) continue;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
