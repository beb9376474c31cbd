// Certificate requests (PKCS#10): the one place that reads them, for validation, admission, approval and signing,
// so that all of them see the same names. Reads as Go does, whose words clients know, and refuses more: see
// docs/decisions/0012-own-request-reader.md.

import type { KeyObject } from 'node:crypto';
import { type AlternativeNames, noNames, readAlternativeNames } from './alternative-names.ts';
import {
  booleanOf,
  contentOf,
  type Element,
  elementsOf,
  MalformedDer,
  oidOf,
  readElement,
  sequenceOf,
  smallIntegerOf,
  TruncatedDer,
  tags,
  wholeBitsOf,
} from './der.ts';
import { readSubject, type Subject } from './distinguished-name.ts';
import { pemBlocks } from './pem.ts';
import { readPublicKey } from './public-key.ts';
import { type Signed, signatureProblem } from './signatures.ts';
import { UnusableRequest } from './unusable-request.ts';

export interface CertificateRequest {
  readonly subject: Subject;
  /** Other extensions than these are left out of certificates, so they are not kept. */
  readonly names: AlternativeNames;
  /** Undefined for a key of an unknown kind, which cannot have signed anything. */
  readonly publicKey: KeyObject | undefined;
  /** Why the request is not signed with the key it is about; undefined when it is. */
  signatureProblem(): string | undefined;
}

const requestBlockType = 'CERTIFICATE REQUEST';

/** The most bytes of a request; TLS peers take no larger certificates. */
const maxRequestBytes = 100 * 1024;
/** The most characters of a name (X.520). */
const maxNameLength = 32_768;

/** Reads `spec.request` of a signing request. Throws an UnusableRequest that says what is wrong. */
export function parseCertificateRequest(encoded: string): CertificateRequest {
  const [block] = pemBlocks(Buffer.from(encoded, 'base64').toString('latin1'));
  if (block?.type !== requestBlockType) throw new UnusableRequest(`PEM block type must be ${requestBlockType}`);
  return parseRequestBytes(block.bytes);
}

/** The same without base64 and PEM around it. */
export function parseRequestBytes(der: Buffer): CertificateRequest {
  if (der.length > maxRequestBytes)
    throw new UnusableRequest(`the request has ${der.length} bytes, at most ${maxRequestBytes} are accepted`);
  return orUnusable('asn1: structure error', () => readRequest(der));
}

/** Anything else than bytes that are no DER is a mistake of ours, and is thrown as it is. */
function orUnusable<T>(about: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TruncatedDer)
      throw new UnusableRequest(`${about.replace('structure', 'syntax')}: ${error.message}`);
    if (error instanceof MalformedDer) throw new UnusableRequest(`${about}: ${error.message}`);
    throw error;
  }
}

function readRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature, ...more] = sequenceOf(wholeElement(der));
  if (info === undefined || more.length > 0) throw new MalformedDer('a request has three parts');
  const [version, subjectElement, key, attributes, ...others] = sequenceOf(info);
  if (version === undefined || key === undefined || attributes?.tag !== attributesTag || others.length > 0)
    throw new MalformedDer('what is signed has a version, a subject, a key and attributes');
  smallIntegerOf(version);
  const publicKey = readPublicKey(key);
  const subject = orUnusable('x509: invalid RDNSequence', () => readSubject(subjectElement));
  const names = namesIn(requestedExtensions(attributes));
  checkNames([...subject.values, ...names.hosts, ...names.emails, ...names.uris]);
  const signed = signedBy(algorithm, info, signature);
  return { subject, names, publicKey, signatureProblem: () => signatureProblem(publicKey, signed) };
}

function wholeElement(der: Buffer): Element {
  const element = readElement(der);
  if (element.rest.length > 0) throw new UnusableRequest('asn1: syntax error: trailing data');
  return element;
}

function signedBy(algorithm: Element | undefined, info: Element, signature: Element | undefined): Signed {
  return { algorithm: oidOf(sequenceOf(algorithm)[0]), data: info.whole, signature: wholeBitsOf(signature) };
}

/** Kubernetes signs names with a NUL in them. A program that ends its texts with NUL reads another, shorter name. */
function checkNames(names: readonly string[]): void {
  for (const name of names) {
    if (name.includes('\0')) throw new UnusableRequest('x509: a name contains a NUL character');
    if (name.length > maxNameLength)
      throw new UnusableRequest(`x509: a name is longer than ${maxNameLength} characters`);
  }
}

/** Context-specific 0. */
const attributesTag = 0xa0;
const ids = { extensionRequest: '1.2.840.113549.1.9.14', alternativeNames: '2.5.29.17' } as const;

/** Values by identifier. */
function requestedExtensions(attributes: Element): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const attribute of elementsOf(attributes.content)) {
    const [type, values] = sequenceOf(attribute);
    if (oidOf(type) !== ids.extensionRequest) continue;
    const [first] = elementsOf(contentOf(values, tags.set));
    for (const extension of sequenceOf(first)) addExtension(found, extension);
  }
  return found;
}

function addExtension(found: Map<string, Buffer>, extension: Element): void {
  const [type, second, third] = sequenceOf(extension);
  const id = oidOf(type);
  if (found.has(id)) throw new UnusableRequest('x509: certificate request contains duplicate requested extensions');
  const hasCritical = second?.tag === tags.boolean && [true, false].includes(booleanOf(second));
  found.set(id, contentOf(hasCritical ? third : second, tags.octets));
}

function namesIn(extensions: ReadonlyMap<string, Buffer>): AlternativeNames {
  const value = extensions.get(ids.alternativeNames);
  if (value === undefined) return noNames;
  return orUnusable('x509: invalid subject alternative names', () => readAlternativeNames(value));
}
