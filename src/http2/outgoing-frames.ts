// The frames that one end of a connection of HTTP/2 sends, client or server: in the order in which they are to be written.

import { flag, frameType, headBytes, maxFrameBytes } from './frame.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { OutgoingBytes } from './outgoing-bytes.ts';

export class OutgoingFrames {
  readonly #encoder = new HpackEncoder();
  readonly #out = new OutgoingBytes();
  /** Where the headers that are being written begin. */
  #headersAt = 0;
  /** The last frame of a body: its stream, where it begins and where it ends. */
  #dataStream = 0;
  #dataAt = 0;
  #dataEnd = 0;

  /** Bytes that were not taken yet. */
  get length(): number {
    return this.#out.length;
  }

  /** Bytes that are in memory for those. */
  get heldBytes(): number {
    return this.#out.heldBytes;
  }

  /** `giveBack` is for what has been written. */
  take(): Buffer {
    this.#dataStream = 0;
    return this.#out.take();
  }

  bytes(bytes: Uint8Array): void {
    this.#out.append(bytes);
  }

  settings(values: readonly (readonly [id: number, value: number])[]): void {
    this.#out.frame(frameType.settings, 0, 0, 6 * values.length);
    for (const [id, value] of values) {
      this.#out.byte(0);
      this.#out.byte(id);
      this.#out.word(value);
    }
  }

  acknowledgeSettings(): void {
    this.#out.frame(frameType.settings, flag.ack, 0, 0);
  }

  ping(payload: Uint8Array, flags: number): void {
    this.#out.frame(frameType.ping, flags, 0, payload.length);
    this.#out.append(payload);
  }

  /** A frame that is one number. */
  word(type: number, stream: number, word: number): void {
    this.#out.frame(type, 0, stream, 4);
    this.#out.word(word);
  }

  goaway(last: number, code: number): void {
    this.#out.frame(frameType.goaway, 0, 0, 8);
    this.#out.word(last);
    this.#out.word(code);
  }

  /** A text of `length` bytes, which is no longer than a frame. */
  text(stream: number, text: string, length: number, isLast: boolean): void {
    this.#beginData(stream, length, isLast);
    this.#out.utf8(text, length);
    this.#dataEnd = this.#out.length;
  }

  data(stream: number, piece: Uint8Array, isLast: boolean): void {
    let from = 0;
    for (; piece.length - from > maxFrameBytes; from += maxFrameBytes)
      this.#data(stream, piece.subarray(from, from + maxFrameBytes), false);
    this.#data(stream, from === 0 ? piece : piece.subarray(from), isLast);
  }

  /** To be followed by `field` for each field, and `endHeaders`. */
  beginHeaders(stream: number): void {
    this.#headersAt = this.#out.length;
    this.#out.frame(frameType.headers, 0, stream, 0);
    this.#encoder.begin(this.#out);
  }

  field(name: string, value: string): void {
    this.#encoder.field(this.#out, name, value);
  }

  /** Written once for the same object, for as long as that would become the same bytes. */
  fields(fields: Readonly<Record<string, string | readonly string[]>>): void {
    this.#encoder.fields(this.#out, fields);
  }

  /** The first field of an answer. */
  status(status: number): void {
    this.#encoder.status(this.#out, status);
  }

  endHeaders(stream: number, isLast: boolean): void {
    const length = this.#out.length - this.#headersAt - headBytes;
    if (length > maxFrameBytes) this.#split(stream, isLast);
    else this.#out.setFrame(this.#headersAt, length, flag.endHeaders | (isLast ? flag.endStream : 0));
  }

  /** What the other end can remember of headers. */
  resizeTable(bytes: number): void {
    this.#encoder.resize(bytes);
  }

  #data(stream: number, piece: Uint8Array, isLast: boolean): void {
    this.#beginData(stream, piece.length, isLast);
    this.#out.append(piece);
    this.#dataEnd = this.#out.length;
  }

  /** Joins the next data with the last frame, if that is of the same stream and has space. */
  #beginData(stream: number, length: number, isLast: boolean): void {
    const flags = isLast ? flag.endStream : 0;
    const joined = this.#dataEnd - this.#dataAt - headBytes + length;
    if (this.#dataStream === stream && this.#dataEnd === this.#out.length && joined <= maxFrameBytes) {
      this.#out.setFrame(this.#dataAt, joined, flags);
      return;
    }
    this.#dataStream = stream;
    this.#dataAt = this.#out.length;
    this.#out.frame(frameType.data, flags, stream, length);
  }

  /** A block that is longer than a frame may be. */
  #split(stream: number, isLast: boolean): void {
    const block = this.#out.cut(this.#headersAt).subarray(headBytes);
    for (let from = 0; from < block.length; from += maxFrameBytes) {
      const part = block.subarray(from, from + maxFrameBytes);
      const end = from + part.length === block.length ? flag.endHeaders : 0;
      const flags = from === 0 && isLast ? end | flag.endStream : end;
      this.#out.frame(from === 0 ? frameType.headers : frameType.continuation, flags, stream, part.length);
      this.#out.append(part);
    }
  }
}
