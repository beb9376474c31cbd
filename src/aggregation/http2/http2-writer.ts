// The frames that a client sends over a connection of HTTP/2 are collected, and written together. Those of the requests that came in one
// piece go before anything else is read: the other server works on them while this one reads on.

import type { Writable } from 'node:stream';
import { frameType, preface, setting } from '../../http2/frame.ts';
import { giveBack } from '../../http2/outgoing-bytes.ts';
import { OutgoingFrames } from '../../http2/outgoing-frames.ts';
import type { BackendRequest } from '../backend-call.ts';

export class Http2Writer {
  readonly #socket: Writable;
  readonly #onFlushed: () => void;
  readonly #out = new OutgoingFrames();
  readonly #flush = () => this.#flushNow();
  readonly #onWritten = (error?: Error | null) => this.#written(error);
  /** What the socket has not written yet, in order. */
  readonly #writing: Buffer[] = [];
  #isFlushing = false;
  #isOver = false;

  constructor(socket: Writable, onFlushed: () => void) {
    this.#socket = socket;
    this.#onFlushed = onFlushed;
  }

  /** Bytes that were not given to the socket yet. */
  get unsent(): number {
    return this.#out.length;
  }

  greet({ initialWindow, connectionWindow }: Readonly<Record<'initialWindow' | 'connectionWindow', number>>): void {
    this.#out.bytes(Buffer.from(preface));
    this.#out.settings([
      [setting.enablePush, 0],
      [setting.initialWindow, initialWindow],
    ]);
    this.word(frameType.windowUpdate, 0, connectionWindow);
  }

  headers(stream: number, { method, path, authority, headers, ownHeaders }: BackendRequest, isLast: boolean): void {
    const out = this.#out;
    out.beginHeaders(stream);
    out.field(':method', method);
    out.field(':scheme', 'https');
    out.field(':authority', authority);
    out.field(':path', path);
    out.fields(headers);
    if (ownHeaders !== undefined) for (const name in ownHeaders) out.field(name, ownHeaders[name] as string);
    out.endHeaders(stream, isLast);
    this.#flushSoon();
  }

  data(stream: number, piece: Uint8Array, isLast: boolean): void {
    this.#out.data(stream, piece, isLast);
    this.#flushSoon();
  }

  ping(payload: Uint8Array, flags: number): void {
    this.#out.ping(payload, flags);
    this.#flushSoon();
  }

  acknowledgeSettings(): void {
    this.#out.acknowledgeSettings();
    this.#flushSoon();
  }

  /** A frame that is one number. */
  word(type: number, stream: number, word: number): void {
    this.#out.word(type, stream, word);
    this.#flushSoon();
  }

  /** What the other end can remember of headers. */
  resizeTable(bytes: number): void {
    this.#out.resizeTable(bytes);
  }

  /** Sends the reason, and ends the connection. */
  end(code: number): void {
    this.#isOver = true;
    this.#out.goaway(0, code);
    this.#socket.end(this.#out.take());
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(this.#flush);
  }

  #flushNow(): void {
    this.#isFlushing = false;
    if (this.#isOver || this.#socket.destroyed || this.#out.length === 0) return;
    const bytes = this.#out.take();
    this.#writing.push(bytes);
    this.#socket.write(bytes, this.#onWritten);
    this.#onFlushed();
  }

  #written(error: Error | null | undefined): void {
    const bytes = this.#writing.shift();
    if (bytes !== undefined && !error) giveBack(bytes);
  }
}
