// The server's own certificates while it runs: renewed before their end, taken over from files, replaced with their CA.

import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { Log, Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { secureCall, whoIs } from './secure-call.ts';

const run = promisify(execFile);
const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'keelson-own-certificates-')));
  return folders.at(-1) as string;
}

const day = 24 * 60 * 60 * 1000;
const certs = async (folder: string, ...args: string[]) =>
  (await run(process.execPath, [bin, 'certs', ...args, '--data-dir', folder])).stdout;

/** The certificate that a new connection sees, verified against the CA that the kubeconfig names. */
function shownBy(server: Server): Promise<X509Certificate> {
  const { ca } = credentialsOf(server.kubeconfig);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', ca }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate(true).raw));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const adminOf = (kubeconfig: string): KeyPair => {
  const { cert, key } = credentialsOf(kubeconfig);
  return { certificate: cert.toString(), privateKey: key.toString() };
};
const fingerprint = async (server: Server) => (await shownBy(server)).fingerprint256;
const kubeconfigIn = (folder: string) => readFileSync(join(folder, 'kubeconfig'), 'utf8');

/** Has the server look at its files, and waits until it has told of what it found. */
async function look(clock: FakeClock, isDone: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(async () => {
    clock.advance(5000);
    expect(await isDone()).toBe(true);
  });
}

describe('renewal', () => {
  test.each(['in a data folder', 'in memory'])('%s happens before the end, without a restart', async (where) => {
    // clients go by the real clock: both the old certificates and the new ones are valid there
    const clock = new FakeClock(Date.now() - 345 * day);
    const folder = where === 'in memory' ? undefined : newFolder();
    await using server = await startTestServer({ clock, ...(folder === undefined ? {} : { dataDir: folder }) });
    const before = { shown: await shownBy(server), admin: adminOf(server.kubeconfig) };
    clock.advance(300 * day);
    await Promise.resolve();
    clock.advance(5000);
    expect(await fingerprint(server)).toBe(before.shown.fingerprint256);
    clock.advance(40 * day);
    await look(clock, async () => (await fingerprint(server)) !== before.shown.fingerprint256);
    const after = await shownBy(server);
    expect(Date.parse(after.validTo) - clock.now()).toBeGreaterThan(360 * day);
    expect(await whoIs(server, { pair: adminOf(server.kubeconfig) })).toMatchObject({ username: 'keelson-admin' });
    expect(adminOf(server.kubeconfig)).not.toEqual(before.admin);
    if (folder !== undefined) await look(clock, () => kubeconfigIn(folder) === server.kubeconfig);
  });

  test('by the command is taken over by a running server', async () => {
    const [folder, clock] = [newFolder(), new FakeClock(Date.now())];
    await using server = await startTestServer({ clock, dataDir: folder });
    const [shown, admin] = [await shownBy(server), adminOf(server.kubeconfig)];
    await certs(folder, 'renew');
    await look(clock, async () => (await fingerprint(server)) !== shown.fingerprint256);
    expect((await shownBy(server)).subjectAltName).toBe(shown.subjectAltName);
    await look(clock, () => kubeconfigIn(folder) === server.kubeconfig);
    expect(adminOf(kubeconfigIn(folder))).not.toEqual(admin);
    for (const pair of [admin, adminOf(kubeconfigIn(folder))])
      expect(await whoIs(server, { pair })).toMatchObject({ username: 'keelson-admin' });
  });
});

describe('the rotation of the CA', () => {
  const publishedIn = async (server: Server) => {
    const api = apiOf(server);
    const root = await api.get('/api/v1/namespaces/default/configmaps/kube-root-ca.crt');
    const info = await api.get('/api/v1/namespaces/kube-public/configmaps/cluster-info');
    const named = /certificate-authority-data: (\S+)/.exec(info.body.data?.kubeconfig ?? '')?.[1] ?? '';
    return [root.body.data?.['ca.crt'], Buffer.from(named, 'base64').toString()];
  };
  const count = (pem = '') => pem.split('BEGIN CERTIFICATE').length - 1;

  test('reaches everything that names the CA, and no client is ever without trust', async () => {
    const [folder, clock] = [newFolder(), new FakeClock(Date.now())];
    await using server = await startTestServer({
      clock,
      dataDir: folder,
      controllers: ['*', 'bootstrap-signer-controller'],
    });
    const old = { admin: adminOf(server.kubeconfig), ca: credentialsOf(server.kubeconfig).ca.toString() };
    const isPublished = async (certificates: number) => {
      const ca = credentialsOf(kubeconfigIn(folder)).ca.toString();
      const all = [ca, ...(await publishedIn(server))];
      return count(ca) === certificates && all.every((pem) => pem === ca);
    };
    await eventually(async () => expect(await isPublished(1)).toBe(true));

    expect(await certs(folder, 'rotate-ca', 'start')).toContain('keelson-ca-2 is trusted in addition to keelson-ca');
    await look(clock, () => isPublished(2));
    expect((await shownBy(server)).issuer).toBe('CN=keelson-ca');

    expect(await certs(folder, 'rotate-ca', 'switch')).toContain('keelson-ca-2 signs from now on');
    await look(clock, async () => (await shownBy(server)).issuer === 'CN=keelson-ca-2');
    await look(clock, () => isPublished(2));
    const current = adminOf(kubeconfigIn(folder));
    for (const pair of [old.admin, current])
      expect(await whoIs(server, { pair })).toMatchObject({ username: 'keelson-admin' });

    expect(await certs(folder, 'rotate-ca', 'finish')).toContain('Only keelson-ca-2 is trusted');
    await look(clock, () => isPublished(1));
    expect(await whoIs(server, { pair: current })).toMatchObject({ username: 'keelson-admin' });
    expect(await whoIs(server, { pair: old.admin })).toBe('401 Unauthorized');
    expect(credentialsOf(server.kubeconfig).ca.toString()).not.toContain(old.ca.trim());
  });

  test('refuses a step out of order in one line', async () => {
    const folder = newFolder();
    await using _server = await startTestServer({ dataDir: folder });
    await expect(certs(folder, 'rotate-ca', 'finish')).rejects.toMatchObject({
      code: 1,
      stderr: 'keelson: no rotation is under way: there is no old CA to retire\n',
    });
  });
});

describe('certificates given by flags', () => {
  test('are published again when they change, and warned of when they end soon', async () => {
    const [folder, clock] = [newFolder(), new FakeClock(Date.now())];
    const authority = createAuthority('given', clock.now());
    const give = (at: number) => {
      const pair = signLeaf(authority, { usage: 'server', commonName: 'given', hosts: ['127.0.0.1'] }, at);
      writeFileSync(join(folder, 'given.crt'), pair.certificate + authority.certificate);
      writeFileSync(join(folder, 'given.key'), pair.privateKey);
    };
    give(clock.now() - 350 * day);
    const warnings: [object, string][] = [];
    const log: Log = { info() {}, warn: (fields, message) => warnings.push([fields, message]), error() {} };
    const files = { tlsCertFile: join(folder, 'given.crt'), tlsPrivateKeyFile: join(folder, 'given.key') };
    await using server = await startTestServer({ clock, log, dataDir: join(folder, 'data'), ...files });
    expect(warnings).toContainEqual([
      expect.objectContaining({ certificate: files.tlsCertFile, subject: 'given' }),
      `the certificate ${files.tlsCertFile} ends in 14 days`,
    ]);
    give(clock.now());
    await look(clock, async () => Date.parse((await shownBy(server)).validTo) - clock.now() > 360 * day);
    await look(clock, () => kubeconfigIn(join(folder, 'data')) === server.kubeconfig);
    const { ca } = credentialsOf(kubeconfigIn(join(folder, 'data')));
    expect(ca.toString()).toBe(readFileSync(files.tlsCertFile, 'utf8'));
  });
});

describe('what an operator sees', () => {
  test('keelson certs lists every certificate with its issuer and its days, as text and as JSON', async () => {
    const folder = newFolder();
    await using _server = await startTestServer({ dataDir: folder });
    copyFileSync(join(folder, 'pki/ca.crt'), join(folder, 'pki/another.crt'));
    // the server makes those of the front proxy when it publishes them
    await eventually(async () => expect(existsSync(join(folder, 'pki/front-proxy-client.crt'))).toBe(true));
    const lines = (await certs(folder)).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAME +SUBJECT +SIGNED BY +DAYS LEFT +ENDS +FOR$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ['admin', 'keelson-admin', 'keelson-ca', '364'],
      ['another', 'keelson-ca', 'itself', '3649'],
      ['apiserver', 'keelson', 'keelson-ca', '364'],
      ['ca', 'keelson-ca', 'itself', '3649'],
      ['front-proxy-ca', 'front-proxy-ca', 'itself', '3649'],
      ['front-proxy-client', 'front-proxy-client', 'front-proxy-ca', '364'],
    ]);
    const listed = JSON.parse(await certs(folder, '--output=json'));
    expect(listed).toHaveLength(6);
    expect(listed[2]).toMatchObject({ name: 'apiserver', issuer: 'keelson-ca', daysLeft: 364 });
    expect(listed[2].hosts).toContain('127.0.0.1');
    expect(JSON.stringify(listed)).not.toContain('PRIVATE');
  });

  test.each([
    [['certs', 'dance'], 2, 'certs: "dance" is not renew, new or rotate-ca start, switch or finish'],
    [['certs', '--sekure'], 2, 'certs has no flag --sekure; see keelson help certs'],
    [['certs'], 1, 'there are no certificates in'],
    [['certs', 'renew'], 1, 'there is no folder'],
  ])('%j without a data folder is one clear line', async (args, code, message) => {
    const result = run(process.execPath, [bin, ...args], { cwd: newFolder() });
    await expect(result).rejects.toMatchObject({ code, stderr: expect.stringContaining(`keelson: ${message}`) });
  });

  test('metrics say when own certificates end, and how long those of clients last', async () => {
    const clock = new FakeClock(Date.now());
    await using server = await startTestServer({ clock });
    const { body } = await secureCall(server, 'GET', '/metrics', { pair: adminOf(server.kubeconfig) });
    const ends =
      /^keelson_certificate_expiration_timestamp_seconds\{certificate="apiserver",subject="keelson"\} (\S+)$/m;
    const left = Number(ends.exec(body)?.[1]) - clock.now() / 1000;
    expect(left / 86_400).toBeCloseTo(365, 1);
    expect(body).toMatch(/^apiserver_client_certificate_expiration_seconds_bucket\{le="3\.1104e\+07"\} 0$/m);
    expect(body).toMatch(/^apiserver_client_certificate_expiration_seconds_count [1-9]/m);
  });
});
