// Reads the header fields that the other end of a connection sends (RFC 7541). It chooses every byte: all sizes have limits.

import {
  endOfText,
  fieldOf,
  type HeaderField,
  huffmanTree,
  sizeOf,
  staticFields,
  usualTableBytes,
} from './hpack-tables.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

/** What the fields of a block become. */
export interface FieldSink {
  add(field: HeaderField): void;
}

/** A number of more bits than that makes no sense. */
const maxShift = 21;

export class HpackDecoder {
  /** The newest last. */
  readonly #table: HeaderField[] = [];
  #tableBytes = 0;
  #maxTableBytes = usualTableBytes;
  #bytes: Buffer = nothing;
  #at = 0;

  /** Bytes of the fields that are remembered, as HPACK counts them. */
  get tableBytes(): number {
    return this.#tableBytes;
  }

  /** Throws where a block makes no sense: the connection is of no use then. */
  decode(block: Buffer, sink: FieldSink): void {
    this.#bytes = block;
    this.#at = 0;
    while (isResize(block[this.#at])) this.#resize(this.#number(5));
    while (this.#at < block.length) sink.add(this.#field(block[this.#at] as number));
    this.#bytes = nothing;
  }

  #field(first: number): HeaderField {
    if (first >= 0x80) return this.#known(this.#number(7));
    if (first >= 0x40) return this.#remember(this.#literal(6));
    // a table changes its size before the fields of a block
    if (isResize(first)) throw broken();
    return this.#literal(4);
  }

  #literal(bits: number): HeaderField {
    const index = this.#number(bits);
    const name = index === 0 ? this.#text() : this.#known(index).name;
    return fieldOf(name, this.#text());
  }

  #known(index: number): HeaderField {
    const field =
      index <= staticFields.length
        ? staticFields[index - 1]
        : this.#table[this.#table.length - (index - staticFields.length)];
    if (field === undefined) throw broken();
    return field;
  }

  #remember(field: HeaderField): HeaderField {
    this.#table.push(field);
    this.#tableBytes += sizeOf(field);
    this.#evict();
    return field;
  }

  #resize(bytes: number): void {
    if (bytes > usualTableBytes) throw broken();
    this.#maxTableBytes = bytes;
    this.#evict();
  }

  #evict(): void {
    while (this.#tableBytes > this.#maxTableBytes) this.#tableBytes -= sizeOf(this.#table.shift() as HeaderField);
  }

  #number(bits: number): number {
    const most = (1 << bits) - 1;
    const first = this.#byte() & most;
    if (first < most) return first;
    let value = most;
    for (let shift = 0; shift <= maxShift; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw broken();
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw broken();
    return this.#bytes[this.#at++] as number;
  }

  #text(): string {
    const isCoded = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#number(7);
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw broken();
    return isCoded ? decoded(this.#bytes, start, this.#at) : this.#bytes.toString('latin1', start, this.#at);
  }
}

const nothing = Buffer.alloc(0);

const isResize = (first: number | undefined): boolean => first !== undefined && first >= 0x20 && first < 0x40;

const broken = (): Error => new Http2Error(errorCodes.compression);

/** The buffer of the text that is being decoded: a code has five bits at least. */
let textBuffer = Buffer.alloc(1024);

function decoded(bytes: Buffer, start: number, end: number): string {
  const most = Math.ceil(((end - start) * 8) / 5);
  if (most > textBuffer.length) textBuffer = Buffer.alloc(most);
  let length = 0;
  let node = 0;
  let pending = 0;
  let areOnes = true;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1;
      const next = huffmanTree[2 * node + one] as number;
      pending++;
      areOnes = areOnes && one === 1;
      if (next >= 0) {
        node = next;
        continue;
      }
      if (~next === endOfText) throw broken();
      textBuffer[length++] = ~next;
      node = 0;
      pending = 0;
      areOnes = true;
    }
  }
  // the rest fills the last byte, with the first bits of the code that ends a text
  if (pending > 7 || !areOnes) throw broken();
  return textBuffer.toString('latin1', 0, length);
}
