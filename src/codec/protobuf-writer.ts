// The protobuf wire format, writing side.

export class ProtobufWriter {
  readonly #parts: Buffer[] = [];

  string(number: number, value: string): this {
    return this.bytes(number, Buffer.from(value));
  }

  bytes(number: number, value: Uint8Array): this {
    this.#parts.push(varint(number * 8 + 2), varint(value.length), Buffer.from(value));
    return this;
  }

  bool(number: number, value: boolean): this {
    this.#parts.push(varint(number * 8), varint(value ? 1 : 0));
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

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest > 127) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Buffer.from(out);
}
