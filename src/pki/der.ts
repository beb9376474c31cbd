// Writes DER, as much of it as certificates need; src/codec/der.ts reads it.

export type Der = Buffer;

export function tlv(tag: number, ...content: readonly Uint8Array[]): Der {
  const value = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(value.length), value]);
}

function length(value: number): Uint8Array {
  if (value < 128) return Uint8Array.of(value);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.of(128 + bytes.length, ...bytes);
}

export const sequence = (...parts: readonly Uint8Array[]): Der => tlv(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Der => tlv(0x31, ...parts);
export const octets = (content: Uint8Array): Der => tlv(0x04, content);
export const boolean = (value: boolean): Der => tlv(0x01, Uint8Array.of(value ? 255 : 0));
export const utf8 = (text: string): Der => tlv(0x0c, Buffer.from(text));
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Der => tlv(0xa0 + number, ...parts);
/** Context-specific and primitive, as alternative names are. */
export const implicit = (number: number, content: Uint8Array): Der => tlv(0x80 + number, content);

/** A whole number that is not negative, big-endian. */
export function integer(value: Uint8Array): Der {
  return tlv(0x02, (value[0] as number) > 127 ? Buffer.concat([Uint8Array.of(0), value]) : value);
}

export function bits(content: Uint8Array, unused = 0): Der {
  return tlv(0x03, Uint8Array.of(unused), content);
}

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Uint8Array.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const out = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) out.unshift((rest % 128) + 128);
  return out;
}

/** Two-digit years until 2049, four-digit years after that. */
export function time(ms: number): Der {
  const digits = `${new Date(ms).toISOString().replace(/[-:T]|\..*$/g, '')}Z`;
  return Number(digits.slice(0, 4)) < 2050 ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits));
}
