// Makes certificates: the server's CA, and the certificates it signs. Written by hand because a certificate library
// takes longer to load than the rest of the server; see docs/decisions/0004-own-certificates.md.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { type Element, onlyElement, sequenceOf } from '../codec/der.ts';
import {
  bits,
  boolean,
  type Der,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  set,
  time,
  tlv,
  utf8,
} from './der.ts';

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export type LeafRequest =
  | { readonly usage: 'server'; readonly commonName: string; readonly hosts: readonly string[] }
  | { readonly usage: 'client'; readonly commonName: string; readonly organizations: readonly string[] };

const day = 24 * 60 * 60 * 1000;
/** Clocks differ: certificates are valid from a little before they are made. */
const backdate = 60 * 60 * 1000;
const caDays = 3650;
const leafDays = 365;

const ids = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  rsaWithSha256: '1.2.840.113549.1.1.11',
} as const;

export function createAuthority(commonName: string, now: number): KeyPair {
  const { publicKey, privateKey } = newKeys();
  const subject = name({ commonName, organizations: [] });
  // bits: digitalSignature, keyCertSign, cRLSign
  const extensions = [
    extension(ids.basicConstraints, true, sequence(boolean(true))),
    extension(ids.keyUsage, true, bits(Uint8Array.of(0b1000_0110), 1)),
    extension(ids.subjectKeyIdentifier, false, octets(keyIdentifier(publicKey))),
  ];
  const certificate = issue({
    subject,
    issuer: subject,
    publicKey,
    signingKey: privateKey,
    days: caDays,
    now,
    extensions,
  });
  const authority = { certificate, privateKey: keyPem(privateKey) };
  signers.set(authority, { key: privateKey, subject });
  return authority;
}

/** What signing takes, read from the PEM of an authority once. */
interface Signer {
  readonly key: KeyObject;
  readonly subject: Der;
}

const signers = new WeakMap<KeyPair, Signer>();

function signerOf(authority: KeyPair): Signer {
  let signer = signers.get(authority);
  if (signer === undefined) {
    signer = { key: createPrivateKey(authority.privateKey), subject: subjectOf(authority.certificate) };
    signers.set(authority, signer);
  }
  return signer;
}

export function signLeaf(authority: KeyPair, request: LeafRequest, now: number): KeyPair {
  const { publicKey, privateKey } = newKeys();
  const signer = signerOf(authority);
  const certificate = issue({
    subject: name({
      commonName: request.commonName,
      organizations: request.usage === 'client' ? request.organizations : [],
    }),
    issuer: signer.subject,
    publicKey,
    signingKey: signer.key,
    days: leafDays,
    now,
    extensions: [
      extension(ids.basicConstraints, true, sequence()),
      extension(ids.keyUsage, true, bits(Uint8Array.of(0b1000_0000), 7)),
      extension(ids.extendedKeyUsage, false, sequence(oid(ids[request.usage]))),
      ...(request.usage === 'server' && request.hosts.length > 0 ? [alternativeNames(request.hosts)] : []),
    ],
  });
  return { certificate, privateKey: keyPem(privateKey) };
}

interface Issue {
  readonly subject: Der;
  readonly issuer: Der;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly days: number;
  readonly now: number;
  readonly extensions: readonly Der[];
}

function issue({ subject, issuer, publicKey, signingKey, days, now, extensions }: Issue): string {
  const algorithm = signatureAlgorithm(signingKey);
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serial()),
    algorithm,
    issuer,
    sequence(time(now - backdate), time(now + days * day)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  );
  return pem('CERTIFICATE', sequence(body, algorithm, bits(sign('sha256', body, signingKey))));
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Der {
  if (asymmetricKeyType === 'rsa') return sequence(oid(ids.rsaWithSha256), tlv(0x05));
  return sequence(oid(ids.ecdsaWithSha256));
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

function name({ commonName, organizations }: { commonName: string; organizations: readonly string[] }): Der {
  const part = (id: string, text: string) => set(sequence(oid(id), utf8(text)));
  return sequence(...organizations.map((o) => part(ids.organization, o)), part(ids.commonName, commonName));
}

/** The subject of a certificate as it stands there; chains are built by comparing these bytes. */
function subjectOf(certificate: string): Der {
  const [body] = sequenceOf(onlyElement(new X509Certificate(certificate).raw));
  // version, serial, algorithm, issuer, validity, subject
  return (sequenceOf(body)[5] as Element).whole;
}

export function extension(id: string, critical: boolean, value: Der): Der {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function alternativeNames(hosts: readonly string[]): Der {
  const names = hosts.map((host) => (isAddress(host) ? implicit(7, ipBytes(host)) : implicit(2, Buffer.from(host))));
  return extension(ids.subjectAltName, false, sequence(...names));
}

/** Names have letters, addresses have none or colons. */
export const isAddress = (host: string) => host.includes(':') || /^[\d.]+$/.test(host);

function ipBytes(address: string): Uint8Array {
  if (!address.includes(':')) return Uint8Array.from(address.split('.').map(Number));
  const [left = [], right = []] = address.split('::').map(groupsOf);
  const zeros = new Array<number>(8 - left.length - right.length).fill(0);
  return Uint8Array.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 255]));
}

/** Groups of an IPv6 address; an IPv4 address at its end makes two. */
function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function keyIdentifier(publicKey: KeyObject): Uint8Array {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

/** Positive and not zero, as the standard asks. */
function serial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return bytes;
}

export function pem(label: string, der: Der): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

const keyPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/** Whether a key belongs to a certificate. */
export function belongsTogether({ certificate, privateKey }: KeyPair): boolean {
  const key = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' });
  return new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }).equals(key);
}
