// Keelson inside a program: only what the package exports.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cluster, createServer, OptionError } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';

const temporary = () => mkdtempSync(join(tmpdir(), 'keelson-embed-'));

describe('createServer', () => {
  test('answers without a port, and says so when one is asked about', async () => {
    await using server = await createServer();
    expect((await server.fetch('/api/v1/namespaces/default')).status).toBe(200);
    expect(() => server.url).toThrow('call listen() first');
    expect(server.kubeconfigPath).toBeUndefined();
  });

  test('listens on a free port with certificates of its own, and frees everything on close', async () => {
    const dataDir = temporary();
    const server = await createServer({ store: 'embedded', dataDir });
    await server.listen();
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(readFileSync(join(dataDir, 'kubeconfig'), 'utf8')).toBe(server.kubeconfig);
    for (const key of ['ca', 'apiserver', 'admin'])
      expect(statSync(join(dataDir, 'pki', `${key}.key`)).mode & 0o777).toBe(0o600);
    await expect(createServer({ store: 'embedded', dataDir })).rejects.toThrow('in use by another Keelson');
    await server.close();
    await server.close();
    expect(readdirSync(join(dataDir, 'store')).filter((name) => name.endsWith('.sock'))).toEqual([]);
    rmSync(dataDir, { recursive: true });
  });

  test('keeps objects and identity over a restart', async () => {
    const dataDir = temporary();
    const first = await createServer({ store: 'embedded', dataDir });
    const made = (await apiOf(first).post(configMaps, configMap('kept', { a: '1' }))).body;
    await first.listen();
    const ca = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
    await first.close();
    const second = await createServer({ store: 'embedded', dataDir });
    await second.listen();
    expect((await apiOf(second).get(`${configMaps}/kept`)).body).toEqual(made);
    expect(readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8')).toBe(ca);
    await second.close();
    rmSync(dataDir, { recursive: true });
  });

  test.each([
    [{ store: 'embedded' } as const, 'store: the embedded store needs dataDir'],
    [{ securePort: 70_000 }, 'securePort: 70000 is not a port'],
    [{ tlsCertFile: 'x' }, 'tlsCertFile: needs tlsPrivateKeyFile as well'],
    [{ dialectNames: { apiDomain: 'x' } }, 'dialectNames.apiDomain: only the cluster dialect takes names'],
    [{ store: 'memory', etcdServers: ['http://127.0.0.1:1'] } as const, 'etcdServers: only the etcd store has servers'],
    [{ etcdServers: ['https://127.0.0.1:1'], etcdCertFile: 'x' }, 'etcdCertFile: needs etcdKeyFile as well'],
    [{ etcdServers: ['https://127.0.0.1:1'], etcdKeyFile: 'x' }, 'etcdKeyFile: needs etcdCertFile as well'],
    [{ etcdServers: ['https://127.0.0.1:1'], etcdCaFile: '/nowhere/ca' }, 'etcdCaFile: ENOENT'],
    [{ historySeconds: -1 }, 'historySeconds: -1 is not a positive number'],
  ])('refuses %o by name', async (options, message) => {
    await expect(createServer(options)).rejects.toThrow(OptionError);
    await expect(createServer(options)).rejects.toThrow(message);
  });
});

describe('startTestServer', () => {
  test('stamps objects with the time the test says', async () => {
    await using server = await startTestServer({ listen: false, clock: new FakeClock('2031-02-03T04:05:06Z') });
    const { body } = await apiOf(server).post(configMaps, configMap('dated'));
    expect(body.metadata.creationTimestamp).toBe('2031-02-03T04:05:06Z');
  });

  test('lets several servers live side by side', async () => {
    await using one = await startTestServer({ listen: false });
    await using two = await startTestServer({ listen: false });
    await apiOf(one).post(configMaps, configMap('mine'));
    expect((await apiOf(two).get(`${configMaps}/mine`)).status).toBe(404);
  });

  test('acts as the user it is told to', async () => {
    await using server = await startTestServer({ listen: false });
    const jane = await server.fetch(configMaps, { user: { name: 'jane', groups: ['devs'] } });
    expect(await jane.json()).toMatchObject({ code: 403, message: expect.stringContaining('User "jane" cannot list') });
    const root = await server.fetch(configMaps, { user: { name: 'root', groups: ['system:masters'] } });
    expect(root.status).toBe(200);
  });
});

describe('dialects', () => {
  test('the cluster dialect speaks neutral names and the domains it is given', async () => {
    const names = {
      apiDomain: 'api.example.org',
      labelDomain: 'example.org',
      systemNamespace: 'sys',
      publicNamespace: 'pub',
    };
    await using server = await startTestServer({ listen: false, dialect: cluster(names) });
    const api = apiOf(server);
    expect((await api.get('/apis/coordination.api.example.org/v1')).status).toBe(200);
    const { body } = await api.get('/api/v1/namespaces/sys');
    expect(body).toMatchObject({
      metadata: { labels: { 'example.org/metadata.name': 'sys' } },
      spec: { finalizers: ['cluster'] },
    });
    expect((await api.delete('/api/v1/namespaces/pub')).status).toBe(403);
    expect(
      (await api.get(configMaps, { accept: 'application/json;as=Table;v=v1;g=meta.api.example.org' })).body.kind,
    ).toBe('Table');
    const document = (await api.get('/openapi/v3/api/v1')).body;
    expect(
      document.components.schemas['org.example.api.api.core.v1.ConfigMap']['x-cluster-group-version-kind'],
    ).toBeDefined();
  });

  test.each([
    ['kubernetes', 422, 422, 422],
    ['cluster', 201, 400, 400],
  ] as const)(
    '%s: empty dryRun %i, invalid list options %i, strict patch %i',
    async (dialect, emptyDryRun, listOptions, strictPatch) => {
      await using server = await startTestServer({ listen: false, dialect });
      const api = apiOf(server);
      expect((await api.post(`${configMaps}?dryRun=`, configMap('a'))).status).toBe(emptyDryRun);
      await api.put(`${configMaps}/a`, configMap('a'));
      await api.post(configMaps, configMap('b'));
      expect((await api.get(`${configMaps}?resourceVersionMatch=Exact`)).status).toBe(listOptions);
      expect((await api.patch('merge', `${configMaps}/b?fieldValidation=Strict`, { odd: 1 })).status).toBe(strictPatch);
    },
  );

  test.each([
    ['kubernetes', 2],
    ['cluster', 1],
  ] as const)('%s: limit at any version gives %i items', async (dialect, count) => {
    await using server = await startTestServer({ listen: false, dialect, controllers: [] });
    const api = apiOf(server);
    await api.post(configMaps, configMap('a'));
    await api.post(configMaps, configMap('b'));
    expect((await api.get(`${configMaps}?limit=1&resourceVersion=0`)).body.items).toHaveLength(count);
  });
});
