// Bytes that are about to be written to a connection, collected so that many small frames become one write. The buffer for them
// is lent: an idle connection holds none.

/** Sizes of the buffers: most writes of a connection are small, a long answer fills one after the other. */
const smallBytes = 64 * 1024;
export const bufferBytes = 256 * 1024;
/** Free buffers that are kept for the next connection that writes. */
const small: BufferPool = { most: 64, kept: [] };
const large: BufferPool = { most: 8, kept: [] };
const noBuffer = Buffer.alloc(0);

interface BufferPool {
  readonly most: number;
  readonly kept: Buffer[];
}

/** Texts up to this length are copied here: a call out of JavaScript takes longer. */
const shortText = 256;
const placeholder = 0x3f;
const forbidden = /[^\t\x20-\x7e\x80-\xff]/g;

/** To be called when bytes that were taken out have been written. */
export function giveBack(written: Buffer): void {
  const pool = poolOf(written.buffer.byteLength);
  if (pool !== undefined && pool.kept.length < pool.most) pool.kept.push(Buffer.from(written.buffer));
}

function poolOf(bytes: number): BufferPool | undefined {
  if (bytes === smallBytes) return small;
  return bytes === bufferBytes ? large : undefined;
}

function lend(bytes: number): Buffer {
  return poolOf(bytes)?.kept.pop() ?? Buffer.allocUnsafeSlow(bytes);
}

export class OutgoingBytes {
  #bytes: Buffer = noBuffer;
  #length = 0;
  /** The last write did not fit into a small buffer: the next will not either. */
  #isLong = false;

  get length(): number {
    return this.#length;
  }

  /** Bytes of the buffer for them. */
  get heldBytes(): number {
    return this.#bytes.length;
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
    const most = (1 << bits) - 1;
    if (value < most) {
      this.byte(mark | value);
      return;
    }
    this.byte(mark | most);
    let rest = value - most;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte(0x80 | (rest % 0x80));
    this.byte(rest);
  }

  /** The name or value of a header: each character is one byte, and those that no header may have are replaced. */
  text(text: string): void {
    const { length } = text;
    this.number(0, 7, length);
    this.#reserve(length);
    if (length > shortText) this.#bytes.write(text.replace(forbidden, '?'), this.#length, 'latin1');
    else for (let at = 0; at < length; at++) this.#bytes[this.#length + at] = safe(text.charCodeAt(at));
    this.#length += length;
  }

  /** A text of which the length in UTF-8 is known. */
  utf8(text: string, length: number): void {
    this.#reserve(length);
    this.#bytes.write(text, this.#length, length, 'utf8');
    this.#length += length;
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

  /** Writes the length and flags of a frame, known only after its payload. Its head is at `at`. */
  setFrame(at: number, length: number, flags: number): void {
    this.#bytes[at] = length >> 16;
    this.#bytes[at + 1] = length >> 8;
    this.#bytes[at + 2] = length;
    this.#bytes[at + 4] = flags;
  }

  /** What follows `at`. */
  copy(at: number): Buffer {
    return Buffer.from(this.#bytes.subarray(at, this.#length));
  }

  /** Takes out what follows `at`. */
  cut(at: number): Buffer {
    const rest = this.copy(at);
    this.#length = at;
    return rest;
  }

  /** Takes out everything; `giveBack` is for what has been written. */
  take(): Buffer {
    const all = this.#bytes.subarray(0, this.#length);
    this.#isLong = this.#length > smallBytes;
    this.#bytes = noBuffer;
    this.#length = 0;
    return all;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#bytes.length) this.#grow(needed);
  }

  #grow(needed: number): void {
    const grown = lend(this.#roomFor(needed));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  #roomFor(needed: number): number {
    if (needed <= smallBytes && !this.#isLong) return smallBytes;
    return needed <= bufferBytes ? bufferBytes : Math.max(needed, 2 * this.#bytes.length);
  }
}

const safe = (code: number): number =>
  (code >= 0x20 && code < 0x7f) || (code >= 0x80 && code <= 0xff) || code === 0x09 ? code : placeholder;
