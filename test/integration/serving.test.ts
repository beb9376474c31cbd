// The certificates that the server shows: replaced while it runs, others for some names, and how TLS is spoken.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { openTls, shownName } from './shown-certificate.ts';

const authority = createAuthority('a test', Date.now());
const leaf = (commonName: string, hosts: readonly string[] = ['127.0.0.1']) =>
  signLeaf(authority, { usage: 'server', commonName, hosts }, Date.now());

let folder: TempFolder;
let clock: FakeClock;
let server: Server;

const at = (name: string) => join(folder.path, name);

function write(name: string, { certificate, privateKey }: KeyPair): { cert: string; key: string } {
  writeFileSync(at(`${name}.crt`), certificate);
  writeFileSync(at(`${name}.key`), privateKey);
  return { cert: at(`${name}.crt`), key: at(`${name}.key`) };
}

beforeAll(async () => {
  folder = new TempFolder();
  clock = new FakeClock(Date.now());
  const main = write('main', leaf('main'));
  const wild = write('wild', leaf('wild', ['unused.example.com']));
  const named = write('named', leaf('named', ['inside.example.com', '*.many.example.com']));
  server = await startTestServer({
    clock,
    tlsCertFile: main.cert,
    tlsPrivateKeyFile: main.key,
    tlsSniCertKeys: [`${named.cert},${named.key}`, `${wild.cert},${wild.key}:*.example.com,exact.many.example.com`],
  });
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

const nameFor = (servername?: string) => shownName(server, servername);

describe('certificates for names', () => {
  test.each([
    [undefined, 'main'],
    ['somewhere.else', 'main'],
    ['inside.example.com', 'named'],
    ['other.example.com', 'wild'],
    ['OTHER.example.com', 'wild'],
    ['two.levels.example.com', 'main'],
    ['one.many.example.com', 'named'],
    ['exact.many.example.com', 'wild'],
  ])('a client that asks for %s sees %s', async (name, certificate) => {
    expect(await nameFor(name)).toBe(certificate);
  });

  test('believe client certificates as the main one does', async () => {
    const { pki } = { pki: server.kubeconfig };
    const read = (key: string) => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(pki)?.[1] ?? '', 'base64');
    const credentials = { cert: read('client-certificate-data'), key: read('client-key-data') };
    const socket = await openTls(server, { servername: 'inside.example.com', ...credentials });
    socket.write('GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
  });
});

/** After a look at the files; one that lasts delays the next. */
function namesLater(...names: readonly (string | undefined)[]): Promise<string[]> {
  clock.advance(5000);
  return Promise.all(names.map(nameFor));
}

describe('files that change', () => {
  test('are shown to new connections; connections there are stay', async () => {
    const before = await openTls(server);
    write('main', leaf('newer'));
    write('wild', leaf('newer wild'));
    expect(await nameFor()).toBe('main');
    await expect.poll(() => namesLater(undefined, 'other.example.com')).toEqual(['newer', 'newer wild']);
    expect(before.destroyed).toBe(false);
    before.destroy();
  });

  test('that do not fit together are used once they do', async () => {
    const next = leaf('complete');
    writeFileSync(at('main.crt'), next.certificate);
    clock.advance(5000);
    expect(await nameFor()).toBe('newer');
    writeFileSync(at('main.key'), next.privateKey);
    await expect.poll(() => namesLater(undefined)).toEqual(['complete']);
    writeFileSync(at('main.crt'), 'nonsense');
    clock.advance(5000);
    expect(await nameFor()).toBe('complete');
  });
});

describe('how TLS is spoken', () => {
  test('a least version and suites can be chosen', async () => {
    await using modern = await startTestServer({ tlsMinVersion: 'VersionTLS13' });
    await expect(openTls(modern, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
    const socket = await openTls(modern);
    expect(socket.getProtocol()).toBe('TLSv1.3');
    socket.destroy();
  });

  test('only chosen suites are spoken below TLS 1.3', async () => {
    await using picky = await startTestServer({ tlsCipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] });
    const socket = await openTls(picky, { maxVersion: 'TLSv1.2' });
    expect(socket.getCipher().standardName).toBe('TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384');
    socket.destroy();
    const other = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;
    await expect(openTls(picky, other)).rejects.toThrow();
    const newest = await openTls(picky);
    expect(newest.getProtocol()).toBe('TLSv1.3');
    newest.destroy();
  });

  test.each([
    [{ tlsSniCertKeys: ['only-a-cert'] }, 'tlsSniCertKeys: "only-a-cert" is not a pair'],
    [{ tlsSniCertKeys: ['a,b:not a name'] }, 'tlsSniCertKeys: "a,b:not a name" is not a pair'],
    [{ tlsSniCertKeys: ['/no/cert,/no/key'] }, 'tlsSniCertKeys: /no/cert: ENOENT'],
    [{ tlsMinVersion: 'VersionSSL30' as 'VersionTLS10' }, 'tlsMinVersion: "VersionSSL30" is not one of VersionTLS10'],
    [{ tlsCipherSuites: ['TLS_NULL'] }, 'tlsCipherSuites: "TLS_NULL" is not a cipher suite'],
    [{ tlsCertFile: 'x' }, 'tlsCertFile: needs tlsPrivateKeyFile as well'],
  ])('%j is refused', async (options, message) => {
    await expect(createServer(options)).rejects.toThrow(message);
  });
});
