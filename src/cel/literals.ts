// Literals of the language: numbers, strings and bytes with their escapes.

const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

export const fitsInt = (value: bigint): boolean => value <= maxInt && value >= -maxInt - 1n;
export const fitsUint = (value: bigint): boolean => value >= 0n && value <= maxUint;

/** `12`, `0xff`, with a sign before it; undefined when it does not fit. */
export function readInt(digits: string, negative: boolean): bigint | undefined {
  const value = negative ? -BigInt(digits) : BigInt(digits);
  return fitsInt(value) ? value : undefined;
}

export function readUint(digits: string): bigint | undefined {
  const value = BigInt(digits);
  return fitsUint(value) ? value : undefined;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

const escapes =
  /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

/** The text of a string literal's body; undefined when an escape means no character. */
export function unescapeText(body: string): string | undefined {
  let valid = true;
  const text = body.replace(escapes, (_, ...groups: string[]) => {
    const [x, upperX, u, upperU, octal, simple] = groups;
    const hex = x ?? upperX ?? u ?? upperU;
    if (hex !== undefined || octal !== undefined) {
      const point = hex === undefined ? parseInt(octal as string, 8) : parseInt(hex, 16);
      if (point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)) return String.fromCodePoint(point);
    } else if (Object.hasOwn(simpleEscapes, simple as string)) return simpleEscapes[simple as string] as string;
    valid = false;
    return '';
  });
  return valid ? text : undefined;
}

/** Hexadecimal and octal escapes are bytes here, and the rest is UTF-8. */
export function unescapeBytes(body: string): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const match of body.matchAll(escapes)) {
    const [whole, x, upperX, u, upperU, octal, simple = ''] = match;
    const hex = x ?? upperX;
    if (u !== undefined || upperU !== undefined) return undefined;
    parts.push(Buffer.from(body.slice(end, match.index)));
    if (hex !== undefined) parts.push(Buffer.of(parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(parseInt(octal, 8)));
    else if (Object.hasOwn(simpleEscapes, simple)) parts.push(Buffer.from(simpleEscapes[simple] as string));
    else return undefined;
    end = match.index + whole.length;
  }
  return Buffer.concat([...parts, Buffer.from(body.slice(end))]);
}

/** A string literal that reads as the text. */
export function quote(text: string): string {
  const escaped = text.replace(/[\\"\p{Cc}]/gu, (character) => quoted.get(character) ?? character);
  return `"${escaped}"`;
}

const quoted = new Map(
  Object.entries(simpleEscapes)
    .filter(([name]) => !"?'`".includes(name))
    .map(([name, character]) => [character, `\\${name}`]),
);
