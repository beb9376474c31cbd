// Certificates of every shape for tests, also those that no honest CA makes.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { KeyPair } from '../pki/certificates.ts';
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
} from '../pki/der.ts';

const day = 24 * 60 * 60 * 1000;

export interface Holder {
  readonly name: Der;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface Forged extends KeyPair {
  readonly der: Buffer;
}

/** An attribute of a name, as text or as DER of any type. */
type Attribute = readonly [id: string, value: string | Der];

export const attributes = { commonName: '2.5.4.3', organization: '2.5.4.10', uid: '1.3.6.1.4.1.57683.2' } as const;

/** A name: each list is one part of it, which has several attributes at once where the list has. */
export function nameOf(...parts: readonly (readonly Attribute[])[]): Der {
  const attribute = ([id, value]: Attribute) => sequence(oid(id), typeof value === 'string' ? utf8(value) : value);
  return sequence(...parts.map((part) => set(...part.map(attribute))));
}

const commonName = (text: string) => nameOf([[attributes.commonName, text]]);

export const personOf = (name: string, ...groups: string[]) =>
  nameOf(...groups.map((group) => [[attributes.organization, group] as const]), [[attributes.commonName, name]]);

export const newHolder = (name: Der | string): Holder => ({
  name: typeof name === 'string' ? commonName(name) : name,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});

export interface ForgeOptions {
  readonly from?: number;
  readonly until?: number;
  readonly extensions?: readonly Der[];
  /** 3 where the certificate has extensions. */
  readonly version?: 1 | 3;
  readonly hash?: 'sha1' | 'sha256';
}

const hashes = { sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2' } as const;

export function forge(holder: Holder, issuer: Holder, options: ForgeOptions = {}): Forged {
  const { from = Date.now() - day, until = Date.now() + day, extensions = [], version = 3, hash = 'sha256' } = options;
  const algorithm = sequence(oid(hashes[hash]));
  const body = sequence(
    ...(version === 3 ? [explicit(0, integer(Uint8Array.of(2)))] : []),
    integer(Uint8Array.of(7)),
    algorithm,
    issuer.name,
    sequence(time(from), time(until)),
    holder.name,
    holder.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [explicit(3, sequence(...extensions))]),
  );
  const der = sequence(body, algorithm, bits(sign(hash, body, issuer.privateKey)));
  const privateKey = holder.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { der, certificate: pem(der), privateKey };
}

const sha256WithRsa = sequence(oid('1.2.840.113549.1.1.11'), tlv(0x05));

/** An odd number of the given length, equal in each run, with all of its bits in use but the first. */
function numberOf(bytes: number, seed: string): Buffer {
  const blocks = Array.from({ length: bytes / 32 }, (_, i) => createHash('sha256').update(`${seed} ${i}`).digest());
  const number = Buffer.concat(blocks);
  number[0] = 0x7f;
  number[bytes - 1] = (number[bytes - 1] as number) | 1;
  return number;
}

/**
 * A client's certificate, then those of CAs, each seemingly signed by the next. Their keys are made so that every one of
 * these signatures takes long to check: an exponent as large as the modulus, the largest that OpenSSL accepts.
 */
export function costlyChain(length: number): KeyPair {
  const bytes = 3072 / 8;
  const [client, exponent] = [newHolder('costly'), numberOf(bytes, 'exponent')];
  const keyOf = (index: number): Der => {
    const modulus = numberOf(bytes, `modulus ${index}`);
    modulus[0] = 0xff;
    return sequence(
      sequence(oid('1.2.840.113549.1.1.1'), tlv(0x05)),
      bits(sequence(integer(modulus), integer(exponent))),
    );
  };
  const certificateOf = (index: number): Buffer => {
    const [from, until] = [Date.now() - day, Date.now() + day];
    const body = sequence(
      ...[explicit(0, integer(Uint8Array.of(2))), integer(Uint8Array.of(7)), sha256WithRsa],
      ...[commonName(`costly ${index + 1}`), sequence(time(from), time(until)), commonName(`costly ${index}`)],
      index === 0 ? client.publicKey.export({ type: 'spki', format: 'der' }) : keyOf(index),
      explicit(3, sequence(isAuthority(), signsCertificates)),
    );
    return sequence(body, sha256WithRsa, bits(numberOf(bytes, `signature ${index}`)));
  };
  const ders = Array.from({ length }, (_, index) => certificateOf(index));
  const privateKey = client.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificate: ders.map(pem).join(''), privateKey };
}

const pem = (der: Buffer) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

export const extension = (id: string, critical: boolean, value: Der): Der =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));

export const isAuthority = (pathLength?: number) =>
  extension(
    '2.5.29.19',
    true,
    sequence(boolean(true), ...(pathLength === undefined ? [] : [integer(Uint8Array.of(pathLength))])),
  );

export const signsCertificates = extension('2.5.29.15', true, bits(Uint8Array.of(0b0000_0100), 2));
export const signsData = extension('2.5.29.15', true, bits(Uint8Array.of(0b1000_0000), 7));

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2', any: '2.5.29.37.0' } as const;
export const purpose = (...kinds: (keyof typeof purposes)[]) =>
  extension('2.5.29.37', false, sequence(...kinds.map((kind) => oid(purposes[kind]))));

export const hostName = (host: string) => extension('2.5.29.17', false, sequence(implicit(2, Buffer.from(host))));

/** Only hosts of a domain. */
export const onlyHosts = (domain: string, critical = true) =>
  extension('2.5.29.30', critical, sequence(explicit(0, sequence(implicit(2, Buffer.from(domain))))));

/** Only subjects below a name. */
export const onlySubjects = (name: Der, critical = true) =>
  extension('2.5.29.30', critical, sequence(explicit(0, sequence(explicit(4, name)))));

export const textOf = (tag: number, bytes: Uint8Array): Der => tlv(tag, bytes);
