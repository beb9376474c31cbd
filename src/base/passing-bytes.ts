// Bytes on their way to somewhere else: made in large pieces of memory that are shared with others on the way, and let go
// with them. Code that keeps such bytes keeps the whole piece, and should make a copy.

const pieceLength = 64 * 1024;
/** More than this is worth a piece of memory of its own. */
const longest = pieceLength / 4;
/** What UTF-8 takes at most for a unit of a string. */
const bytesPerUnit = 3;

let piece = Buffer.alloc(0);
let used = 0;

/** Room for so many bytes. */
export function passingBuffer(length: number): Buffer {
  if (length > longest) return Buffer.allocUnsafeSlow(length);
  const start = reserve(length);
  used += length;
  return piece.subarray(start, used);
}

/** A text as UTF-8, written without counting its bytes before; in parts, each of whole characters, it need not be put together. */
export function passingText(parts: readonly string[]): Buffer {
  let units = 0;
  for (const part of parts) units += part.length;
  if (units * bytesPerUnit > longest) return Buffer.from(parts.join(''));
  const start = reserve(units * bytesPerUnit);
  for (const part of parts) used += piece.write(part, used);
  return piece.subarray(start, used);
}

/** Where as many bytes are free. */
function reserve(length: number): number {
  if (used + length > piece.length) {
    piece = Buffer.allocUnsafeSlow(pieceLength);
    used = 0;
  }
  return used;
}
