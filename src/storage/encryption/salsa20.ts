// The stream cipher XSalsa20, of NaCl. It has no branch and no table that depends on a key or on a value.

/** "expand 32-byte k", as four little-endian words. */
const constants = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
const blockBytes = 64;

/** The stream for a key and a nonce of 24 bytes; `length` bytes of it. */
export function xsalsa20(key: Uint8Array, nonce: Uint8Array, length: number): Buffer {
  const inner = hsalsa20(key, nonce.subarray(0, 16));
  const input = stateOf(inner, [...wordsOf(nonce.subarray(16, 24)), 0, 0]);
  const blocks = Math.ceil(length / blockBytes);
  const stream = new Int32Array(blocks * 16);
  const state = new Int32Array(16);
  for (let block = 0; block < blocks; block++) {
    // a value is far smaller than 2^32 blocks
    input[8] = block;
    state.set(input);
    doubleRounds(state);
    for (let i = 0; i < 16; i++) stream[block * 16 + i] = (state[i] as number) + (input[i] as number);
  }
  return littleEndian(stream).subarray(0, length);
}

/** The key for the rest of a long nonce. */
function hsalsa20(key: Uint8Array, nonce: Uint8Array): Int32Array {
  const state = stateOf(wordsOf(key), wordsOf(nonce));
  doubleRounds(state);
  return Int32Array.from([0, 5, 10, 15, 6, 7, 8, 9], (at) => state[at] as number);
}

/** Four constants on the diagonal, the key in two halves, and what differs from block to block in the middle. */
function stateOf(key: ArrayLike<number>, middle: ArrayLike<number>): Int32Array {
  const state = new Int32Array(16);
  for (let i = 0; i < 4; i++) {
    state[i * 5] = constants[i] as number;
    state[1 + i] = key[i] as number;
    state[6 + i] = middle[i] as number;
    state[11 + i] = key[4 + i] as number;
  }
  return state;
}

/** Ten double rounds. Sixteen variables stay in registers, an array would be read and written a thousand times. */
function doubleRounds(state: Int32Array): void {
  let x0 = state[0] as number;
  let x1 = state[1] as number;
  let x2 = state[2] as number;
  let x3 = state[3] as number;
  let x4 = state[4] as number;
  let x5 = state[5] as number;
  let x6 = state[6] as number;
  let x7 = state[7] as number;
  let x8 = state[8] as number;
  let x9 = state[9] as number;
  let x10 = state[10] as number;
  let x11 = state[11] as number;
  let x12 = state[12] as number;
  let x13 = state[13] as number;
  let x14 = state[14] as number;
  let x15 = state[15] as number;
  for (let round = 0; round < 20; round += 2) {
    x4 ^= rotated((x0 + x12) | 0, 7);
    x8 ^= rotated((x4 + x0) | 0, 9);
    x12 ^= rotated((x8 + x4) | 0, 13);
    x0 ^= rotated((x12 + x8) | 0, 18);
    x9 ^= rotated((x5 + x1) | 0, 7);
    x13 ^= rotated((x9 + x5) | 0, 9);
    x1 ^= rotated((x13 + x9) | 0, 13);
    x5 ^= rotated((x1 + x13) | 0, 18);
    x14 ^= rotated((x10 + x6) | 0, 7);
    x2 ^= rotated((x14 + x10) | 0, 9);
    x6 ^= rotated((x2 + x14) | 0, 13);
    x10 ^= rotated((x6 + x2) | 0, 18);
    x3 ^= rotated((x15 + x11) | 0, 7);
    x7 ^= rotated((x3 + x15) | 0, 9);
    x11 ^= rotated((x7 + x3) | 0, 13);
    x15 ^= rotated((x11 + x7) | 0, 18);
    x1 ^= rotated((x0 + x3) | 0, 7);
    x2 ^= rotated((x1 + x0) | 0, 9);
    x3 ^= rotated((x2 + x1) | 0, 13);
    x0 ^= rotated((x3 + x2) | 0, 18);
    x6 ^= rotated((x5 + x4) | 0, 7);
    x7 ^= rotated((x6 + x5) | 0, 9);
    x4 ^= rotated((x7 + x6) | 0, 13);
    x5 ^= rotated((x4 + x7) | 0, 18);
    x11 ^= rotated((x10 + x9) | 0, 7);
    x8 ^= rotated((x11 + x10) | 0, 9);
    x9 ^= rotated((x8 + x11) | 0, 13);
    x10 ^= rotated((x9 + x8) | 0, 18);
    x12 ^= rotated((x15 + x14) | 0, 7);
    x13 ^= rotated((x12 + x15) | 0, 9);
    x14 ^= rotated((x13 + x12) | 0, 13);
    x15 ^= rotated((x14 + x13) | 0, 18);
  }
  state[0] = x0;
  state[1] = x1;
  state[2] = x2;
  state[3] = x3;
  state[4] = x4;
  state[5] = x5;
  state[6] = x6;
  state[7] = x7;
  state[8] = x8;
  state[9] = x9;
  state[10] = x10;
  state[11] = x11;
  state[12] = x12;
  state[13] = x13;
  state[14] = x14;
  state[15] = x15;
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

function wordsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getInt32(i * 4, true));
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function littleEndian(words: Int32Array): Buffer {
  const bytes = Buffer.from(words.buffer);
  return isLittleEndian ? bytes : bytes.swap32();
}
