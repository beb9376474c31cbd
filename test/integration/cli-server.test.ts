// Commands that speak to the server of a data folder, or look at what it left there.

import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';
import { bearer, whoIs } from './secure-call.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-cli-server-'));
const data = join(folder, 'data');
let server: Server;
beforeAll(async () => {
  server = await startTestServer({ store: 'embedded', dataDir: data, enableBootstrapTokenAuth: true });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Exit {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function keelson(args: readonly string[], environment: Record<string, string> = {}): Promise<Exit> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOME: folder, ...environment };
    execFile(process.execPath, [bin, ...args], { cwd: folder, env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

describe('keelson status', () => {
  test('tells of a running server', async () => {
    const api = apiOf(server);
    await api.post(configMaps, configMap('one'));
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    await api.post(path, { metadata: { name: 'boss' }, spec: { holderIdentity: 'me' } });
    const watch = await server.fetch(`${configMaps}?watch=true`);
    const { code, output } = await keelson(['status', '--data-dir', data, '-o', 'json']);
    await watch.body?.cancel();
    expect(code).toBe(0);
    const found = JSON.parse(output);
    expect(found.server).toEqual({ url: `${server.url}/`, version: expect.stringMatching(/^v1\./), isReady: true });
    expect(found.objects.configmaps).toBeGreaterThan(0);
    // besides that of the server itself
    expect(found.objects['leases.coordination.k8s.io']).toBe(2);
    expect(found.watches).toBeGreaterThan(0);
    expect(found.revision).toBeGreaterThan(10);
    expect(found.leaders).toEqual([{ lease: 'default/boss', holder: 'me' }]);
    expect(found.storeBytes).toBeGreaterThan(10_000);
    const names = found.certificates.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['admin', 'apiserver', 'ca']));
    const text = (await keelson(['status', '--data-dir', data])).output;
    for (const line of [
      /^server +https:.*, ready$/m,
      /^objects +\d+ \(/m,
      /^leader +default\/boss: me$/m,
      /apiserver 364 days/,
    ])
      expect(text).toMatch(line);
  });

  test('shows the objects of users before those of the server, and those of one namespace', async () => {
    const api = apiOf(server);
    await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
    const maps = '/api/v1/namespaces/shop/configmaps';
    for (const name of ['a', 'b']) expect((await api.post(maps, configMap(name))).status).toBe(201);
    const { userObjects } = JSON.parse((await keelson(['status', '--data-dir', data, '-o', 'json'])).output);
    expect(userObjects).toMatchObject({ configmaps: 3, namespaces: 1 });
    for (const ofServer of ['clusterroles.rbac.authorization.k8s.io', 'apiservices.apiregistration.k8s.io', 'services'])
      expect(userObjects).not.toHaveProperty([ofServer]);
    const text = (await keelson(['status', '--data-dir', data])).output;
    expect(text).toMatch(/^objects +\d+ \(configmaps 3, .*\)\nof the server +\d+ \(/m);
    const { output } = await keelson(['status', '--data-dir', data, '-n', 'shop']);
    expect(output).toMatch(/^objects in shop +2 \(configmaps 2\)$/m);
    const absent = await keelson(['status', '--data-dir', data, '-n', 'absent']);
    expect(absent).toMatchObject({ code: 1, errors: expect.stringContaining('"absent" not found') });
  });

  test('shows the status again with --watch until it is stopped', async () => {
    const child = spawn(process.execPath, [bin, 'status', '--data-dir', data, '--watch', '-o', 'json']);
    let lines = 0;
    for await (const _ of createInterface(child.stdout)) {
      lines++;
      if (lines === 2) child.kill();
    }
    expect(lines).toBe(2);
  });

  test('looks into the store where no server runs', async () => {
    const other = join(folder, 'other');
    const before = await startTestServer({ store: 'embedded', dataDir: other });
    const api = apiOf(before);
    await api.post(configMaps, configMap('kept'));
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect((await api.post(lease, { metadata: { name: 'one' } })).status).toBe(201);
    const metrics = await (await before.fetch('/metrics')).text();
    const served = [...metrics.matchAll(/^apiserver_resource_objects\{group="([^"]*)",resource="([^"]*)"\}/gm)];
    const names = served.map(([, group, resource]) => (group === '' ? resource : `${resource}.${group}`));
    const { body } = await api.get(`${configMaps}?limit=1`);
    await before.close();
    const { code, output } = await keelson(['status', '--data-dir', other, '-o', 'json']);
    expect(code).toBe(0);
    const found = JSON.parse(output);
    expect(found).not.toHaveProperty('server');
    expect(found.revision).toBeGreaterThanOrEqual(Number(body.metadata.resourceVersion));
    expect(found.objects.namespaces).toBe(4);
    expect(found.objects['leases.coordination.k8s.io']).toBeGreaterThan(0);
    // kubectl's names, which a running server has too; records of addresses are no objects
    for (const name of Object.keys(found.objects).filter((one) => one !== 'ranges')) expect(names).toContain(name);
    expect((await keelson(['status', '--data-dir', other])).output).toMatch(/^server +not running$/m);
  });

  test('says in one line that there is nothing', async () => {
    const { code, errors } = await keelson(['status', '--data-dir', join(folder, 'nowhere')]);
    expect(code).toBe(1);
    expect(errors).toBe(`keelson: no server runs on ${join(folder, 'nowhere')}, and there is no store in it\n`);
  });
});

describe('keelson kubeconfig', () => {
  test('prints the one of the data folder', async () => {
    expect((await keelson(['kubeconfig', '--data-dir', data])).output).toBe(server.kubeconfig);
  });

  test('adds it to a file, where all else stays, and replaces it there later', async () => {
    const file = join(folder, 'real-config');
    const link = join(folder, 'config');
    const entry = '# mine\n- name: prod\n';
    writeFileSync(
      file,
      `apiVersion: v1\nkind: Config\nclusters:\n${entry}  cluster: { server: https://127.0.0.1:1 }\ncurrent-context: prod\n`,
    );
    symlinkSync(file, link);
    for (const _ of [1, 2]) {
      const { code, output } = await keelson(['kubeconfig', '--merge', '--data-dir', data], { KUBECONFIG: link });
      expect([code, output]).toEqual([0, `context keelson is in ${link}, and current: kubectl get namespaces\n`]);
    }
    const merged = parse(readFileSync(file, 'utf8'));
    expect(merged.clusters.map(({ name }: { name: string }) => name)).toEqual(['prod', 'keelson']);
    expect(merged.clusters[1].cluster).toEqual(parse(server.kubeconfig).clusters[0].cluster);
    expect(merged.users).toHaveLength(1);
    expect(merged['current-context']).toBe('keelson');
    expect(readFileSync(file, 'utf8')).toContain('# mine');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('makes the usual file under a name of choice, and waits for no lock', async () => {
    const { code } = await keelson(['kubeconfig', '--merge', '--name=test', '--data-dir', data], { KUBECONFIG: '' });
    expect(code).toBe(0);
    const file = join(folder, '.kube', 'config');
    expect(parse(readFileSync(file, 'utf8')).contexts).toEqual([
      { name: 'test', context: { cluster: 'test', user: 'test' } },
    ]);
    writeFileSync(`${file}.lock`, '');
    const locked = await keelson(['kubeconfig', '--merge', '--data-dir', data], { KUBECONFIG: '' });
    expect([locked.code, locked.errors]).toEqual([1, expect.stringContaining('.lock exists: another program')]);
    writeFileSync(join(folder, 'broken'), 'a: [');
    const broken = await keelson(['kubeconfig', '--merge', '--into', join(folder, 'broken'), '--data-dir', data]);
    expect([broken.code, readFileSync(join(folder, 'broken'), 'utf8')]).toEqual([1, 'a: [']);
  });
});

describe('keelson token', () => {
  test('prints a token that the server knows its account by', async () => {
    await eventually(async () =>
      expect((await apiOf(server).get('/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(200),
    );
    const { code, output } = await keelson(['token', 'default', '--data-dir', data, '--duration=20m']);
    expect(code).toBe(0);
    expect(await whoIs(server, { headers: bearer(output.trim()) })).toMatchObject({
      username: 'system:serviceaccount:default:default',
    });
    const { exp, iat } = JSON.parse(Buffer.from(output.split('.')[1] ?? '', 'base64url').toString());
    expect(exp - iat).toBe(1200);
  });

  test('makes bootstrap tokens', async () => {
    const { output } = await keelson(['token', 'bootstrap', '--data-dir', data]);
    expect(output).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}\n$/);
    expect(await whoIs(server, { headers: bearer(output.trim()) })).toMatchObject({
      username: `system:bootstrap:${output.slice(0, 6)}`,
    });
  });

  test('says what is wrong in one line', async () => {
    const missing = await keelson(['token', 'not-there', '--data-dir', data]);
    expect([missing.code, missing.errors.split('\n').length]).toEqual([1, 2]);
    expect(missing.errors).toContain('not found');
    const stopped = await keelson(['token', '--data-dir', join(folder, 'nowhere')]);
    expect(stopped.errors).toBe(`keelson: no server runs on the data folder ${join(folder, 'nowhere')}\n`);
  });
});

describe('keelson doctor', () => {
  const findings = async (...args: string[]) => {
    const { code, output } = await keelson(['doctor', '-o', 'json', ...args]);
    const found = JSON.parse(output) as { check: string; state: string; message: string }[];
    return { code, found: new Map(found.map(({ check, ...rest }) => [check, rest])) };
  };

  test('finds nothing wrong with a running server', async () => {
    const port = new URL(server.url).port;
    const { code, found } = await findings('--data-dir', data, '--secure-port', port);
    expect(code).toBe(0);
    expect([...found.keys()]).toEqual([
      ...['data folder', 'port', 'disk', 'clock', 'store', 'certificates', 'encryption', 'authentication', 'admission'],
      ...['audit', 'tracing', 'open files'],
    ]);
    expect(found.get('port')).toEqual({
      state: 'ok',
      message: `127.0.0.1:${port} is in use; a server runs on the data folder`,
    });
    expect(found.get('certificates')?.message).toMatch(/has 364 days left$/);
    const text = (await keelson(['doctor', '--data-dir', data, '--secure-port', port])).output;
    expect(text).toMatch(/^ok +data folder +\//m);
  });

  test('names what has to be mended, and fails', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const { port } = busy.address() as { port: number };
    const odd = join(folder, 'odd');
    mkdirSync(join(odd, 'store'), { recursive: true, mode: 0o777 });
    mkdirSync(join(odd, 'pki'));
    writeFileSync(join(odd, 'pki', 'ca.crt'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    writeFileSync(join(odd, 'store', 'data.mdb'), '');
    utimesSync(join(odd, 'store', 'data.mdb'), new Date(), new Date(Date.now() + 3_600_000));
    const { code, found } = await findings('--data-dir', odd, `--secure-port=${port}`);
    busy.close();
    expect(code).toBe(1);
    expect(found.get('port')).toEqual({
      state: 'bad',
      message: `127.0.0.1:${port} is in use by another program: choose another with --secure-port`,
    });
    expect(found.get('clock')).toMatchObject({ state: 'odd', message: expect.stringContaining('the clock went back') });
    expect(found.get('certificates')).toMatchObject({ state: 'bad', message: expect.stringContaining('ca.crt') });
  });
});
