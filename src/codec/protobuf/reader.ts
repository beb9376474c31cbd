// The protobuf wire format, reading side. Every read is checked against the end of the message.

import { bufferOf } from '../../base/bytes.ts';

export class MalformedProtobufError extends Error {}
/** More fields than the reader was told to expect. */
export class TooManyFieldsError extends Error {}

/** How many fields may still be read; a matter of the whole message, however deep in it they are. */
let left = Number.POSITIVE_INFINITY;

/** What `read` gives, which may not read more fields than this. Fields may be empty: a short message can have many. */
export function withFieldLimit<T>(limit: number, read: () => T): T {
  const before = left;
  left = limit;
  try {
    return read();
  } finally {
    left = before;
  }
}

/** Counts what stands in a message in another format. */
export function countFields(count: number): void {
  left -= count;
  if (left < 0) throw new TooManyFieldsError();
}

/** One field as it stands on the wire. */
export interface WireField {
  readonly number: number;
  /** Varints as numbers, everything else as its bytes. */
  readonly value: bigint | Uint8Array;
}

export function* readFields(bytes: Uint8Array): Iterable<WireField> {
  const cursor = new Cursor(bytes);
  while (!cursor.atEnd) {
    if (--left < 0) throw new TooManyFieldsError();
    const tag = Number(cursor.varint());
    yield { number: Math.floor(tag / 8), value: readValue(cursor, tag & 7) };
  }
}

function readValue(cursor: Cursor, wireType: number): bigint | Uint8Array {
  switch (wireType) {
    case 0:
      return cursor.varint();
    case 1:
      return cursor.take(8);
    case 2:
      return cursor.take(Number(cursor.varint()));
    case 5:
      return cursor.take(4);
    default:
      throw new MalformedProtobufError(`proto: illegal wireType ${wireType}`);
  }
}

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new MalformedProtobufError('unexpected EOF');
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MalformedProtobufError('unexpected EOF');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

export function asText(value: WireField['value']): string {
  return asBytes(value).toString('utf8');
}

export function asBytes(value: WireField['value']): Buffer {
  if (typeof value === 'bigint') throw new MalformedProtobufError('a length-delimited field was expected');
  return bufferOf(value);
}

/** A number, or a bigint where that would round it. */
export function asLong(value: WireField['value']): number | bigint {
  const number = asInteger(value);
  return Number.isSafeInteger(number) ? number : BigInt.asIntN(64, value as bigint);
}

export function asInteger(value: WireField['value']): number {
  if (typeof value !== 'bigint') throw new MalformedProtobufError('a number was expected');
  return Number(BigInt.asIntN(64, value));
}
