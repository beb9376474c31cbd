// Issues a certificate for a certificate request, with the fields, extensions and order that kube-controller-manager
// gives them. Of the request only the key, the names and known parts of the subject are taken over.

import { createPrivateKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { AlternativeNames } from '../codec/alternative-names.ts';
import { contentOf, type Element, elementsOf, oidOf, onlyElement, sequenceOf, tags } from '../codec/der.ts';
import type { Subject } from '../codec/distinguished-name.ts';
import type { CertificateRequest } from '../codec/pkcs10.ts';
import { encodeUsages } from './certificate-usages.ts';
import { extension, type KeyPair, pem } from './certificates.ts';
import { bits, type Der, explicit, implicit, integer, oid, sequence, set, time, tlv, utf8 } from './der.ts';

/** What of a CA is needed to sign in its name. */
export interface SigningAuthority {
  readonly key: KeyObject;
  readonly subject: Der;
  /** In milliseconds since the epoch. */
  readonly notAfter: number;
  readonly keyIdentifier: Buffer | undefined;
  /** The certificate is one that must not sign. Certificates of X.509 v1 have no extensions that could say so. */
  readonly isLeaf: boolean;
}

interface CertificateTerms {
  readonly usages: readonly string[];
  readonly lifetimeMs: number;
  readonly now: number;
}

const minute = 60_000;
/** Clocks differ: certificates are valid from a little before they are made. */
const backdateMs = 5 * minute;
/** Certificates with a shorter life end at the requested time; others earlier by the backdating. */
const shortMs = 480 * minute;

const ids = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  commonName: '2.5.4.3',
  serialNumber: '2.5.4.5',
} as const;

/** Throws unless the key belongs to the certificate. */
export function readAuthority({ certificate, privateKey }: KeyPair): SigningAuthority {
  const parsed = new X509Certificate(certificate);
  const key = createPrivateKey(privateKey);
  if (!parsed.checkPrivateKey(key)) throw new Error('the key does not belong to the certificate');
  signatureForm(key);
  const [body] = sequenceOf(onlyElement(parsed.raw));
  const all = sequenceOf(body);
  const isFirstVersion = all[0]?.tag !== versionTag;
  const fields = isFirstVersion ? all : all.slice(1);
  return {
    key,
    isLeaf: !isFirstVersion && !parsed.ca,
    // serial, algorithm, issuer, validity, subject
    subject: (fields[4] as Element).whole,
    notAfter: Date.parse(parsed.validTo),
    keyIdentifier: keyIdentifierIn(fields.find(({ tag }) => tag === extensionsTag)),
  };
}

/** Context-specific 0: the version, which certificates of the first version do not have. */
const versionTag = 0xa0;
/** Context-specific 3. */
const extensionsTag = 0xa3;

function keyIdentifierIn(wrapped: Element | undefined): Buffer | undefined {
  if (wrapped === undefined) return undefined;
  const requestedExtensions = sequenceOf(onlyElement(wrapped.content))
    .map((one) => elementsOf(one.content))
    .find(([id]) => oidOf(id) === ids.subjectKeyIdentifier);
  return requestedExtensions === undefined
    ? undefined
    : contentOf(onlyElement(contentOf(requestedExtensions.at(-1), tags.octets)), tags.octets);
}

/** The certificate in PEM. The signature is made on another thread. */
export async function issueCertificate(
  authority: SigningAuthority,
  request: CertificateRequest,
  terms: CertificateTerms,
): Promise<string> {
  const problem = request.publicKey === undefined ? 'the key is of no known kind' : request.signatureProblem();
  if (problem !== undefined) throw new Error(`unable to verify certificate request signature: ${problem}`);
  const { hash, algorithm } = signatureForm(authority.key);
  const body = certificateBody(authority, request, terms, algorithm);
  return pem('CERTIFICATE', sequence(body, algorithm, bits(await signature(hash, body, authority.key))));
}

function signature(hash: string | null, data: Buffer, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(hash, data, key, (error, made) => (error === null ? resolve(made) : reject(error)));
  });
}

function certificateBody(
  authority: SigningAuthority,
  { subject, names, publicKey }: CertificateRequest,
  terms: CertificateTerms,
  algorithm: Der,
): Der {
  const subjectBytes = encodeSubject(subject);
  const { notBefore, notAfter } = validity(authority, terms);
  return sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serial()),
    algorithm,
    authority.subject,
    sequence(time(notBefore), time(notAfter)),
    subjectBytes,
    (publicKey as KeyObject).export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensionsOf(authority, subjectBytes, names, terms.usages))),
  );
}

/** No certificate outlives the one that signs it. */
function validity({ notAfter: end }: SigningAuthority, { lifetimeMs, now }: CertificateTerms) {
  if (now >= end) throw new Error(`the signer has expired: NotAfter=${new Date(end).toISOString()}`);
  const requestedEnd = now + lifetimeMs - (lifetimeMs < shortMs ? 0 : backdateMs);
  return { notBefore: now - backdateMs, notAfter: Math.min(requestedEnd, end) };
}

/** A number below 2^128, as short as it can be. */
function serial(): Uint8Array {
  const bytes = randomBytes(16);
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.subarray(15) : bytes.subarray(first);
}

function extensionsOf(
  { subject: issuer, keyIdentifier }: SigningAuthority,
  subject: Der,
  names: AlternativeNames,
  usages: readonly string[],
): readonly Der[] {
  const { keyUsage, extendedKeyUsage } = encodeUsages(usages);
  const others = encodeNames(names);
  const isKnown = keyIdentifier !== undefined && !issuer.equals(subject);
  return [
    ...(keyUsage === undefined ? [] : [extension(ids.keyUsage, true, keyUsage)]),
    ...(extendedKeyUsage === undefined ? [] : [extension(ids.extendedKeyUsage, false, extendedKeyUsage)]),
    extension(ids.basicConstraints, true, sequence()),
    ...(isKnown ? [extension(ids.authorityKeyIdentifier, false, sequence(implicit(0, keyIdentifier)))] : []),
    ...(others === undefined ? [] : [extension(ids.alternativeNames, subject.equals(sequence()), others)]),
  ];
}

function encodeNames({ hosts, emails, addresses, uris }: AlternativeNames): Der | undefined {
  const all = [
    ...hosts.map((host) => implicit(2, Buffer.from(host))),
    ...emails.map((email) => implicit(1, Buffer.from(email))),
    ...addresses.map((address) => implicit(7, address)),
    ...uris.map((uri) => implicit(6, Buffer.from(uri))),
  ];
  return all.length === 0 ? undefined : sequence(...all);
}

/** Country, state, place, street, postal code, organization, unit: in this order, all values of one together. */
const severalValues = ['2.5.4.6', '2.5.4.8', '2.5.4.7', '2.5.4.9', '2.5.4.17', '2.5.4.10', '2.5.4.11'];

/** Attributes that are not known here are left out. */
function encodeSubject(subject: Subject): Der {
  const last = (id: string) =>
    subject
      .valuesOf(id)
      .slice(-1)
      .filter((value) => value !== '');
  const all = [
    ...severalValues.map((id) => ({ id, values: subject.valuesOf(id) })),
    ...[ids.commonName, ids.serialNumber].map((id) => ({ id, values: last(id) })),
  ];
  return sequence(...all.filter(({ values }) => values.length > 0).map(encodeAttribute));
}

function encodeAttribute({ id, values }: { readonly id: string; readonly values: readonly string[] }): Der {
  // a set has its parts in the order of their bytes
  return set(...values.map((value) => sequence(oid(id), printableOrUtf8(value))).sort(Buffer.compare));
}

function printableOrUtf8(value: string): Der {
  return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value) ? tlv(0x13, Buffer.from(value)) : utf8(value);
}

const hashOfCurve: Readonly<Record<string, string>> = {
  secp224r1: 'sha256',
  prime256v1: 'sha256',
  secp384r1: 'sha384',
  secp521r1: 'sha512',
};
const ecdsaWith: Readonly<Record<string, number>> = { sha256: 2, sha384: 3, sha512: 4 };

/** Throws for a key that signs no certificates. */
function signatureForm({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): {
  readonly hash: string | null;
  readonly algorithm: Der;
} {
  if (type === 'rsa') return { hash: 'sha256', algorithm: sequence(oid('1.2.840.113549.1.1.11'), tlv(0x05)) };
  if (type === 'ed25519') return { hash: null, algorithm: sequence(oid('1.3.101.112')) };
  const hash = type === 'ec' ? hashOfCurve[details?.namedCurve ?? ''] : undefined;
  if (hash === undefined) throw new Error('keys that sign certificates are RSA, ECDSA or Ed25519');
  return { hash, algorithm: sequence(oid(`1.2.840.10045.4.3.${ecdsaWith[hash]}`)) };
}
