// Certificate requests (PKCS#10): read, and checked that whoever made one has the key. Also PEM.

import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const pemForm = /-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n([^-]*)-----END \1-----/g;

/** All blocks of a PEM text; what stands between them is ignored. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(pemForm)].map(([, type = '', body = '']) => {
    const lines = body.split(/\r?\n/);
    const content = lines.filter((line) => !line.includes(':')).join('');
    return { type, hasHeaders: lines.some((line) => line.includes(':')), bytes: Buffer.from(content, 'base64') };
  });
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
  readonly whole: Buffer;
  readonly rest: Buffer;
}

class MalformedDer extends Error {}

function readElement(bytes: Buffer): Element {
  if (bytes.length < 2) throw new MalformedDer('the data ends too early');
  const first = bytes[1] as number;
  const lengthBytes = first < 128 ? 0 : first - 128;
  if (lengthBytes > 4 || first === 128 || bytes.length < 2 + lengthBytes)
    throw new MalformedDer('a length is malformed');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (bytes.length < start + length) throw new MalformedDer('the data ends too early');
  const end = start + length;
  return {
    tag: bytes[0] as number,
    content: bytes.subarray(start, end),
    whole: bytes.subarray(0, end),
    rest: bytes.subarray(end),
  };
}

function elementsOf(content: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let rest = content; rest.length > 0; ) {
    const element = readElement(rest);
    found.push(element);
    rest = element.rest;
  }
  return found;
}

const tags = { sequence: 0x30, set: 0x31, oid: 0x06, bits: 0x03 } as const;

function sequenceOf(element: Element | undefined): readonly Element[] {
  if (element?.tag !== tags.sequence) throw new MalformedDer('a sequence was expected');
  return elementsOf(element.content);
}

function oidOf(element: Element | undefined): string {
  if (element?.tag !== tags.oid) throw new MalformedDer('an object identifier was expected');
  const [first = 0, ...bytes] = element.content;
  const numbers = [Math.floor(first / 40), first % 40];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte % 128);
    if (byte < 128) {
      numbers.push(value);
      value = 0;
    }
  }
  return numbers.join('.');
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly publicKey: KeyObject;
  /** Whether the request was signed with the key it is about. */
  readonly isSigned: boolean;
}

const requestBlockType = 'CERTIFICATE REQUEST';

/** Undefined when the bytes are no certificate request. */
export function parseCertificateRequest(pem: string): CertificateRequest | undefined {
  const [block] = pemBlocks(pem);
  return block?.type === requestBlockType ? parseRequestBytes(block.bytes) : undefined;
}

/** The same without PEM around it. */
export function parseRequestBytes(der: Buffer): CertificateRequest | undefined {
  try {
    return readRequest(der);
  } catch {
    // whatever is wrong with it: it is none
    return undefined;
  }
}

function readRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature] = sequenceOf(readElement(der));
  const [, subject, key] = sequenceOf(info);
  if (info === undefined || key === undefined || signature?.tag !== tags.bits)
    throw new MalformedDer('a part is missing');
  const publicKey = createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
  const attributes = namesOf(subject);
  const valuesOf = (oid: string) => attributes.filter((one) => one.oid === oid).map(({ value }) => value);
  return {
    commonName: valuesOf('2.5.4.3').at(-1) ?? '',
    organizations: valuesOf('2.5.4.10'),
    publicKey,
    isSigned: isSignedWith(publicKey, oidOf(sequenceOf(algorithm)[0]), info.whole, signature.content.subarray(1)),
  };
}

/** Attributes of a distinguished name, in their order. */
function namesOf(subject: Element | undefined): readonly { oid: string; value: string }[] {
  return sequenceOf(subject)
    .flatMap(({ content }) => elementsOf(content))
    .map((attribute) => {
      const [type, value] = sequenceOf(attribute);
      return { oid: oidOf(type), value: value?.content.toString('utf8') ?? '' };
    });
}

interface SignatureForm {
  readonly hash: string | null;
  readonly pss?: true;
}

/** Algorithms that are still trusted, by their identifiers. */
const algorithms: Readonly<Record<string, readonly SignatureForm[]>> = {
  '1.2.840.113549.1.1.11': [{ hash: 'sha256' }],
  '1.2.840.113549.1.1.12': [{ hash: 'sha384' }],
  '1.2.840.113549.1.1.13': [{ hash: 'sha512' }],
  '1.2.840.113549.1.1.10': ['sha256', 'sha384', 'sha512'].map((hash) => ({ hash, pss: true })),
  '1.2.840.10045.4.3.2': [{ hash: 'sha256' }],
  '1.2.840.10045.4.3.3': [{ hash: 'sha384' }],
  '1.2.840.10045.4.3.4': [{ hash: 'sha512' }],
  '1.3.101.112': [{ hash: null }],
};

function isSignedWith(key: KeyObject, algorithm: string, data: Buffer, signature: Buffer): boolean {
  const forms = Object.hasOwn(algorithms, algorithm) ? (algorithms[algorithm] ?? []) : [];
  return forms.some(({ hash, pss }) => {
    const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
    return verify(hash, data, { key, ...padding }, signature);
  });
}
