// The one-time authenticator Poly1305: numbers modulo 2^130 - 5 in six limbs of 22 bits, so that every sum of products
// is exact. It has no branch that depends on a key or on a message.

const limbs = 6;
const limbBits = 22;
const limbSize = 2 ** limbBits;
const mask = limbSize - 1;
/** What goes over 2^132 comes back so many times. */
const wrap = 20;
/** The part of the last limb that is below 2^130. */
const lastSize = 2 ** 20;
const blockBytes = 16;

/** The tag of a message, 16 bytes; `key` has 32 bytes and is used for this message only. */
export function poly1305(key: Uint8Array, message: Uint8Array): Buffer {
  const factors = factorsOf(key.subarray(0, blockBytes));
  const sum = new Float64Array(limbs);
  const block = new Uint8Array(blockBytes + 1);
  const view = new DataView(block.buffer);
  for (let at = 0; at < message.length; at += blockBytes) {
    const length = Math.min(blockBytes, message.length - at);
    block.fill(0);
    for (let i = 0; i < length; i++) block[i] = message[at + i] as number;
    block[length] = 1;
    add(sum, view);
    multiply(sum, factors);
  }
  return finished(sum, key.subarray(blockBytes, 2 * blockBytes));
}

/** The factor of the key, twice: first for what goes over. */
function factorsOf(half: Uint8Array): Float64Array {
  const clamped = Uint8Array.from(half);
  for (const at of [3, 7, 11, 15]) clamped[at] = (clamped[at] as number) & 15;
  for (const at of [4, 8, 12]) clamped[at] = (clamped[at] as number) & 252;
  const factor = new Float64Array(limbs);
  add(factor, viewOf(clamped));
  return Float64Array.from({ length: 2 * limbs }, (_, i) =>
    i < limbs ? wrap * (factor[i] as number) : (factor[i - limbs] as number),
  );
}

/** A number of 16 bytes as one of 17. */
function viewOf(half: Uint8Array): DataView {
  const block = new Uint8Array(blockBytes + 1);
  block.set(half);
  return new DataView(block.buffer);
}

/** Adds a little-endian number of 17 bytes. */
function add(sum: Float64Array, bytes: DataView): void {
  for (let i = 0; i < limbs; i++) {
    const bit = i * limbBits;
    sum[i] = (sum[i] as number) + ((bytes.getUint32(bit >> 3, true) >>> (bit & 7)) & mask);
  }
}

/** Written out, as this is where the time goes. */
function multiply(sum: Float64Array, factors: Float64Array): void {
  const s0 = sum[0] as number;
  const s1 = sum[1] as number;
  const s2 = sum[2] as number;
  const s3 = sum[3] as number;
  const s4 = sum[4] as number;
  const s5 = sum[5] as number;
  sum[0] =
    s0 * (factors[6] as number) +
    s1 * (factors[5] as number) +
    s2 * (factors[4] as number) +
    s3 * (factors[3] as number) +
    s4 * (factors[2] as number) +
    s5 * (factors[1] as number);
  sum[1] =
    s0 * (factors[7] as number) +
    s1 * (factors[6] as number) +
    s2 * (factors[5] as number) +
    s3 * (factors[4] as number) +
    s4 * (factors[3] as number) +
    s5 * (factors[2] as number);
  sum[2] =
    s0 * (factors[8] as number) +
    s1 * (factors[7] as number) +
    s2 * (factors[6] as number) +
    s3 * (factors[5] as number) +
    s4 * (factors[4] as number) +
    s5 * (factors[3] as number);
  sum[3] =
    s0 * (factors[9] as number) +
    s1 * (factors[8] as number) +
    s2 * (factors[7] as number) +
    s3 * (factors[6] as number) +
    s4 * (factors[5] as number) +
    s5 * (factors[4] as number);
  sum[4] =
    s0 * (factors[10] as number) +
    s1 * (factors[9] as number) +
    s2 * (factors[8] as number) +
    s3 * (factors[7] as number) +
    s4 * (factors[6] as number) +
    s5 * (factors[5] as number);
  sum[5] =
    s0 * (factors[11] as number) +
    s1 * (factors[10] as number) +
    s2 * (factors[9] as number) +
    s3 * (factors[8] as number) +
    s4 * (factors[7] as number) +
    s5 * (factors[6] as number);
  carry(sum);
  const over = Math.floor((sum[0] as number) / limbSize);
  sum[0] = (sum[0] as number) - over * limbSize;
  sum[1] = (sum[1] as number) + over;
}

/** Brings the limbs to 22 bits, all but the first. */
function carry(sum: Float64Array): void {
  const over = carryUp(sum);
  sum[0] = (sum[0] as number) + wrap * over;
}

/** Brings the limbs to 22 bits; what goes over the last is the result. */
function carryUp(sum: Float64Array): number {
  let over = 0;
  for (let i = 0; i < limbs; i++) {
    const limb = (sum[i] as number) + over;
    over = Math.floor(limb / limbSize);
    sum[i] = limb - over * limbSize;
  }
  return over;
}

/** Takes away what is over 2^130, and says how often it was over. */
function cutLast(sum: Float64Array): number {
  const last = sum[limbs - 1] as number;
  const over = Math.floor(last / lastSize);
  sum[limbs - 1] = last - over * lastSize;
  return over;
}

/** The number itself, below 2^130 - 5, plus the second half of the key, modulo 2^128. */
function finished(sum: Float64Array, half: Uint8Array): Buffer {
  for (let pass = 0; pass < 3; pass++) {
    carry(sum);
    const over = cutLast(sum);
    sum[0] = (sum[0] as number) + 5 * over;
  }
  const reduced = withoutModulus(sum);
  add(reduced, viewOf(half));
  carryUp(reduced);
  const tag = Buffer.alloc(blockBytes);
  for (let bit = 0; bit < blockBytes * 8; bit++) {
    const limb = reduced[Math.floor(bit / limbBits)] as number;
    tag[bit >> 3] = (tag[bit >> 3] as number) | (((limb >>> (bit % limbBits)) & 1) << (bit & 7));
  }
  return tag;
}

/** Adding 5 goes over 2^130 exactly where the number is not below the modulus; chosen by a factor, not by a branch. */
function withoutModulus(sum: Float64Array): Float64Array {
  const less = Float64Array.from(sum);
  less[0] = (less[0] as number) + 5;
  carryUp(less);
  const over = cutLast(less);
  return Float64Array.from(sum, (limb, i) => limb * (1 - over) + (less[i] as number) * over);
}
