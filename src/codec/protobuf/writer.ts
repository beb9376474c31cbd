// The protobuf wire format, writing side.

export class ProtobufWriter {
  readonly #parts: Uint8Array[] = [];

  string(number: number, value: string): this {
    return this.bytes(number, Buffer.from(value));
  }

  bytes(number: number, value: Uint8Array): this {
    this.#parts.push(varint(number * 8 + 2), varint(value.length), value);
    return this;
  }

  bool(number: number, value: boolean): this {
    return this.integer(number, value ? 1 : 0);
  }

  /** int32 and int64; negative numbers take ten bytes. */
  integer(number: number, value: number | bigint): this {
    const isPlain = typeof value === 'number' && value >= 0;
    this.#parts.push(varint(number * 8), isPlain ? varint(value) : longVarint(value));
    return this;
  }

  double(number: number, value: number): this {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(varint(number * 8 + 1), bytes);
    return this;
  }

  fixed64(number: number, value: bigint): this {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigUInt64LE(value);
    this.#parts.push(varint(number * 8 + 1), bytes);
    return this;
  }

  fixed32(number: number, value: number): this {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeUInt32LE(value);
    this.#parts.push(varint(number * 8 + 5), bytes);
    return this;
  }

  message(number: number, write: (inner: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter();
    write(inner);
    return this.bytes(number, inner.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** The beginning of a length-delimited field whose content is written elsewhere. */
export function lengthPrefix(number: number, length: number): Uint8Array {
  const prefix = Buffer.allocUnsafe(prefixLength(number, length));
  const tag = fieldTag(number, 2);
  prefix.set(tag);
  prefix.set(varint(length), tag.length);
  return prefix;
}

/** Writes such a beginning at `at`; returns where it ends. */
export function writePrefix(out: Uint8Array, at: number, number: number, length: number): number {
  const tag = fieldTag(number, 2);
  out.set(tag, at);
  let to = at + tag.length;
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    out[to++] = rest > 127 ? (rest % 128) + 128 : rest;
    if (rest <= 127) return to;
  }
}

/** How many bytes that beginning has. */
export const prefixLength = (number: number, length: number): number =>
  varintLength(number * 8 + 2) + varintLength(length);

/** How many bytes a number below 2^35 takes. */
export const varintLength = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;

/** What stands before the value of a field. */
export const fieldTag = (number: number, wireType: number): Uint8Array => varint(number * 8 + wireType);

/** Most numbers of fields and lengths are so small. */
const smallVarints = Array.from({ length: 128 }, (_, value) => Uint8Array.of(value));

function varint(value: number): Uint8Array {
  const small = smallVarints[value];
  if (small !== undefined) return small;
  const out: number[] = [];
  let rest = value;
  while (rest > 127) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Uint8Array.from(out);
}

function longVarint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  while (rest > 127n) {
    out.push(Number(rest & 127n) + 128);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}
