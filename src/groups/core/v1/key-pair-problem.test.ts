import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority } from '../../../pki/certificates.ts';
import { keyPairProblem } from './key-pair-problem.ts';

const [pair, other] = [createAuthority('a', Date.now()), createAuthority('b', Date.now())];
const { privateKey: edKey } = generateKeyPairSync('ed25519');
const pemOf = (type: string, bytes: string) => `-----BEGIN ${type}-----\n${bytes}\n-----END ${type}-----\n`;

test.each<[string, string, string, string | undefined]>([
  ['a pair', pair.certificate, pair.privateKey, undefined],
  ['a pair behind other blocks', pemOf('EC PARAMETERS', 'AAAA') + pair.certificate, `x\n${pair.privateKey}`, undefined],
  ['nothing', '', '', 'tls: failed to find any PEM data in certificate input'],
  ['no key', pair.certificate, 'text', 'tls: failed to find any PEM data in key input'],
  [
    'keys twice',
    pair.privateKey,
    pair.privateKey,
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  [
    'other blocks',
    pemOf('A', 'AAAA') + pemOf('B', 'AAAA'),
    pair.privateKey,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
  [
    'certificates twice',
    pair.certificate,
    pair.certificate,
    'tls: found a certificate rather than a key in the PEM for the private key',
  ],
  [
    'other blocks for the key',
    pair.certificate,
    pemOf('A', 'AAAA'),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  ],
  ['a broken certificate', pemOf('CERTIFICATE', 'AAAA'), pair.privateKey, 'x509: malformed certificate'],
  ['a broken key', pair.certificate, pemOf('PRIVATE KEY', 'AAAA'), 'tls: failed to parse private key'],
  ['the key of another', pair.certificate, other.privateKey, 'tls: private key does not match public key'],
  [
    'a key of another type',
    pair.certificate,
    String(edKey.export({ type: 'pkcs8', format: 'pem' })),
    'tls: private key type does not match public key type',
  ],
])('keyPairProblem: %s', (_what, certificate, key, problem) => {
  expect(keyPairProblem(certificate, key)).toBe(problem);
});

test('keyPairProblem: a million marks of blocks cost no more than a look at each', () => {
  const began = performance.now();
  keyPairProblem('-----BEGIN A-----\n'.repeat(60_000), '-----END A-----\n-----BEGIN A'.repeat(40_000));
  expect(performance.now() - began).toBeLessThan(2000);
});
