import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIdentity, type Identity, openIdentity, servingHosts } from './identity.ts';
import { writeAtomically } from './pair-files.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const day = 24 * 60 * 60 * 1000;
const hosts = ['localhost', '127.0.0.1', '::1'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-identity-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8);
const signedBy = (certificate: string, ca: string) =>
  new X509Certificate(certificate).verify(new X509Certificate(ca).publicKey);

/** Which parts of two identities are the same. */
function kept(before: Identity, after: Identity): string[] {
  const parts = ['ca', 'serving', 'admin'] as const;
  return parts.filter((part) => JSON.stringify(before[part]) === JSON.stringify(after[part]));
}

describe('files', () => {
  test('are made on the first start, keys for their owner only', () => {
    openIdentity(join(folder, 'pki'), hosts, now);
    expect(readdirSync(join(folder, 'pki')).sort()).toEqual([
      'admin.crt',
      'admin.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
    ]);
    for (const name of ['ca', 'apiserver', 'admin']) expect(mode('pki', `${name}.key`)).toBe('600');
    for (const name of ['ca', 'apiserver', 'admin']) expect(mode('pki', `${name}.crt`)).toMatch(/^6[04][04]$/);
    expect(mode('pki')).toBe('700');
  });

  test('hold the values of the identity', () => {
    const identity = openIdentity(folder, hosts, now);
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(text('ca.crt')).toBe(identity.ca);
    expect(identity.serving).toEqual({ certificate: text('apiserver.crt'), privateKey: text('apiserver.key') });
    expect(identity.admin).toEqual({ certificate: text('admin.crt'), privateKey: text('admin.key') });
  });

  test('are replaced in one step, and no draft is left', () => {
    const path = join(folder, 'secret');
    writeFileSync(path, 'old');
    writeAtomically(path, 'new', 0o600);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(mode('secret')).toBe('600');
  });
});

describe('opened again', () => {
  test.each([
    ['at once', now, hosts],
    ['before anything is about to expire', now + 334 * day, hosts],
    ['for fewer hosts', now, ['localhost']],
  ])('%s it is the same', (_, later, newHosts) => {
    const before = openIdentity(folder, hosts, now);
    expect(kept(before, openIdentity(folder, newHosts, later))).toEqual(['ca', 'serving', 'admin']);
  });

  test.each([
    ['thirty days before the end', now + 336 * day],
    ['after the end', now + 400 * day],
  ])('%s the certificates are new and the authority is not', (_, later) => {
    const before = openIdentity(folder, hosts, now);
    const after = openIdentity(folder, hosts, later);
    expect(kept(before, after)).toEqual(['ca']);
    expect(Date.parse(new X509Certificate(after.serving.certificate).validTo)).toBe(later + 365 * day);
    expect(signedBy(after.serving.certificate, before.ca)).toBe(true);
    expect(kept(after, openIdentity(folder, hosts, later))).toEqual(['ca', 'serving', 'admin']);
  });

  const withNewHost = (host: string) => {
    const before = openIdentity(folder, hosts, now);
    const after = openIdentity(folder, [...hosts, host], now);
    expect(kept(before, after)).toEqual(['ca', 'admin']);
    const certificate = new X509Certificate(after.serving.certificate);
    expect(certificate.checkHost(host) ?? certificate.checkIP(host)).toBeDefined();
  };

  test.each(['10.0.0.9', '2001:db8::9'])('for the new address %s only serving is new', withNewHost);

  // checkIP throws "Invalid IP" for a name: a machine that was renamed cannot start again
  test.each(['example.com', 'renamed-machine'])('for the new host %s only serving is new', withNewHost);

  test('makes a pair again if one of its files is missing', () => {
    const before = openIdentity(folder, hosts, now);
    rmSync(join(folder, 'admin.key'));
    expect(kept(before, openIdentity(folder, hosts, now))).toEqual(['ca', 'serving']);
  });

  test('makes all pairs again if the authority is missing', () => {
    const before = openIdentity(folder, hosts, now);
    rmSync(join(folder, 'ca.key'));
    const after = openIdentity(folder, hosts, now);
    expect(kept(before, after)).toEqual([]);
    expect(signedBy(after.admin.certificate, after.ca)).toBe(true);
  });

  test('makes a pair again if its key belongs to another certificate', () => {
    const before = openIdentity(folder, hosts, now);
    writeFileSync(join(folder, 'admin.key'), before.serving.privateKey);
    expect(kept(before, openIdentity(folder, hosts, now))).toEqual(['ca', 'serving']);
  });

  // "what is missing or about to expire is made": the authority is never looked at
  test('makes all pairs again if the authority is about to expire', () => {
    const before = openIdentity(folder, hosts, now);
    expect(kept(before, openIdentity(folder, hosts, now + 3649 * day))).toEqual([]);
  });
});

describe('an identity', () => {
  test('in memory needs no folder and is complete', () => {
    const { ca, servingCa, serving, admin } = createIdentity(hosts, now);
    expect(servingCa).toBe(ca);
    expect(signedBy(serving.certificate, ca)).toBe(true);
    expect(signedBy(admin.certificate, ca)).toBe(true);
  });

  test('makes its administrator a master', () => {
    const { subject } = new X509Certificate(createIdentity(hosts, now).admin.certificate);
    expect(subject.split('\n')).toContain('O=system:masters');
  });
});

describe('the hosts of a server', () => {
  test('are local ones and the name of its service', () => {
    expect(servingHosts('127.0.0.1', 'kubernetes')).toEqual(
      expect.arrayContaining(['localhost', '127.0.0.1', '::1', hostname(), 'kubernetes', 'kubernetes.default.svc']),
    );
  });

  test.each(['0.0.0.0', '::'])('do not include %s, which is no address', (address) => {
    expect(servingHosts(address, 'x')).not.toContain(address);
  });

  test('include the address it listens on, and none twice', () => {
    expect(servingHosts('10.0.0.7', 'x')).toContain('10.0.0.7');
    const all = servingHosts('127.0.0.1', 'x');
    expect(new Set(all).size).toBe(all.length);
  });
});
