// Makes certificate requests for tests, honest ones and others.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
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
  tlv,
  utf8,
} from '../pki/der.ts';

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface RequestParts {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  /** Attributes of the subject in DER, instead of the names above. */
  readonly subject?: Der;
  readonly hosts?: readonly string[];
  readonly addresses?: readonly Uint8Array[];
  readonly emails?: readonly string[];
  readonly uris?: readonly string[];
  /** Further extensions in DER. */
  readonly extensions?: readonly Der[];
  readonly keys?: Keys;
  /** The key in DER, instead of that of `keys`. */
  readonly key?: Uint8Array;
  readonly hash?: string;
  /** Identifier of the signature's algorithm in DER. */
  readonly algorithm?: Der;
  /** Changes the bytes after they were signed. */
  readonly damage?: (der: Buffer) => Buffer;
}

export const ellipticKeys = (namedCurve = 'P-256'): Keys => generateKeyPairSync('ec', { namedCurve });

const ids = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  alternativeNames: '2.5.29.17',
  extensionRequest: '1.2.840.113549.1.9.14',
} as const;

export const attribute = (id: string, value: Der): Der => set(sequence(oid(id), value));

export function extension(id: string, value: Uint8Array, isCritical = false): Der {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));
}

export function alternativeNames({ hosts = [], emails = [], addresses = [], uris = [] }: RequestParts): Der {
  return sequence(
    ...hosts.map((host) => implicit(2, Buffer.from(host))),
    ...emails.map((email) => implicit(1, Buffer.from(email))),
    ...addresses.map((address) => implicit(7, address)),
    ...uris.map((uri) => implicit(6, Buffer.from(uri))),
  );
}

function subjectOf({ commonName = 'jane', organizations = [], subject }: RequestParts): Der {
  if (subject !== undefined) return subject;
  const parts = organizations.map((name) => attribute(ids.organization, utf8(name)));
  return sequence(...parts, attribute(ids.commonName, utf8(commonName)));
}

function extensionsOf(parts: RequestParts): readonly Der[] {
  const { hosts = [], emails = [], addresses = [], uris = [], extensions = [] } = parts;
  const hasNames = hosts.length + emails.length + addresses.length + uris.length > 0;
  return [...(hasNames ? [extension(ids.alternativeNames, alternativeNames(parts))] : []), ...extensions];
}

const rsaWith: Readonly<Record<string, string>> = {
  md5: '1.2.840.113549.1.1.4',
  sha1: '1.2.840.113549.1.1.5',
  sha256: '1.2.840.113549.1.1.11',
};
const ecdsaWith: Readonly<Record<string, string>> = {
  sha1: '1.2.840.10045.4.1',
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
};

function algorithmOf({ asymmetricKeyType: type }: KeyObject, hash: string): Der {
  if (type === 'rsa') return sequence(oid(rsaWith[hash] as string), tlv(0x05));
  if (type === 'ec') return sequence(oid(ecdsaWith[hash] as string));
  return sequence(oid(type === 'ed25519' ? '1.3.101.112' : '2.16.840.1.101.3.4.3.2'));
}

export function requestDer(parts: RequestParts = {}): Buffer {
  const { keys = ellipticKeys(), key, hash = 'sha256', damage = (der) => der } = parts;
  const extensions = extensionsOf(parts);
  const requestedExtensions =
    extensions.length === 0 ? [] : [sequence(oid(ids.extensionRequest), set(sequence(...extensions)))];
  const info = sequence(
    integer(Uint8Array.of(0)),
    subjectOf(parts),
    key ?? keys.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(0, ...requestedExtensions),
  );
  const signature = sign(keys.privateKey.asymmetricKeyType === 'ed25519' ? null : hash, info, keys.privateKey);
  const algorithm = parts.algorithm ?? algorithmOf(keys.privateKey, hash);
  return damage(sequence(info, algorithm, bits(signature)));
}

export function requestPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** As `spec.request` has it. */
export const encodedRequest = (parts: RequestParts = {}): string =>
  Buffer.from(requestPem(requestDer(parts))).toString('base64');
