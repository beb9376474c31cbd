// DER, as much of it as is read from certificates and certificate requests. A form that DER does not allow is refused: two
// readers of the same bytes must not come to different ends.

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
  readonly whole: Buffer;
  readonly rest: Buffer;
}

export class MalformedDer extends Error {}
/** The bytes end where there should be more, or are no DER at all. */
export class TruncatedDer extends MalformedDer {}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export function readElement(bytes: Buffer): Element {
  if (bytes.length < 2) throw new TruncatedDer(noLength);
  const tag = bytes[0] as number;
  if ((tag & 0x1f) === 0x1f) throw new MalformedDer('a tag has more than one byte');
  const { start, length } = lengthOf(bytes);
  const end = start + length;
  if (bytes.length < end) throw new TruncatedDer('data truncated');
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(0, end), rest: bytes.subarray(end) };
}

function lengthOf(bytes: Buffer): { start: number; length: number } {
  const first = bytes[1] as number;
  if (first < 128) return { start: 2, length: first };
  const size = first - 128;
  if (size === 0) throw new TruncatedDer('indefinite length found (not DER)');
  let length = 0;
  for (let at = 2; at < 2 + size; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new TruncatedDer(noLength);
    if (length >= mostLength) throw new MalformedDer('length too large');
    length = length * 256 + byte;
    if (length === 0) throw new MalformedDer('superfluous leading zeros in length');
  }
  if (length < 128) throw new MalformedDer('non-minimal length');
  return { start: 2 + size, length };
}

const noLength = 'truncated tag or length';
/** With another byte it would be more than a request can have. */
const mostLength = 2 ** 23;

/** The one element that the bytes consist of. */
export function onlyElement(bytes: Buffer): Element {
  const element = readElement(bytes);
  if (element.rest.length > 0) throw new MalformedDer('something follows the end');
  return element;
}

export function elementsOf(content: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let rest = content; rest.length > 0; ) {
    const element = readElement(rest);
    found.push(element);
    rest = element.rest;
  }
  return found;
}

export function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new MalformedDer(`tag ${tag} was expected`);
  return element.content;
}

export const sequenceOf = (element: Element | undefined): readonly Element[] =>
  elementsOf(contentOf(element, tags.sequence));

export function oidOf(element: Element | undefined): string {
  const content = contentOf(element, tags.oid);
  const [first = 0, ...bytes] = content;
  if (content.length === 0 || (content.at(-1) as number) > 127)
    throw new MalformedDer('an object identifier ends too early');
  const numbers = [Math.min(2, Math.floor(first / 40)), first < 80 ? first % 40 : first - 80];
  let value = 0;
  for (const byte of bytes) {
    // one identifier must not be written in two ways
    if (value === 0 && byte === 128) throw new MalformedDer('an object identifier is longer than it has to be');
    value = value * 128 + (byte % 128);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new MalformedDer('an object identifier is too large');
    if (byte < 128) {
      numbers.push(value);
      value = 0;
    }
  }
  return numbers.join('.');
}

export function booleanOf(element: Element): boolean {
  const content = contentOf(element, tags.boolean);
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 255))
    throw new MalformedDer('neither true nor false');
  return content[0] === 255;
}

/** A whole number that is small and not negative. */
export function smallIntegerOf(element: Element): number {
  const content = contentOf(element, tags.integer);
  if (content.length === 0 || content.length > 4 || (content[0] as number) > 127)
    throw new MalformedDer('a small whole number was expected');
  return content.readUIntBE(0, content.length);
}

/** The bytes of a bit string that has whole bytes only. */
export function wholeBitsOf(element: Element | undefined): Buffer {
  const content = contentOf(element, tags.bits);
  if (content[0] !== 0) throw new MalformedDer('bits were left over');
  return content.subarray(1);
}

const timeForm = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** Milliseconds since the epoch; two-digit years are those from 1950 to 2049. */
export function timeOf(element: Element | undefined): number {
  const text = element?.content.toString('latin1') ?? '';
  if (element?.tag === tags.utcTime) return parseTime(`${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}`);
  if (element?.tag === tags.generalizedTime) return parseTime(text);
  throw new MalformedDer('a time was expected');
}

function parseTime(text: string): number {
  const [, year, month, day, hour, minute, second] = timeForm.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // the engine takes 30 February for 2 March: no date is another than it says
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day)) throw new MalformedDer('a time is malformed');
  return ms;
}
