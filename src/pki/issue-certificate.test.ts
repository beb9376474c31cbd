import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { contentOf, type Element, elementsOf, oidOf, onlyElement, sequenceOf, tags } from '../codec/der.ts';
import { parseRequestBytes } from '../codec/pkcs10.ts';
import { attribute, ellipticKeys, extension, type RequestParts, requestDer } from '../testing/certificate-requests.ts';
import { createAuthority, type KeyPair } from './certificates.ts';
import { boolean, oid, sequence, set, tlv, utf8 } from './der.ts';
import { issueCertificate, readAuthority, type SigningAuthority } from './issue-certificate.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const hour = 3_600_000;
const ca = createAuthority('the CA', now);
const authority = readAuthority(ca);
const clientUsages = ['digital signature', 'key encipherment', 'client auth'];

interface Asked extends RequestParts {
  readonly usages?: readonly string[];
  readonly lifetimeMs?: number;
  readonly by?: SigningAuthority;
}

async function issue({ usages = clientUsages, lifetimeMs = 24 * hour, by = authority, ...parts }: Asked = {}) {
  const pem = await issueCertificate(by, parseRequestBytes(requestDer(parts)), { usages, lifetimeMs, now });
  return new X509Certificate(pem);
}

const fieldsOf = ({ raw }: X509Certificate) => sequenceOf(sequenceOf(onlyElement(raw))[0]);

/** Identifier, criticality and value of each, in their order. */
function extensionsOf(certificate: X509Certificate): readonly string[] {
  const wrapped = fieldsOf(certificate).at(-1) as Element;
  return sequenceOf(onlyElement(wrapped.content)).map((one) => {
    const parts = elementsOf(one.content);
    const value = contentOf(parts.at(-1), tags.octets).toString('hex');
    return `${oidOf(parts[0])}${parts.length === 3 ? ' critical' : ''} ${value}`;
  });
}

const hex = (text: string) => Buffer.from(text).toString('hex');
const keyIdentifier = (authority.keyIdentifier as Buffer).toString('hex');

describe('a certificate has what kube-controller-manager gives it:', () => {
  test('extensions, their order and which are critical', async () => {
    const names = { hosts: ['n1.example'], emails: ['a@b'], addresses: [Buffer.of(10, 0, 0, 1)], uris: ['spiffe://x'] };
    expect(
      extensionsOf(await issue({ ...names, usages: ['server auth', 'client auth', 'digital signature'] })),
    ).toEqual([
      '2.5.29.15 critical 03020780',
      '2.5.29.37 301406082b0601050507030106082b06010505070302',
      '2.5.29.19 critical 3000',
      `2.5.29.35 30168014${keyIdentifier}`,
      // host, mail, address, URI
      `2.5.29.17 3023820a${hex('n1.example')}8103${hex('a@b')}87040a000001860a${hex('spiffe://x')}`,
    ]);
  });

  test('an issued certificate has only the requested names, and no extension of the request', async () => {
    const extensions = [
      extension('2.5.29.19', sequence(boolean(true)), true),
      extension('2.5.29.15', tlv(0x03, Uint8Array.of(1, 6)), true),
      extension('1.2.3.4', sequence(), true),
    ];
    const certificate = await issue({ extensions });
    expect(extensionsOf(certificate)).toEqual([
      '2.5.29.15 critical 030205a0',
      '2.5.29.37 300a06082b06010505070302',
      '2.5.29.19 critical 3000',
      `2.5.29.35 30168014${keyIdentifier}`,
    ]);
    expect(certificate.ca).toBe(false);
  });

  test.each<[readonly string[], string | undefined, string | undefined]>([
    [['any'], undefined, '30060604551d2500'],
    [['decipher only'], '0303070080', undefined],
    [['signing', 'digital signature', 'cert sign'], '03020284', undefined],
    [['s/mime', 'email protection', 'code signing'], undefined, '301406082b0601050507030306082b06010505070304'],
    [['netscape sgc', 'microsoft sgc'], undefined, '3017060a2b0601040182370a030306096086480186f8420401'],
  ])('usages %j', async (usages, keyUsage, purposes) => {
    const usageExtensions = extensionsOf(await issue({ usages })).filter((one) => /^2\.5\.29\.(15|37) /.test(one));
    expect(usageExtensions).toEqual([
      ...(keyUsage === undefined ? [] : [`2.5.29.15 critical ${keyUsage}`]),
      ...(purposes === undefined ? [] : [`2.5.29.37 ${purposes}`]),
    ]);
  });

  test('the known parts of the subject, in a fixed order and in the shortest type of text', async () => {
    const subject = sequence(
      attribute('2.5.4.3', utf8('first')),
      attribute('2.5.4.10', utf8('zebra')),
      attribute('1.2.840.113549.1.9.1', utf8('left out')),
      set(sequence(oid('2.5.4.10'), utf8('ab')), sequence(oid('2.5.4.11'), utf8('ü'))),
      attribute('2.5.4.6', utf8('DE')),
      attribute('2.5.4.5', utf8('7')),
      attribute('2.5.4.3', utf8('a*')),
    );
    const name = fieldsOf(await issue({ subject }))[5] as Element;
    const texts = sequenceOf(name).map((one) =>
      elementsOf(one.content).map((pair) => {
        const [id, value] = elementsOf(pair.content) as [Element, Element];
        return `${oidOf(id)} ${value.tag} ${value.content}`;
      }),
    );
    expect(texts).toEqual([
      ['2.5.4.6 19 DE'],
      ['2.5.4.10 19 ab', '2.5.4.10 19 zebra'],
      ['2.5.4.11 12 ü'],
      ['2.5.4.3 12 a*'],
      ['2.5.4.5 19 7'],
    ]);
  });

  test('critical alternative names where there is no subject', async () => {
    const certificate = await issue({ subject: sequence(), hosts: ['a'] });
    expect(extensionsOf(certificate).at(-1)).toBe('2.5.29.17 critical 3003820161');
  });

  test('version, issuer, a serial number of its own and the key that was sent', async () => {
    const keys = ellipticKeys('P-384');
    const [one, other] = [await issue({ keys }), await issue({ keys })];
    expect((fieldsOf(one)[0] as Element).content.toString('hex')).toBe('020102');
    expect(one.issuer).toBe('CN=the CA');
    expect(one.serialNumber).not.toBe(other.serialNumber);
    expect(one.serialNumber.length).toBeLessThanOrEqual(32);
    expect(one.publicKey.equals(keys.publicKey)).toBe(true);
    expect(one.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
  });
});

describe('a life', () => {
  test.each([
    ['of ten minutes', 600_000, '2030-01-01T00:10:00.000Z'],
    ['just below eight hours', 8 * hour - 1000, '2030-01-01T07:59:59.000Z'],
    ['of eight hours', 8 * hour, '2030-01-01T07:55:00.000Z'],
    ['of a year', 365 * 24 * hour, '2030-12-31T23:55:00.000Z'],
    ['longer than that of the CA', 100 * 365 * 24 * hour, new Date(authority.notAfter).toISOString()],
  ])('%s ends in time and begins five minutes ago', async (_, lifetimeMs, end) => {
    const { validFrom, validTo } = await issue({ lifetimeMs });
    expect(new Date(validFrom).toISOString()).toBe('2029-12-31T23:55:00.000Z');
    expect(new Date(validTo).toISOString()).toBe(end);
  });

  test('does not begin once the CA has ended', async () => {
    await expect(issue({ by: { ...authority, notAfter: now } })).rejects.toThrow(
      'the signer has expired: NotAfter=2030-01-01T00:00:00.000Z',
    );
  });
});

const selfMade = (keys: { privateKey: KeyObject }): SigningAuthority => ({ ...authority, key: keys.privateKey });

test.each([
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }), '1.2.840.113549.1.1.11'],
  ['P-256', ellipticKeys(), '1.2.840.10045.4.3.2'],
  ['P-384', ellipticKeys('P-384'), '1.2.840.10045.4.3.3'],
  ['P-521', ellipticKeys('P-521'), '1.2.840.10045.4.3.4'],
  ['Ed25519', generateKeyPairSync('ed25519'), '1.3.101.112'],
])('a CA with %s signs with the algorithm of its key', async (_, keys, algorithm) => {
  const certificate = await issue({ by: selfMade(keys) });
  expect(oidOf(sequenceOf(sequenceOf(onlyElement(certificate.raw))[1])[0])).toBe(algorithm);
  expect(certificate.verify(keys.publicKey)).toBe(true);
});

test('a request that another key signed is not issued', async () => {
  const keys = { ...ellipticKeys(), publicKey: ellipticKeys().publicKey };
  await expect(issue({ keys })).rejects.toThrow(
    'unable to verify certificate request signature: x509: ECDSA verification failure',
  );
});

test('usages that mean nothing are named', async () => {
  await expect(issue({ usages: ['constructor'] })).rejects.toThrow('unrecognized usage values: ["constructor"]');
});

test('a key of another certificate makes no CA', () => {
  const pair: KeyPair = { ...ca, privateKey: createAuthority('x', now).privateKey };
  expect(() => readAuthority(pair)).toThrow('the key does not belong to the certificate');
});
