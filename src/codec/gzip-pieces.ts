// One gzip text of pieces that were compressed apart from each other: a piece that is sent again is not compressed again. Each
// piece ends at the border of a byte and refers to nothing before it. The checksum of all comes of those of the pieces.

/** Loaded with the first answer that is compressed, not with the server. */
const zlib = () => process.getBuiltinModule('node:zlib');

export interface GzipPiece {
  readonly bytes: Uint8Array;
  /** CRC-32 of what was compressed, and its length. */
  readonly checksum: number;
  readonly size: number;
}

/** Compressed fast, rather than as small as can be, on Node's thread pool. */
export function compressPiece(data: Uint8Array): Promise<GzipPiece> {
  const { constants, crc32, deflateRaw } = zlib();
  const checksum = crc32(data);
  return new Promise((resolve, reject) => {
    deflateRaw(data, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }, (error, bytes) =>
      error === null ? resolve({ bytes, checksum, size: data.length }) : reject(error),
    );
  });
}

/** Of a block that holds bytes as they are. */
const maxBlockBytes = 0xffff;

/** A short piece that is not worth compressing. */
export function storePiece(data: Uint8Array): GzipPiece {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += maxBlockBytes) {
    const block = data.subarray(at, at + maxBlockBytes);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    blocks.push(head, block);
  }
  return { bytes: Buffer.concat(blocks), checksum: zlib().crc32(data), size: data.length };
}

/** Before the first piece: the format, no name, no time, any system. */
export const gzipHead: Uint8Array = Buffer.from('1f8b08000000000000ff', 'hex');

/** What stands behind the last piece: an empty last block, the checksum and the length of everything. */
export class GzipEnd {
  #checksum = 0;
  #size = 0;

  /** To be called with each piece in turn. */
  add({ checksum, size }: GzipPiece): void {
    this.#checksum = joinChecksums(this.#checksum, checksum, size);
    this.#size += size;
  }

  get bytes(): Uint8Array {
    const end = Buffer.from('03000000000000000000', 'hex');
    end.writeUInt32LE(this.#checksum, 2);
    end.writeUInt32LE(this.#size % 2 ** 32, 6);
    return end;
  }
}

/** CRC-32 of two texts one after the other: the first is multiplied by x to the number of bits of the second. */
function joinChecksums(first: number, second: number, secondSize: number): number {
  let power = one;
  for (let bytes = secondSize, at = 3; bytes > 0; bytes = Math.floor(bytes / 2), at++)
    if (bytes % 2 === 1) power = multiply(squares[at % 32] as number, power);
  return (multiply(power, first) ^ second) >>> 0;
}

/** Polynomials modulo that of CRC-32, the highest bit first. */
const polynomial = 0xed_b8_83_20;
const one = 0x80_00_00_00;

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product >>> 0;
}

/** x, and each time the square of the one before: the 32nd would be the first again. */
const squares: number[] = [0x40_00_00_00];
for (let at = 1; at < 32; at++) squares.push(multiply(squares[at - 1] as number, squares[at - 1] as number));
