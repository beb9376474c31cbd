// The writing end of a watch: frames go out as they come; a reader that cannot keep up is cut off.

import type { Sink } from '../meta/exchange.ts';

/** What may wait for a slow reader before it is ended; it can resume from where it was. */
const maxWaitingBytes = 4 * 1024 * 1024;

export class EventStream {
  /** Resolves when the stream is over, for whatever reason. */
  readonly finished: Promise<void>;
  readonly #sink: Sink;
  readonly #onAbort = () => this.end();
  #finish!: () => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #blocked = false;
  #ended = false;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    for (const signal of [sink.signal, sink.draining]) {
      if (signal.aborted) this.end();
      else signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  send(frames: readonly Uint8Array[]): void {
    if (this.#ended) return;
    const chunk = frames.length === 1 ? (frames[0] as Uint8Array) : Buffer.concat(frames);
    if (!this.#blocked) this.#write(chunk);
    else {
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
      if (this.#waitingBytes > maxWaitingBytes) this.end();
    }
  }

  /** Resolves when more can be sent without waiting, or when the stream is over. */
  async writable(): Promise<void> {
    if (this.#blocked && !this.#ended) await this.#sink.drained();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink.draining.removeEventListener('abort', this.#onAbort);
    this.#waiting = [];
    this.#finish();
  }

  #write(chunk: Uint8Array): void {
    if (this.#sink.write(chunk)) return;
    this.#blocked = true;
    void this.#sink.drained().then(() => this.#resume());
  }

  #resume(): void {
    this.#blocked = false;
    if (this.#ended || this.#waiting.length === 0) return;
    const chunk = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#write(chunk);
  }
}
