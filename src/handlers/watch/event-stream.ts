// The writing end of a watch: frames go out as they come; a reader that cannot keep up is cut off.

import type { Sink } from '../../meta/exchange.ts';

/** What may wait for a slow reader before it is ended; it can resume from where it was. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Chunks of this size wait at the sink, which does not copy them, and counts bytes that many clients share once; smaller ones are joined. */
const sharedBytes = 16 * 1024;

/** Whose stream it is: told once when the stream is over, for whatever reason. */
export interface StreamOwner {
  /** `isCut` where the reader did not keep up. */
  onStreamEnd(isCut: boolean): void;
}

export class EventStream {
  readonly #sink: Sink;
  readonly #owner: StreamOwner;
  #waiting: Uint8Array[] | undefined;
  #waitingBytes = 0;
  /** Bytes that the sink had when it asked to wait. */
  #blockedBytes = 0;
  /** While the reader has enough to do. */
  #blocked: Promise<void> | undefined;
  #ended = false;
  /** All that the reader was given, whether it has taken it or not. */
  sentBytes = 0;

  constructor(sink: Sink, owner: StreamOwner) {
    this.#sink = sink;
    this.#owner = owner;
  }

  get isOver(): boolean {
    return this.#ended;
  }

  /** Whether the reader has enough to do. */
  get isBlocked(): boolean {
    return this.#blocked !== undefined;
  }

  /** Bytes that the reader has not taken, as far as that is known. */
  get unsentBytes(): number {
    return (this.#sink.unsentBytes ?? 0) + this.#waitingBytes;
  }

  /** Chunks may be shared: no code changes them. */
  send(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.sentBytes += chunk.length;
    if (this.#blocked === undefined) this.#write(chunk);
    else this.#keep(chunk);
  }

  #keep(chunk: Uint8Array): void {
    const sink = this.#sink;
    const isCounted = sink.unsentBytes !== undefined;
    if (isCounted && this.#waitingBytes + chunk.length >= sharedBytes) {
      if (this.#waiting !== undefined) sink.write(this.#takeWaiting());
      sink.write(chunk);
    } else {
      this.#waiting ??= [];
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
    }
    const laterBytes = (sink.unsentBytes ?? 0) + this.#waitingBytes - this.#blockedBytes;
    if (laterBytes > maxWaitingBytes) this.#giveUp();
  }

  /** Resolves when more can be sent without waiting, or when the stream is over. */
  async writable(): Promise<void> {
    if (!this.#ended) await this.#blocked;
  }

  /** Whatever waits is still sent. */
  end(): void {
    if (this.#ended) return;
    // first of all: the sink may tell that it is over, too
    this.#ended = true;
    if (this.#waiting !== undefined && !this.#sink.isGone) this.#sink.write(this.#takeWaiting());
    this.#waiting = undefined;
    this.#sink.end();
    this.#owner.onStreamEnd(false);
  }

  #write(chunk: Uint8Array): void {
    if (this.#sink.write(chunk)) return;
    this.#blockedBytes = this.#sink.unsentBytes ?? 0;
    this.#blocked = this.#sink.drained().then(() => this.#resume());
  }

  #resume(): void {
    this.#blocked = undefined;
    if (!this.#ended && this.#waiting !== undefined) this.#write(this.#takeWaiting());
  }

  #takeWaiting(): Uint8Array {
    const chunk = Buffer.concat(this.#waiting ?? []);
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    return chunk;
  }

  /** The reader does not keep up: what waits for it is dropped, here and below. */
  #giveUp(): void {
    this.#ended = true;
    this.#waiting = undefined;
    this.#sink.cut();
    this.#owner.onStreamEnd(true);
  }
}
