// Who a certificate or a certificate request is about. Read as kube-apiserver reads it: a user must have one name,
// whichever server is asked.

import { contentOf, type Element, elementsOf, MalformedDer, oidOf, readElement, sequenceOf, tags } from './der.ts';

export interface Subject {
  /** The last one counts. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Of all attributes, in their order. */
  readonly values: readonly string[];
  /** Values of an attribute by its identifier, in their order. */
  valuesOf(oid: string): readonly string[];
}

const ids = { commonName: '2.5.4.3', organization: '2.5.4.10' } as const;

/** Throws for a name with a part that is no text: half a name is another name. */
export function readSubject(name: Element | undefined): Subject {
  const attributes = sequenceOf(name)
    .flatMap((set) => elementsOf(contentOf(set, tags.set)))
    .map(readAttribute);
  const valuesOf = (oid: string) => attributes.filter((one) => one.oid === oid).map(({ value }) => value);
  return {
    commonName: valuesOf(ids.commonName).at(-1) ?? '',
    organizations: valuesOf(ids.organization),
    values: attributes.map(({ value }) => value),
    valuesOf,
  };
}

function readAttribute(attribute: Element): { readonly oid: string; readonly value: string } {
  const type = readElement(contentOf(attribute, tags.sequence));
  const value = readElement(type.rest);
  const read = texts.get(value.tag);
  if (read === undefined) throw new MalformedDer('a part of a name is no text');
  return { oid: oidOf(type), value: read(value.content) };
}

function matching(allowed: RegExp): (bytes: Buffer) => string {
  return (bytes) => {
    const text = bytes.toString('latin1');
    if (!allowed.test(text)) throw new MalformedDer('a text has characters that its type does not have');
    return text;
  };
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8Text(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new MalformedDer('a text is not UTF-8');
  }
}

/** Two bytes a character; a zero at the end only ends it. */
function wideText(bytes: Buffer): string {
  if (bytes.length % 2 !== 0) throw new MalformedDer('half a character');
  const ends = bytes.length >= 2 && bytes.readUInt16BE(bytes.length - 2) === 0;
  const text = Buffer.from(ends ? bytes.subarray(0, -2) : bytes)
    .swap16()
    .toString('utf16le');
  if (/[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/.test(text)) throw new MalformedDer('half a character, or none at all');
  return text;
}

/** The types of text that names are written in, by their tags. */
const texts: ReadonlyMap<number, (bytes: Buffer) => string> = new Map([
  [0x0c, utf8Text],
  [0x12, matching(/^[0-9 ]*$/)],
  [0x13, matching(/^[A-Za-z0-9 '()+,\-./:=?*&]*$/)],
  [0x14, (bytes: Buffer) => bytes.toString('latin1')],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the type has them
  [0x16, matching(/^[\x00-\x7f]*$/)],
  [0x1e, wideText],
]);
