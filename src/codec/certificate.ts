// Certificates (X.509): what has to be known of one to decide whether it may vouch for another.

import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  booleanOf,
  contentOf,
  type Element,
  elementsOf,
  MalformedDer,
  oidOf,
  onlyElement,
  readElement,
  sequenceOf,
  smallIntegerOf,
  tags,
  timeOf,
  wholeBitsOf,
} from './der.ts';
import { readSubject, type Subject } from './distinguished-name.ts';
import type { Signed } from './signatures.ts';

export interface Certificate extends Extensions {
  readonly raw: Buffer;
  /** 1 for certificates from before there were extensions. */
  readonly version: number;
  readonly subject: Subject;
  /** Names as they stand there: chains are built by comparing these bytes. */
  readonly subjectBytes: Buffer;
  readonly issuerBytes: Buffer;
  /** First and last moment, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly keyBytes: Buffer;
  readonly signed: Signed;
  /** Throws for a key of an unknown kind. */
  publicKey(): KeyObject;
}

interface Extensions {
  readonly basicConstraints?: { readonly isAuthority: boolean; readonly pathLength?: number };
  /** Undefined where the certificate does not say. */
  readonly maySignCertificates?: boolean;
  /** Purposes by their identifiers; undefined for any. */
  readonly purposes?: readonly string[];
  readonly hasAlternativeNames: boolean;
  /** `names` speaks of alternative names only; `unknown` of anything else. */
  readonly nameConstraints?: 'names' | 'unknown';
  /** There is an extension that has to be understood and is not. */
  readonly demandsUnknown: boolean;
}

/** Throws for bytes that are no certificate, or one that says the same thing twice. */
export function readCertificate(raw: Buffer): Certificate {
  const [body, algorithm, signature] = sequenceOf(onlyElement(raw));
  if (body === undefined || algorithm === undefined) throw new MalformedDer('a part is missing');
  const fields = [...sequenceOf(body)];
  const version = fields[0]?.tag === explicit(0) ? versionOf(fields.shift() as Element) : 1;
  const [, innerAlgorithm, issuer, validity, subject, key, ...more] = fields;
  if (issuer === undefined || subject === undefined || key === undefined) throw new MalformedDer('a part is missing');
  if (innerAlgorithm?.whole.equals(algorithm.whole) !== true)
    throw new MalformedDer('two algorithms for one signature');
  const [from, until] = sequenceOf(validity);
  let publicKey: KeyObject | undefined;
  return {
    ...readExtensions(more.find(({ tag }) => tag === explicit(3))),
    ...{ raw, version, subject: readSubject(subject), subjectBytes: subject.whole, issuerBytes: issuer.whole },
    ...{ notBefore: timeOf(from), notAfter: timeOf(until), keyBytes: key.whole },
    signed: { algorithm: oidOf(sequenceOf(algorithm)[0]), data: body.whole, signature: wholeBitsOf(signature) },
    publicKey() {
      publicKey ??= createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
      return publicKey;
    },
  };
}

const explicit = (number: number) => 0xa0 + number;

const versionOf = (element: Element) => smallIntegerOf(onlyElement(element.content)) + 1;

const ids = {
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  policies: '2.5.29.32',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** Policies restrict nothing here: no purpose of ours asks for one. */
const knownExtensions: ReadonlySet<string> = new Set(Object.values(ids));

interface Extension {
  readonly isCritical: boolean;
  readonly value: Buffer;
}

function readExtensions(wrapped: Element | undefined): Extensions {
  const found = wrapped === undefined ? new Map<string, Extension>() : extensionsIn(wrapped);
  const read = <T>(id: string, reader: (value: Buffer) => T): T | undefined => {
    const extension = found.get(id);
    return extension === undefined ? undefined : reader(extension.value);
  };
  const known = {
    basicConstraints: read(ids.basicConstraints, readBasicConstraints),
    maySignCertificates: read(ids.keyUsage, readCertificateSign),
    purposes: read(ids.extendedKeyUsage, (value) => sequenceOf(onlyElement(value)).map(oidOf)),
    nameConstraints: read(ids.nameConstraints, readNameConstraints),
  };
  return {
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<Extensions>),
    hasAlternativeNames: found.has(ids.alternativeNames),
    demandsUnknown: [...found].some(([id, { isCritical }]) => isCritical && !knownExtensions.has(id)),
  };
}

function extensionsIn(wrapped: Element): Map<string, Extension> {
  const found = new Map<string, Extension>();
  for (const element of sequenceOf(onlyElement(wrapped.content))) {
    const [type, second, third] = sequenceOf(element);
    const id = oidOf(type);
    if (found.has(id)) throw new MalformedDer('an extension is there twice');
    const isCritical = second?.tag === tags.boolean && booleanOf(second);
    found.set(id, { isCritical, value: contentOf(second?.tag === tags.boolean ? third : second, tags.octets) });
  }
  return found;
}

function readBasicConstraints(value: Buffer): NonNullable<Extensions['basicConstraints']> {
  const fields = [...sequenceOf(onlyElement(value))];
  const isAuthority = fields[0]?.tag === tags.boolean ? booleanOf(fields.shift() as Element) : false;
  const [length] = fields;
  return { isAuthority, ...(length === undefined ? {} : { pathLength: smallIntegerOf(length) }) };
}

/** Bits count from the left; the sixth is that for certificates. */
function readCertificateSign(value: Buffer): boolean {
  const [, first = 0] = contentOf(onlyElement(value), tags.bits);
  return (first & 0b0000_0100) !== 0;
}

/** Mail, host, URI and address: kinds of alternative names, by their tags. */
const kindsOfNames = new Set([0x81, 0x82, 0x86, 0x87]);

function readNameConstraints(value: Buffer): 'names' | 'unknown' {
  const subtrees = sequenceOf(onlyElement(value)).flatMap(({ content }) => elementsOf(content));
  const kinds = subtrees.map((subtree) => readElement(contentOf(subtree, tags.sequence)).tag);
  return kinds.length > 0 && kinds.every((kind) => kindsOfNames.has(kind)) ? 'names' : 'unknown';
}
