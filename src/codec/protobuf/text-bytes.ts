// Bytes of JSON text and of messages.

export const quote = 0x22;
export const comma = 0x2c;
export const dot = 0x2e;
export const zero = 0x30;
export const colon = 0x3a;
export const openList = 0x5b;
export const backslash = 0x5c;
export const closeList = 0x5d;
export const letterF = 0x66;
export const letterN = 0x6e;
export const letterT = 0x74;
export const letterZ = 0x5a;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/** Tags of the messages inside values: number and wire type. */
export const firstField = 0x0a;
export const integerField = 0x08;
export const secondInteger = 0x10;
export const thirdText = 0x1a;

export const escapes: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};
