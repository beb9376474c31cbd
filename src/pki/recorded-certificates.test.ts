// Certificates as kube-controller-manager 1.36.4 issued them, recorded with the requests they are for: the same request
// gets the same certificate here, field by field and byte by byte, except for the number and the signature.

import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Element, elementsOf, oidOf, onlyElement, sequenceOf, timeOf } from '../codec/der.ts';
import { parseCertificateRequest } from '../codec/pkcs10.ts';
import { issueCertificate, type SigningAuthority } from './issue-certificate.ts';

interface Recorded {
  readonly authority: 'rsa' | 'ec';
  readonly signer: string;
  readonly key: string;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
  readonly created: string;
  readonly request: string;
  readonly certificate: string;
}

const recorded = JSON.parse(
  readFileSync(new URL('../../test/conformance/issued-certificates.json', import.meta.url), 'utf8'),
) as { readonly authorities: Readonly<Record<string, string>>; readonly certificates: readonly Recorded[] };

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

/** Bodies of certificates: number, algorithm, issuer, validity, subject, key and extensions, after their version. */
function bodyOf(pem: string): readonly Element[] {
  const [body] = sequenceOf(onlyElement(new X509Certificate(pem).raw));
  return sequenceOf(body);
}

const hex = (element: Element | undefined) => element?.whole.toString('hex') ?? '';

function fieldsOf(pem: string) {
  const [version, , algorithm, issuer, validity, subject, key, wrapped] = bodyOf(pem);
  const extensions = sequenceOf(onlyElement(wrapped?.content ?? Buffer.alloc(0)));
  return {
    version: hex(version),
    algorithm: hex(algorithm),
    issuer: hex(issuer),
    validity: sequenceOf(validity).map((time) => new Date(timeOf(time)).toISOString()),
    validityBytes: hex(validity),
    subject: hex(subject),
    key: hex(key),
    extensions: extensions.map((one) => `${oidOf(elementsOf(one.content)[0])} ${hex(one)}`),
  };
}

const keys: Readonly<Record<string, KeyObject>> = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ec: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey,
};

/** The recorded CA with a key of the same kind: its own was thrown away. */
function authorityOf(name: string): SigningAuthority {
  const pem = recorded.authorities[name] ?? '';
  const [, , , , validity, subject, , wrapped] = bodyOf(pem);
  const identifier = sequenceOf(onlyElement(wrapped?.content ?? Buffer.alloc(0)))
    .map((one) => elementsOf(one.content))
    .find(([id]) => oidOf(id) === '2.5.29.14')
    ?.at(-1) as Element;
  return {
    key: keys[name] as KeyObject,
    subject: (subject as Element).whole,
    notAfter: timeOf(sequenceOf(validity)[1]),
    keyIdentifier: onlyElement(identifier.content).content,
    isLeaf: false,
  };
}

test.each(recorded.certificates)('$signer gives a key of $key what it has by a CA of $authority', async (one) => {
  const theirs = fieldsOf(one.certificate);
  const now = Date.parse(theirs.validity[0] ?? '') + 5 * minute;
  const lifetimeMs = one.expirationSeconds === undefined ? year : one.expirationSeconds * 1000;
  const request = parseCertificateRequest(Buffer.from(one.request).toString('base64'));
  const ours = await issueCertificate(authorityOf(one.authority), request, { usages: one.usages, lifetimeMs, now });
  expect(fieldsOf(ours)).toEqual(theirs);
  expect(Math.abs(now - Date.parse(one.created))).toBeLessThan(minute);
});

test('numbers are positive and below 2^128 in both', async () => {
  for (const { certificate } of recorded.certificates) {
    const [, number] = bodyOf(certificate);
    expect(number?.content.length).toBeLessThanOrEqual(17);
    expect((number?.content[0] ?? 0x80) & 0x80).toBe(0);
  }
});

test('keys are those of the requests', () => {
  for (const { key, certificate } of recorded.certificates) {
    const { asymmetricKeyType: type } = createPublicKey(certificate);
    expect(key.startsWith(type === 'ec' ? 'p' : (type ?? ''))).toBe(true);
  }
});
