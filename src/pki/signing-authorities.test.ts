import { sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Element, onlyElement, sequenceOf } from '../codec/der.ts';
import { parseRequestBytes } from '../codec/pkcs10.ts';
import { resolveOptions, type ServerOptions } from '../config/options.ts';
import type { SignerRole } from '../meta/dialect.ts';
import { requestDer } from '../testing/certificate-requests.ts';
import { createAuthority, type KeyPair, pem, signLeaf } from './certificates.ts';
import { bits, sequence } from './der.ts';
import { SigningAuthorities } from './signing-authorities.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'keelson-signing-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, { certificate, privateKey }: KeyPair) {
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  writeFileSync(files.cert, certificate);
  writeFileSync(files.key, privateKey);
  return files;
}

const own = createAuthority('own', now);
const request = parseRequestBytes(requestDer());
const open = (options: ServerOptions) => new SigningAuthorities(resolveOptions(options).signing);

async function signed(authorities: SigningAuthorities, role: SignerRole = 'client', expirationSeconds?: number) {
  const problems: unknown[] = [];
  const terms = { usages: ['client auth'], expirationSeconds, now };
  const onProblem = (error: unknown) => problems.push(error);
  const pem = await authorities.sign(role, request, terms, { own: () => own, onProblem });
  const { issuer, validTo } = new X509Certificate(pem);
  return { issuer, validTo: new Date(validTo).toISOString(), problems };
}

/** A certificate of X.509 v1: without the version and the extensions. */
function firstVersion(): KeyPair {
  const { certificate, privateKey } = createAuthority('first version', now);
  const [body, algorithm] = sequenceOf(onlyElement(new X509Certificate(certificate).raw));
  const fields = sequenceOf(body).slice(1, 7);
  const content = sequence(...fields.map(({ whole }) => whole));
  const signature = bits(sign('sha256', content, privateKey));
  return { certificate: pem('CERTIFICATE', sequence(content, (algorithm as Element).whole, signature)), privateKey };
}

describe('who signs', () => {
  // compat: kube-controller-manager does not ask whether the certificate is that of a CA
  test('a CA with a certificate of X.509 v1, as in kube-controller-manager', async () => {
    const files = write('first', firstVersion());
    expect(new X509Certificate(readFileSync(files.cert)).ca).toBe(false);
    const authorities = open({ clusterSigningCertFile: files.cert, clusterSigningKeyFile: files.key });
    expect(await signed(authorities)).toMatchObject({ issuer: 'CN=first version', problems: [] });
  });

  test('the CA of the server signs for every signer by default', async () => {
    const authorities = open({});
    expect(authorities.has('legacyUnknown')).toBe(true);
    expect(await signed(authorities)).toMatchObject({ issuer: 'CN=own', problems: [] });
  });

  test('one CA for all, or one for each signer that has files', async () => {
    const [a, b] = ['a', 'b'].map((name) => write(name, createAuthority(name, now)));
    const all = open({ clusterSigningCertFile: a?.cert ?? '', clusterSigningKeyFile: a?.key ?? '' });
    expect((await signed(all, 'agentServing')).issuer).toBe('CN=a');
    const some = open({
      clusterSigningKubeletClientCertFile: a?.cert ?? '',
      clusterSigningKubeletClientKeyFile: a?.key ?? '',
      clusterSigningKubeletServingCertFile: b?.cert ?? '',
      clusterSigningKubeletServingKeyFile: b?.key ?? '',
    });
    expect((await signed(some, 'agentClient')).issuer).toBe('CN=a');
    expect((await signed(some, 'agentServing')).issuer).toBe('CN=b');
    expect([some.has('client'), some.has('legacyUnknown')]).toEqual([false, false]);
  });

  test('a CA that was replaced, once both of its files are', async () => {
    const files = write('changing', createAuthority('before', now));
    const authorities = open({ clusterSigningCertFile: files.cert, clusterSigningKeyFile: files.key });
    expect((await signed(authorities)).issuer).toBe('CN=before');
    const next = createAuthority('after', now);
    writeFileSync(files.cert, next.certificate);
    expect(await signed(authorities)).toMatchObject({
      issuer: 'CN=before',
      problems: [new Error('the key does not belong to the certificate')],
    });
    writeFileSync(files.key, next.privateKey);
    expect(await signed(authorities)).toMatchObject({ issuer: 'CN=after', problems: [] });
    rmSync(files.cert);
    expect(await signed(authorities)).toMatchObject({ issuer: 'CN=after', problems: [{ code: 'ENOENT' }] });
  });
});

test.each([
  ['as long as it may when nothing is asked', undefined, '2030-01-30T23:55:00.000Z'],
  ['as asked', 3600, '2030-01-01T01:00:00.000Z'],
  ['no longer than it may', 999_999_999, '2030-01-30T23:55:00.000Z'],
  ['no shorter than ten minutes', 1, '2030-01-01T00:10:00.000Z'],
])('a certificate lives %s', async (_, seconds, end) => {
  const authorities = open({ clusterSigningDurationSeconds: 30 * 24 * 3600 });
  expect((await signed(authorities, 'client', seconds)).validTo).toBe(end);
});

describe('a start fails by the name of the option', () => {
  const good = write('good', own);
  const leaf = signLeaf(own, { usage: 'client', commonName: 'leaf', organizations: [] }, now);
  const weak = write('leaf', leaf);
  const twice = write('twice', { ...own, certificate: own.certificate.repeat(2) });
  const mixed = { cert: good.cert, key: weak.key };
  const one = ({ cert, key }: { cert: string; key: string }): ServerOptions => ({
    clusterSigningCertFile: cert,
    clusterSigningKeyFile: key,
  });
  test.each<[string, ServerOptions, string]>([
    ['a missing file', one({ cert: '/nowhere', key: good.key }), 'clusterSigningCertFile: /nowhere: ENOENT'],
    ['another key', one(mixed), `clusterSigningCertFile: ${good.cert}: the key does not belong to the certificate`],
    ['no CA', one(weak), `clusterSigningCertFile: ${weak.cert}: the certificate is not that of a CA`],
    ['two certificates', one(twice), `clusterSigningCertFile: ${twice.cert}: expected 1 certificate, found 2`],
    ['no key', { clusterSigningCertFile: good.cert }, 'clusterSigningCertFile: needs clusterSigningKeyFile as well'],
    [
      'no certificate',
      { clusterSigningLegacyUnknownKeyFile: good.key },
      'clusterSigningLegacyUnknownKeyFile: needs clusterSigningLegacyUnknownCertFile as well',
    ],
    [
      'files for all and for one',
      { ...one(good), clusterSigningKubeletClientCertFile: good.cert, clusterSigningKubeletClientKeyFile: good.key },
      'clusterSigningCertFile: give files for all signers, or for single signers, not both',
    ],
    [
      'no life',
      { clusterSigningDurationSeconds: 0 },
      'clusterSigningDurationSeconds: 0 is not a positive number of seconds',
    ],
  ])('%s', (_, options, message) => {
    expect(() => open(options)).toThrow(message);
  });
});
