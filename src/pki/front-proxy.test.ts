import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FrontProxyConfig } from '../config/front-proxy-options.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createAuthority, type KeyPair, signLeaf } from './certificates.ts';
import { FrontProxy } from './front-proxy.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const day = 24 * 60 * 60 * 1000;

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-front-proxy-'));
  clock = new FakeClock(now);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opened = (config: FrontProxyConfig = { kind: 'own' }) => new FrontProxy({ config, folder, clock });
const inMemory = () => new FrontProxy({ config: { kind: 'own' }, folder: undefined, clock });
const signedBy = ({ certificate }: KeyPair, ca: string) =>
  new X509Certificate(certificate).verify(new X509Certificate(ca).publicKey);
const clientOf = (proxy: FrontProxy) => proxy.client as KeyPair;
const caOf = (proxy: FrontProxy) => proxy.authority as string;

describe('a front proxy of the server’s own', () => {
  test('makes nothing before the first use', () => {
    opened();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('keeps a CA and a client certificate in the folder, keys for their owner only', () => {
    const proxy = opened();
    expect(signedBy(clientOf(proxy), caOf(proxy))).toBe(true);
    const files = readdirSync(folder).sort();
    expect(files).toEqual([
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
    ]);
    const mode = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
    expect([mode('front-proxy-ca.key'), mode('front-proxy-client.key')]).toEqual(['600', '600']);
  });

  test('names a proxy that is in no group', () => {
    expect(new X509Certificate(clientOf(opened()).certificate).subject).toBe('CN=front-proxy-client');
  });

  test('is the same when it is opened again', () => {
    const before = opened();
    const client = clientOf(before);
    clock.advance(300 * day);
    const after = opened();
    expect(clientOf(after)).toEqual(client);
    expect(caOf(after)).toBe(caOf(before));
  });

  test('in memory is the same until it ends', () => {
    const proxy = inMemory();
    const client = clientOf(proxy);
    expect(clientOf(proxy)).toBe(client);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['in the folder', 'in memory'])('%s gets a new certificate before the end, of the same CA', (where) => {
    const proxy = where === 'in memory' ? inMemory() : opened();
    const [client, ca] = [clientOf(proxy), caOf(proxy)];
    clock.advance(336 * day);
    expect(clientOf(proxy)).not.toEqual(client);
    expect(caOf(proxy)).toBe(ca);
    expect(signedBy(clientOf(proxy), ca)).toBe(true);
  });

  test('reports its CA when it is made and when it is replaced', () => {
    const proxy = opened();
    const authorities: string[] = [];
    proxy.onAuthority = (pem) => authorities.push(pem);
    const first = caOf(proxy);
    clock.advance(336 * day);
    clientOf(proxy);
    expect(authorities).toEqual([first]);
    clock.advance(3300 * day);
    expect(authorities).toEqual([first]);
    const second = caOf(proxy);
    expect(second).not.toBe(first);
    expect(authorities).toEqual([first, second]);
    expect(signedBy(clientOf(proxy), second)).toBe(true);
  });

  test('a key of another CA makes the front proxy replace both files', () => {
    const before = caOf(opened());
    writeFileSync(join(folder, 'front-proxy-ca.key'), createAuthority('other', now).privateKey);
    const proxy = opened();
    expect(caOf(proxy)).not.toBe(before);
    expect(signedBy(clientOf(proxy), caOf(proxy))).toBe(true);
  });
});

describe('a certificate that was given', () => {
  const files = () => ({ certFile: join(folder, 'proxy.crt'), keyFile: join(folder, 'proxy.key') });
  const write = (pair: KeyPair) => {
    writeFileSync(files().certFile, pair.certificate);
    writeFileSync(files().keyFile, pair.privateKey);
  };
  const made = () => {
    const pair = signLeaf(createAuthority('ca', now), { usage: 'client', commonName: 'front', organizations: [] }, now);
    write(pair);
    return pair;
  };

  test('is used, and there is no CA of ours', () => {
    const pair = made();
    const proxy = opened({ kind: 'files', files: files() });
    expect(proxy.client).toEqual(pair);
    expect(proxy.authority).toBeUndefined();
    expect(proxy.hasFiles).toBe(true);
  });

  test('is read again when it changes, and stays while the new one does not fit together', () => {
    const first = made();
    const proxy = opened({ kind: 'files', files: files() });
    expect(proxy.reload()).toBe(false);
    const second = made();
    writeFileSync(files().keyFile, first.privateKey);
    expect(() => proxy.reload()).toThrow();
    expect(proxy.client).toEqual(first);
    write(second);
    expect(proxy.reload()).toBe(true);
    expect(proxy.client).toEqual(second);
  });

  test('that cannot be read fails with the name of the option', () => {
    expect(() => opened({ kind: 'files', files: files() })).toThrow(/^proxyClientCertFile: .*proxy\.crt/);
  });
});

test('with the CA of other proxies only, there is no certificate', () => {
  const proxy = opened({ kind: 'none' });
  expect([proxy.client, proxy.authority, proxy.hasFiles]).toEqual([undefined, undefined, false]);
});
