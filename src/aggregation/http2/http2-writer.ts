// What a client says over a connection of HTTP/2: frames are collected, and written once in a turn of the event loop.

import type { Writable } from 'node:stream';
import type { BackendRequest } from '../backend-call.ts';
import { flag, frameType, maxFrameBytes } from './frame-reader.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { OutgoingBytes } from './outgoing-bytes.ts';

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
export const setting = { tableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4 } as const;
const headBytes = 9;

export class Http2Writer {
  readonly #socket: Writable;
  readonly #onFlushed: () => void;
  readonly #encoder = new HpackEncoder();
  readonly #out = new OutgoingBytes();
  readonly #flush = () => this.#flushNow();
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
    const out = this.#out;
    out.append(Buffer.from(preface));
    out.frame(frameType.settings, 0, 0, 12);
    this.#setting(setting.enablePush, 0);
    this.#setting(setting.initialWindow, initialWindow);
    this.word(frameType.windowUpdate, 0, connectionWindow);
  }

  headers(stream: number, { method, path, authority, headers }: BackendRequest, isLast: boolean): void {
    const out = this.#out;
    const encoder = this.#encoder;
    const at = out.length;
    out.frame(frameType.headers, flag.endHeaders | (isLast ? flag.endStream : 0), stream, 0);
    encoder.begin(out);
    encoder.field(out, ':method', method);
    encoder.field(out, ':scheme', 'https');
    encoder.field(out, ':authority', authority);
    encoder.field(out, ':path', path);
    for (const name in headers) this.#header(name, headers[name] as string | readonly string[]);
    const length = out.length - at - headBytes;
    if (length <= maxFrameBytes) out.setLength(at, length);
    else this.#split(at, stream, isLast);
    this.#flushSoon();
  }

  data(stream: number, piece: Uint8Array, isLast: boolean): void {
    this.#out.frame(frameType.data, isLast ? flag.endStream : 0, stream, piece.length);
    this.#out.append(piece);
    this.#flushSoon();
  }

  ping(payload: Uint8Array, flags: number): void {
    this.#out.frame(frameType.ping, flags, 0, payload.length);
    this.#out.append(payload);
    this.#flushSoon();
  }

  acknowledgeSettings(): void {
    this.#out.frame(frameType.settings, flag.ack, 0, 0);
    this.#flushSoon();
  }

  /** A frame that is one number. */
  word(type: number, stream: number, word: number): void {
    this.#out.frame(type, 0, stream, 4);
    this.#out.word(word);
    this.#flushSoon();
  }

  /** What the other end can remember of headers. */
  resizeTable(bytes: number): void {
    this.#encoder.resize(bytes);
  }

  /** Says why the connection is left, and ends it. */
  end(code: number): void {
    this.#isOver = true;
    this.#out.frame(frameType.goaway, 0, 0, 8);
    this.#out.word(0);
    this.#out.word(code);
    this.#socket.end(this.#out.take());
  }

  #setting(id: number, value: number): void {
    this.#out.byte(0);
    this.#out.byte(id);
    this.#out.word(value);
  }

  #header(name: string, value: string | readonly string[]): void {
    if (typeof value === 'string') this.#encoder.field(this.#out, name, value);
    else for (const one of value) this.#encoder.field(this.#out, name, one);
  }

  /** A block that is longer than a frame may be. */
  #split(at: number, stream: number, isLast: boolean): void {
    const block = this.#out.cut(at).subarray(headBytes);
    for (let from = 0; from < block.length; from += maxFrameBytes) {
      const part = block.subarray(from, from + maxFrameBytes);
      const end = from + part.length === block.length ? flag.endHeaders : 0;
      const flags = from === 0 && isLast ? end | flag.endStream : end;
      this.#out.frame(from === 0 ? frameType.headers : frameType.continuation, flags, stream, part.length);
      this.#out.append(part);
    }
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(this.#flush);
  }

  #flushNow(): void {
    this.#isFlushing = false;
    if (this.#isOver || this.#socket.destroyed || this.#out.length === 0) return;
    this.#socket.write(this.#out.take());
    this.#onFlushed();
  }
}
