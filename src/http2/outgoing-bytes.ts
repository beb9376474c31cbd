// Bytes that are about to be written to a connection, collected so that many small frames become one write.

const usualBytes = 16 * 1024;

export class OutgoingBytes {
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Four bytes, the highest first. */
  word(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32BE(value, this.#length);
  }

  /** A number as HPACK has it: in the last `bits` of a byte that begins with `mark`, and in further bytes as needed. */
  number(mark: number, bits: number, value: number): void {
    const most = 2 ** bits - 1;
    if (value < most) {
      this.byte(mark | value);
      return;
    }
    this.byte(mark | most);
    let rest = value - most;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte(0x80 | (rest % 0x80));
    this.byte(rest);
  }

  /** Of which each character is one byte. */
  text(text: string): void {
    this.number(0, 7, text.length);
    this.#reserve(text.length);
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** The head of a frame of HTTP/2. */
  frame(type: number, flags: number, stream: number, length: number): void {
    this.#reserve(9);
    const at = this.#length;
    this.#bytes[at + 3] = type;
    this.setFrame(at, length, flags);
    this.#length = this.#bytes.writeUInt32BE(stream, at + 5);
  }

  /** Writes what is known of a frame only after it was written. Its head is at `at`. */
  setFrame(at: number, length: number, flags: number): void {
    this.#bytes[at] = length >> 16;
    this.#bytes[at + 1] = length >> 8;
    this.#bytes[at + 2] = length;
    this.#bytes[at + 4] = flags;
  }

  /** Takes out what follows `at`. */
  cut(at: number): Buffer {
    const rest = Buffer.from(this.#bytes.subarray(at, this.#length));
    this.#length = at;
    return rest;
  }

  /** Takes out everything. */
  take(): Buffer {
    const all = this.cut(0);
    // one large request does not leave its room to every connection
    if (this.#bytes.length > 16 * usualBytes) this.#bytes = Buffer.allocUnsafeSlow(usualBytes);
    return all;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
