// The protobuf wire format, reading side. Every read is checked against the end of the message.

import { bufferOf } from '../../base/bytes.ts';

export class MalformedProtobufError extends Error {}
/** More fields than the reader was told to expect. */
export class TooManyFieldsError extends Error {}

/** How many fields may still be read of the message, however deep in it they are. Set while one is read, which never waits. */
let left = Number.POSITIVE_INFINITY;

/** Runs a reader that may not read more fields than this. Fields may be empty: a short message can have many. */
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
    const tag = cursor.count();
    if ((tag & 7) === groupStart) skipGroup(cursor);
    else yield { number: Math.floor(tag / 8), value: readValue(cursor, tag & 7) };
  }
}

const groupStart = 3;
const groupEnd = 4;

/** Groups are of an older form of the format, which no type of ours uses; one may hold others. */
function skipGroup(cursor: Cursor): void {
  for (let depth = 1; depth > 0; ) {
    if (--left < 0) throw new TooManyFieldsError();
    const wireType = cursor.count() & 7;
    if (wireType === groupStart) depth++;
    else if (wireType === groupEnd) depth--;
    else readValue(cursor, wireType);
  }
}

function readValue(cursor: Cursor, wireType: number): bigint | Uint8Array {
  switch (wireType) {
    case 0:
      return cursor.varint();
    case 1:
      return cursor.take(8);
    case 2:
      return cursor.take(cursor.count());
    case 5:
      return cursor.take(4);
    default:
      throw new MalformedProtobufError(`proto: illegal wireType ${wireType}`);
  }
}

/** A length from here on would be less than nothing as a signed number. */
const negative = 2 ** 63;

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A varint that says how many, or which: nearly all are of one byte or two, and big integers are slow. */
  count(): number {
    const first = this.#bytes[this.#at];
    const second = this.#bytes[this.#at + 1];
    if (first !== undefined && first < 128) {
      this.#at++;
      return first;
    }
    if (first === undefined || second === undefined || second >= 128) return Number(this.varint());
    this.#at += 2;
    return first - 128 + second * 128;
  }

  varint(): bigint {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 128) {
      this.#at++;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new MalformedProtobufError('unexpected EOF');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new MalformedProtobufError('proto: integer overflow');
  }

  take(length: number): Uint8Array {
    if (length >= negative) throw new MalformedProtobufError('proto: negative length found during unmarshaling');
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
