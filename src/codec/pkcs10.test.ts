import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boolean, implicit, integer, oid, sequence, tlv, utf8 } from '../pki/der.ts';
import {
  alternativeNames,
  attribute,
  ellipticKeys,
  encodedRequest,
  extension,
  type RequestParts,
  requestDer,
  requestPem,
} from '../testing/certificate-requests.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { parseCertificateRequest, parseRequestBytes } from './pkcs10.ts';
import { UnusableRequest } from './unusable-request.ts';

// made with: openssl req -new -nodes -subj /O=devs/O=ops/CN=jane
const elliptic = `-----BEGIN CERTIFICATE REQUEST-----
MIHnMIGOAgEAMCwxDTALBgNVBAoMBGRldnMxDDAKBgNVBAoMA29wczENMAsGA1UE
AwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABILIGxIHB8P4IMyetX7z
RR0aOB5MWGkuWeY8mCirivPTnx901Xyzi2S2Afy1KMWc6GJlVp+RM9XlmNJHIY+G
paOgADAKBggqhkjOPQQDAgNIADBFAiEAgAccC+8zsYN33jVjrac+gJQTlZXk/IJM
Lqn+iZoe80oCIEV79eNCF4ysW4qag7lZf+alv6eisGQjmiicEdX1XnlG
-----END CERTIFICATE REQUEST-----
`;
// -newkey ed25519 -subj /CN=ed
const edwards = `-----BEGIN CERTIFICATE REQUEST-----
MIGMMEACAQAwDTELMAkGA1UEAwwCZWQwKjAFBgMrZXADIQCbtRtqRoKDmHLVRrCf
ZOsV4qWRPi6Kr6VwVm1p9uPUVaAAMAUGAytlcANBAFP+j9TRdOJk30etKU5ikBap
UJqKb732OU8hJFPGE6Eb2KAfdQfbfiw7mc+TrJ7l5ijvyRioPBGrFNcNQi77zwg=
-----END CERTIFICATE REQUEST-----
`;
// -newkey rsa:2048 -subj /O=system:masters/CN=root
const rsa = `-----BEGIN CERTIFICATE REQUEST-----
MIICbTCCAVUCAQAwKDEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxDTALBgNVBAMM
BHJvb3QwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCz9M6DSRrT+UPd
WXLfkgm7UjJ7tPq1V/uZfRsgmUJpYz2lVofzzwGHZCDdI7bzZKCQfVjQSh2mJdkh
WkM/RJ6+O7jKWadUWrmwmQsABJ78XT9R5C/pXDzG0BS0UsUwgOHq8TltE5niPAB2
Vr/8aP0P6Bbas4hibgjG4CNQ1qqi9PPS8orHiwZcIZALdkK/lZjJVqVyJLM0Gnj4
e5j+JJ7L1XOLkN8/BrAZEbTM8vOQZkUvnd9C2UspgfSYZcUizCENeLaCFWqzu197
M1FC9J23wo25Sbsr2od+V+9mnYy53dk8SQoSH6VYIcyoRmALMeMWlcpMK1Ma1PCm
eYKf7xzdAgMBAAGgADANBgkqhkiG9w0BAQsFAAOCAQEAd9O2htD7K812/EN0WZjy
7Vnv04wTzY4gDloAM+9y2nMiS7SS2TdzaIMjtxdigFgHAJEGDIlG6RNqaz0wYVp5
H82PQIKcnBHigEtbyAqlZQEiAxfbO35CY0CkXLqFHFFUUTvzdS6aKGWvevHN8u4G
SnbE9gppCI2wzoDKRk6ZVF+MGKeGQiJ5U9Eo1M+Zr4jKQsAISMfKd08ODOYj7dJi
dpmKNh/80xoFH5fNsxPE9mw/LOzSPkQI8gpW9oHmlldzAjGh0hA3Uuw8iZ8e94o8
thx2m8tkc8bbVxKxorM6M9Gew98sg4DarmrB/ZfqAwTtdU5+gucgSP/ICQ3lBghS
PA==
-----END CERTIFICATE REQUEST-----
`;

const encoded = (pem: string) => Buffer.from(pem).toString('base64');

/** Why a request is refused, or nothing. */
function problemOf(request: string): string | undefined {
  try {
    return parseCertificateRequest(request).signatureProblem();
  } catch (error) {
    if (error instanceof UnusableRequest) return error.message;
    throw error;
  }
}

describe('a certificate request', () => {
  test.each([
    [elliptic, 'jane', ['devs', 'ops'], 'ec'],
    [edwards, 'ed', [], 'ed25519'],
    [rsa, 'root', ['system:masters'], 'rsa'],
  ])('%#: made by OpenSSL says who it is for and is signed with its key', (pem, commonName, organizations, type) => {
    const { subject, publicKey, names, signatureProblem } = parseCertificateRequest(encoded(pem));
    expect(subject).toMatchObject({ commonName, organizations });
    expect(names).toEqual({ hosts: [], emails: [], addresses: [], uris: [] });
    expect(publicKey?.asymmetricKeyType).toBe(type);
    expect(signatureProblem()).toBeUndefined();
  });

  test('says what other names it is for, each kind by itself', () => {
    const addresses = [Buffer.of(10, 0, 0, 1), Buffer.from('fd000000000000000000000000000001', 'hex')];
    const asked = { hosts: ['a.example', 'b'], emails: ['x@y'], addresses, uris: ['spiffe://a/b'] };
    expect(parseRequestBytes(requestDer(asked)).names).toEqual(asked);
  });

  test('names in a part that is not the first value of the attribute do not count', () => {
    expect(parseRequestBytes(requestDer({ extensions: [extension('1.2.3', sequence(), true)] })).names.hosts).toEqual(
      [],
    );
  });
});

const rsaKeys = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });
const rsaInfo = (modulus: Uint8Array, exponent: Uint8Array, parameters = tlv(0x05)) =>
  sequence(
    sequence(oid('1.2.840.113549.1.1.1'), parameters),
    tlv(0x03, Uint8Array.of(0), sequence(integer(modulus), integer(exponent))),
  );
const modulus = Buffer.alloc(256, 0xab);
const pointOf = (bytes: Uint8Array, curve = '1.2.840.10045.3.1.7') =>
  sequence(sequence(oid('1.2.840.10045.2.1'), oid(curve)), tlv(0x03, Uint8Array.of(0), bytes));
const common = (value: Buffer) => sequence(attribute('2.5.4.3', value));
const sameTwice = extension('1.2.3.4', sequence());

describe('a hostile certificate request is refused by a clear message:', () => {
  test.each<[string, RequestParts, string]>([
    [
      'bytes after the end',
      { damage: (der) => Buffer.concat([der, Buffer.of(0)]) },
      'asn1: syntax error: trailing data',
    ],
    [
      'a signature by another key',
      { keys: { ...ellipticKeys(), publicKey: ellipticKeys().publicKey } },
      'x509: ECDSA verification failure',
    ],
    [
      'RSA of 512 bits',
      { keys: rsaKeys(512) },
      'crypto/rsa: 512-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)',
    ],
    [
      'an RSA exponent of one',
      { key: rsaInfo(modulus, Uint8Array.of(1)), keys: rsaKeys(1024) },
      'crypto/rsa: public exponent too small or negative',
    ],
    [
      'an even RSA exponent',
      { key: rsaInfo(modulus, Uint8Array.of(4)), keys: rsaKeys(1024) },
      'crypto/rsa: public exponent is even',
    ],
    [
      'a large RSA exponent',
      { key: rsaInfo(modulus, Buffer.alloc(5, 1)), keys: rsaKeys(1024) },
      'crypto/rsa: public exponent too large',
    ],
    [
      'a huge RSA exponent',
      { key: rsaInfo(modulus, Buffer.alloc(200, 1)), keys: rsaKeys(1024) },
      'x509: invalid RSA public exponent',
    ],
    [
      'a huge RSA modulus',
      { key: rsaInfo(Buffer.alloc(2048, 0xab), Uint8Array.of(3)), keys: rsaKeys(1024) },
      'crypto/rsa: 16384-bit keys are too large, use 8192',
    ],
    [
      'a negative RSA modulus',
      {
        key: sequence(
          sequence(oid('1.2.840.113549.1.1.1'), tlv(0x05)),
          tlv(0x03, Uint8Array.of(0), sequence(tlv(0x02, modulus), integer(Uint8Array.of(3)))),
        ),
      },
      'x509: RSA modulus is not a positive number',
    ],
    [
      'RSA without NULL',
      { key: rsaInfo(modulus, Uint8Array.of(3), boolean(true)) },
      'x509: RSA key missing NULL parameters',
    ],
    ['a curve of no use', { keys: ellipticKeys('secp256k1') }, 'x509: unsupported elliptic curve'],
    [
      'a compressed point',
      { key: pointOf(Buffer.concat([Buffer.of(2), Buffer.alloc(32, 1)])) },
      'ecdsa: invalid uncompressed public key',
    ],
    [
      'a point next to the curve',
      { key: pointOf(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])) },
      'x509: invalid public key',
    ],
    [
      'DSA',
      { keys: generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }) },
      'x509: cannot verify signature: algorithm unimplemented',
    ],
    [
      'a signature with MD5',
      { keys: rsaKeys(1024), hash: 'md5' },
      'x509: cannot verify signature: insecure algorithm MD5-RSA',
    ],
    [
      'an algorithm for another key',
      { algorithm: sequence(oid('1.2.840.113549.1.1.11'), tlv(0x05)) },
      'x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey',
    ],
    [
      'an unknown algorithm',
      { algorithm: sequence(oid('1.2.3.4')) },
      'x509: cannot verify signature: algorithm unimplemented',
    ],
    [
      'an extension twice',
      { extensions: [sameTwice, sameTwice] },
      'x509: certificate request contains duplicate requested extensions',
    ],
    [
      'an extension twice, spelled differently',
      { extensions: [sameTwice, sequence(tlv(0x06, Uint8Array.of(0x2a, 0x03, 0x80, 0x04)), tlv(0x04))] },
      'asn1: structure error: an object identifier is longer than it has to be',
    ],
    ['a NUL in the subject', { commonName: 'system:node:a\0b' }, 'x509: a name contains a NUL character'],
    ['a NUL in a host', { hosts: ['good.example\0.evil'] }, 'x509: a name contains a NUL character'],
    ['a host beyond ASCII', { hosts: ['bücher.example'] }, 'x509: SAN dNSName is malformed'],
    ['a mail address beyond ASCII', { emails: ['ü@example'] }, 'x509: SAN rfc822Name is malformed'],
    ['a URI beyond ASCII', { uris: ['spiffe://ü'] }, 'x509: SAN uniformResourceIdentifier is malformed'],
    ['a URI with a line break', { uris: ['spiffe://a\nb'] }, 'x509: cannot parse URI "spiffe://a\\nb"'],
    ['an address of three bytes', { addresses: [Buffer.alloc(3)] }, 'x509: cannot parse IP address of length 3'],
    [
      'an IPv4 address as one of IPv6',
      { addresses: [Buffer.from('00000000000000000000ffff0a000001', 'hex')] },
      'x509: SAN iPAddress contains IPv4-mapped IPv6 address',
    ],
    [
      'other names that are none',
      { extensions: [extension('2.5.29.17', utf8('x'))] },
      'x509: invalid subject alternative names: tag 48 was expected',
    ],
    [
      'other names with something after them',
      {
        extensions: [
          extension('2.5.29.17', Buffer.concat([alternativeNames({ hosts: ['a'] }), implicit(2, Buffer.from('b'))])),
        ],
      },
      'x509: invalid subject alternative names: something follows the end',
    ],
    ['an overlong name', { commonName: 'x'.repeat(32_769) }, 'x509: a name is longer than 32768 characters'],
    [
      'a subject that is no UTF-8',
      { subject: common(tlv(0x0c, Buffer.of(0xff))) },
      'x509: invalid RDNSequence: a text is not UTF-8',
    ],
    [
      'a subject beyond its type',
      { subject: common(tlv(0x13, Buffer.from('a@b'))) },
      'x509: invalid RDNSequence: a text has characters that its type does not have',
    ],
    [
      'a subject that is no text',
      { subject: common(sequence()) },
      'x509: invalid RDNSequence: a part of a name is no text',
    ],
    [
      'a huge request',
      { hosts: Array.from({ length: 12_000 }, (_, index) => `host-${index}`) },
      'the request has 133148 bytes, at most 102400 are accepted',
    ],
  ])('%s', (_, parts, message) => {
    // the length of a signature differs by a byte or two
    expect(problemOf(encodedRequest(parts))?.replace(/has 1331\d\d/, 'has 133148')).toBe(message);
  });

  test.each([
    ['nothing', ''],
    ['no PEM', 'hello'],
    ['another block', elliptic.replaceAll(' REQUEST', '')],
  ])('%s', (_, pem) => {
    expect(problemOf(encoded(pem))).toBe('PEM block type must be CERTIFICATE REQUEST');
  });

  test.each([
    ['no DER', Buffer.alloc(2), 'asn1: structure error: tag 48 was expected'],
    ['a length beyond the end', Buffer.from('3082ffff', 'hex'), 'asn1: syntax error: data truncated'],
    ['a length that is too large', Buffer.from('3084ffffffff', 'hex'), 'asn1: structure error: length too large'],
    ['half a length', Buffer.from('30821000', 'hex').subarray(0, 3), 'asn1: syntax error: truncated tag or length'],
    ['zeros in a length', Buffer.from('308200', 'hex'), 'asn1: structure error: superfluous leading zeros in length'],
    ['a length that could be shorter', Buffer.from('30810100', 'hex'), 'asn1: structure error: non-minimal length'],
    ['an indefinite length', Buffer.from('30800000', 'hex'), 'asn1: syntax error: indefinite length found (not DER)'],
    ['an empty sequence', sequence(), 'asn1: structure error: a request has three parts'],
  ])('%s', (_, der, message) => {
    expect(problemOf(encoded(requestPem(der)))).toBe(message);
  });

  test('one cut off anywhere', () => {
    const der = requestDer({ hosts: ['a.example'] });
    for (let length = 0; length < der.length; length += 3)
      expect(problemOf(encoded(requestPem(der.subarray(0, length)))), String(length)).toMatch(/^asn1: s\w+ error/);
  });
});

describe('accepted, as in Go:', () => {
  test.each<[string, RequestParts]>([
    ['RSA of 1024 bits', { keys: rsaKeys(1024) }],
    ['an RSA exponent of three', { keys: rsaKeys(1024, 3) }],
    ['P-224', { keys: ellipticKeys('secp224r1') }],
    ['P-521', { keys: ellipticKeys('P-521') }],
    ['Ed25519', { keys: generateKeyPairSync('ed25519') }],
    ['a signature with SHA-1', { keys: rsaKeys(1024), hash: 'sha1' }],
    ['a CA, which it will not become', { extensions: [extension('2.5.29.19', sequence(boolean(true)), true)] }],
    ['an unknown critical extension, which is left out', { extensions: [extension('1.2.3.4', sequence(), true)] }],
    ['a name beyond ASCII', { commonName: 'Jürgen' }],
    ['a long name of a node', { commonName: `system:node:${'n'.repeat(253)}` }],
  ])('%s', (_, parts) => {
    expect(problemOf(encodedRequest(parts))).toBeUndefined();
  });
});

test('whatever the bytes are, a request is read or refused, and nothing else is thrown', () => {
  const honest = requestDer({ hosts: ['a.example'], addresses: [Buffer.alloc(4)], organizations: ['o'] });
  const changes = fc.array(fc.tuple(fc.nat(honest.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.oneof(changes, fc.uint8Array({ maxLength: 200 })), (input) => {
      const der = Buffer.from(input instanceof Uint8Array ? input : honest);
      if (Array.isArray(input)) for (const [at, byte] of input) der[at] = byte;
      const problem = problemOf(encoded(requestPem(der)));
      // nothing that was signed can change without the signature
      expect(problem !== undefined || der.equals(honest) || isOtherSpelling(der, honest)).toBe(true);
    }),
    fuzzRuns(500),
  );
});

/** Parameters of the algorithm are not signed. */
function isOtherSpelling(der: Buffer, honest: Buffer): boolean {
  const { subject, names } = parseRequestBytes(der);
  const { subject: mine, names: hers } = parseRequestBytes(honest);
  expect([subject.values, names]).toEqual([mine.values, hers]);
  return true;
}
