import { describe, expect, test } from 'vitest';
import { parseCertificateRequest, pemBlocks } from './pkcs10.ts';

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

describe('a certificate request', () => {
  test.each([
    [elliptic, 'jane', ['devs', 'ops'], 'ec'],
    [edwards, 'ed', [], 'ed25519'],
    [rsa, 'root', ['system:masters'], 'rsa'],
  ])('%#: says who it is for and is signed with its key', (pem, commonName, organizations, type) => {
    const parsed = parseCertificateRequest(pem);
    expect(parsed).toMatchObject({ commonName, organizations, isSigned: true });
    expect(parsed?.publicKey.asymmetricKeyType).toBe(type);
  });

  test('that was changed is not signed', () => {
    const [block] = pemBlocks(elliptic);
    const bytes = Buffer.from(block?.bytes ?? []);
    bytes[bytes.indexOf('jane')] = 'k'.charCodeAt(0);
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(parseCertificateRequest(pem)).toMatchObject({ commonName: 'kane', isSigned: false });
  });

  test.each([
    ['nothing', ''],
    ['no PEM', 'hello'],
    ['another block', elliptic.replaceAll(' REQUEST', '')],
    ['no DER', '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----'],
    ['a length beyond the end', '-----BEGIN CERTIFICATE REQUEST-----\nMIT/////\n-----END CERTIFICATE REQUEST-----'],
  ])('is not %s', (_, pem) => {
    expect(parseCertificateRequest(pem)).toBeUndefined();
  });

  test('cut off anywhere is none', () => {
    const [block] = pemBlocks(elliptic);
    for (let length = 0; length < (block?.bytes.length ?? 0); length += 7) {
      const cut = block?.bytes.subarray(0, length).toString('base64');
      const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${cut}\n-----END CERTIFICATE REQUEST-----`;
      expect(parseCertificateRequest(pem), String(length)).toBeUndefined();
    }
  });
});

test('blocks of a text are found in their order', () => {
  const text = `before\n${elliptic}between${elliptic.replaceAll(' REQUEST', '')}`;
  expect(pemBlocks(text).map(({ type }) => type)).toEqual(['CERTIFICATE REQUEST', 'CERTIFICATE']);
});

test('a text of dashes is read at once', () => {
  const started = performance.now();
  pemBlocks('-----BEGIN A-----\n'.repeat(50_000));
  expect(performance.now() - started).toBeLessThan(1000);
});
