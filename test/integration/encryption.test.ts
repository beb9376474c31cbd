// Encryption of what is stored, on whole servers: what is on the disk, how keys are replaced, and values of kube-apiserver.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer, type Server, type ServerOptions } from '../../src/index.ts';
import { zeroRevision } from '../../src/meta/revision.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf, configMap, configMaps, secrets } from './api.ts';
import { eventually } from './eventually.ts';

const folder = new TempFolder();
afterAll(() => folder[Symbol.dispose]());

interface Rule {
  readonly resources: readonly string[];
  readonly providers: readonly object[];
}

const keyOf = (name: string, length = 32) => ({
  name,
  secret: Buffer.alloc(length, `${name} of the test`).toString('base64'),
});
const identity = { identity: {} };
let files = 0;

function write(rules: readonly Rule[], path = join(folder.path, `encryption-${++files}.json`)): string {
  const about = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
  writeFileSync(path, JSON.stringify({ ...about, resources: rules }));
  return path;
}

const box = (...keys: string[]) => ({ secretbox: { keys: keys.map((name) => keyOf(name)) } });

/** A store that outlives its servers: what is in it is what would be on a disk. */
function lasting(): Store {
  const store = openMemoryStore();
  return new Proxy(store, {
    get(target, name) {
      if (name === 'close') return async () => {};
      const found = Reflect.get(target, name, target) as unknown;
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

async function started(options: ServerOptions): Promise<{ server: Server; api: Api }> {
  const server = await createServer({ controllers: [], ...options });
  onTestFinished(() => server.close());
  return { server, api: apiOf(server) };
}

async function raw(store: Store, key: string): Promise<string> {
  return Buffer.from((await store.get(key))?.value ?? []).toString('latin1');
}

const secret = (name: string, password = 'correct horse') => ({
  ...{ kind: 'Secret', apiVersion: 'v1', metadata: { name } },
  stringData: { password },
});
const passwordIn = (answer: { body: { data?: Record<string, string> } }) =>
  Buffer.from(answer.body.data?.['password'] ?? '', 'base64').toString();

test('nothing of a secret is on the disk, and all of it comes back after a restart', async () => {
  const dataDir = join(folder.path, 'data');
  const rules = [{ resources: ['secrets'], providers: [{ aescbc: { keys: [keyOf('one')] } }, identity] }];
  const options: ServerOptions = { store: 'embedded', dataDir, encryptionProviderConfig: write(rules) };
  const { server, api } = await started(options);
  const clear = Buffer.from('a very well known text').toString('base64');
  expect((await api.post(secrets, { ...secret('a', 'a very well known text') })).status).toBe(201);
  expect((await api.post(configMaps, configMap('a', { text: 'not hidden at all' }))).status).toBe(201);
  await server.close();
  const found = (text: string) =>
    readdirSync(join(dataDir, 'store'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));
  expect([found(clear), found('not hidden at all'), found('k8s:enc:aescbc:v1:one:')]).toEqual([false, true, true]);
  const again = await started(options);
  expect(passwordIn(await again.api.get(`${secrets}/a`))).toBe('a very well known text');
});

test('keys are replaced step by step, and a write without a change stores again', async () => {
  const store = lasting();
  const during = async (providers: readonly object[], work: (api: Api) => Promise<void>) => {
    const encryptionProviderConfig = write([{ resources: ['secrets'], providers }]);
    const server = await createServer({ store, controllers: [], encryptionProviderConfig });
    try {
      await work(apiOf(server));
    } finally {
      await server.close();
    }
  };
  const stored = async () => (await raw(store, '/secrets/default/a')).slice(0, 25);
  const rewrite = async (api: Api) => {
    const { body } = await api.get(`${secrets}/a`);
    const answer = await api.put(`${secrets}/a`, body);
    expect(answer.status).toBe(200);
    return { before: body.metadata.resourceVersion, after: answer.body.metadata.resourceVersion };
  };
  await during([identity], async (api) => {
    expect((await api.post(secrets, secret('a'))).status).toBe(201);
    expect(await stored()).toContain('{"kind":"Secret"');
  });
  await during([box('old'), identity], async (api) => {
    expect(await stored()).toContain('{"kind":"Secret"');
    const { before, after } = await rewrite(api);
    expect(after).not.toBe(before);
    expect(await stored()).toBe('k8s:enc:secretbox:v1:old:');
    // what is stored as it would be written is not written again
    const second = await rewrite(api);
    expect(second.after).toBe(second.before);
  });
  await during([box('old', 'new'), identity], async (api) => {
    const { before, after } = await rewrite(api);
    expect(after).toBe(before);
  });
  await during([box('new', 'old'), identity], async (api) => {
    expect(passwordIn(await api.get(`${secrets}/a`))).toBe('correct horse');
    await rewrite(api);
    expect(await stored()).toBe('k8s:enc:secretbox:v1:new:');
  });
  await during([box('new')], async (api) => {
    expect(passwordIn(await api.get(`${secrets}/a`))).toBe('correct horse');
  });
  await during([identity, box('new')], async (api) => {
    await rewrite(api);
    expect(await stored()).toContain('{"kind":"Secret"');
  });
});

test('a value without its key is an error that names it, and is served nowhere', async () => {
  const store = lasting();
  const one = await started({
    store,
    encryptionProviderConfig: write([{ resources: ['secrets'], providers: [box('one')] }]),
  });
  await one.api.post(secrets, secret('a'));
  await one.server.close();
  const two = [{ resources: ['secrets'], providers: [box('two'), identity] }];
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { info: () => {}, warn: keep, error: keep };
  // controllers see every value, and must bear with those that cannot be read
  const { api } = await started({ store, controllers: ['*'], log, encryptionProviderConfig: write(two) });
  expect((await api.post(secrets, secret('b'))).status).toBe(201);
  const answer = await api.get(`${secrets}/a`);
  expect(answer).toMatchObject({ status: 500, body: { reason: 'StorageReadError' } });
  expect(answer.body.message).toContain(
    'encrypted with key "one" of secretbox, which the encryption configuration does not have',
  );
  expect((await api.put(`${secrets}/a`, secret('a'))).status).toBe(500);
  const { body } = await api.get(secrets);
  expect(JSON.stringify(body)).not.toContain('k8s:enc');
  expect(passwordIn(await api.get(`${secrets}/b`))).toBe('correct horse');
  expect((await api.delete(`${secrets}/b`)).status).toBe(200);
  expect((await api.post(secrets, secret('b'))).status).toBe(201);
  expect(lines.filter((line) => !line.includes('/secrets/default/a'))).toEqual([]);
  expect(lines).toHaveLength(1);
  const reports: string[] = [];
  const report = (fields: object, message: string) => void reports.push(`${message} ${JSON.stringify(fields)}`);
  const plain = await started({ store, log: { info: () => {}, warn: report, error: report } });
  const problem =
    'it is encrypted with key "two" of secretbox: name the file with that key by --encryption-provider-config';
  const unread = await plain.api.get(`${secrets}/b`);
  expect([unread.status, unread.body.message]).toEqual([500, expect.stringContaining(problem)]);
  await plain.api.get(secrets);
  expect(reports.join('\n').replaceAll('\\"', '"')).toContain('it is encrypted with key "');
});

test('a file that is followed is used when it changes, and one that cannot be used changes nothing', async () => {
  const store = lasting();
  const clock = new FakeClock();
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const path = write([{ resources: ['secrets'], providers: [box('one'), identity] }]);
  const { api } = await started({
    ...{ store, clock, encryptionProviderConfig: path, encryptionProviderConfigAutomaticReload: true },
    log: { info: keep, warn: keep, error: keep },
  });
  await api.post(secrets, secret('a'));
  const told = (text: string) =>
    eventually(async () => {
      clock.advance(60_000);
      expect(lines.join('\n')).toContain(text);
    });
  write([{ resources: ['secrets'], providers: [box('two', 'one'), identity] }], path);
  await told('has changed, the new one is used');
  const { body } = await api.get(`${secrets}/a`);
  expect((await api.put(`${secrets}/a`, body)).status).toBe(200);
  expect(await raw(store, '/secrets/default/a')).toContain('k8s:enc:secretbox:v1:two:');
  const wrong = Buffer.alloc(31, 'three').toString('base64');
  write([{ resources: ['secrets'], providers: [{ secretbox: { keys: [{ name: 'three', secret: wrong }] } }] }], path);
  await told('got 31, expected one of [32]');
  await api.post(secrets, secret('b'));
  expect(await raw(store, '/secrets/default/b')).toContain('k8s:enc:secretbox:v1:two:');
  for (const { secret: key } of ['one', 'two', 'three'].map((name) => keyOf(name)))
    expect(lines.join('\n')).not.toContain(key);
  expect(lines.join('\n')).not.toContain(wrong);
});

const crd = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'widgets.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const define = async (api: Api) => {
  expect((await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)).status).toBe(201);
  await eventually(async () => expect((await api.get(widgets)).status).toBe(200));
};

test('resources are named by group, also custom ones, and by wildcards', async () => {
  const store = lasting();
  const rules = [
    { resources: ['widgets.example.com'], providers: [box('w')] },
    { resources: ['events'], providers: [box('e')] },
    { resources: ['*.coordination.k8s.io', 'deployments.apps'], providers: [box('c')] },
    { resources: ['*.'], providers: [{ aesgcm: { keys: [keyOf('core', 24)] } }, identity] },
  ];
  const { api } = await started({ store, controllers: ['*'], encryptionProviderConfig: write(rules) });
  await define(api);
  const meta = { name: 'a', namespace: 'default' };
  await api.post(widgets, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: meta,
    spec: { color: 'turquoise' },
  });
  await api.post('/apis/coordination.k8s.io/v1/namespaces/default/leases', {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: meta, spec: {} },
  });
  const event = await api.post('/apis/events.k8s.io/v1/namespaces/default/events', {
    ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: meta, eventTime: '2026-01-01T00:00:00.000000Z' },
    ...{
      reportingController: 'test.example.com/a',
      reportingInstance: 'a',
      action: 'Test',
      reason: 'Test',
      type: 'Normal',
    },
    regarding: { namespace: 'default', name: 'a', kind: 'Pod' },
  });
  expect(event.status).toBe(201);
  const labels = { app: 'a' };
  const deployment = await api.post('/apis/apps/v1/namespaces/default/deployments', {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  });
  expect(deployment.status).toBe(201);
  await api.post(configMaps, configMap('a'));
  const starts = async (key: string, start: string) =>
    expect((await raw(store, key)).slice(0, start.length)).toBe(start);
  await starts('/example.com/widgets/default/a', 'k8s:enc:secretbox:v1:w:');
  await starts('/leases/default/a', 'k8s:enc:secretbox:v1:c:');
  await starts('/deployments/default/a', 'k8s:enc:secretbox:v1:c:');
  await starts('/events/default/a', 'k8s:enc:secretbox:v1:e:');
  await starts('/configmaps/default/a', 'k8s:enc:aesgcm:v1:core:');
  await starts('/namespaces/default', 'k8s:enc:aesgcm:v1:core:');
  await starts('/clusterroles/cluster-admin', '{"kind":"ClusterRole"');
  expect((await api.get(`${widgets}/a`)).body.spec).toEqual({ color: 'turquoise' });
  expect((await api.get(widgets)).body.items).toHaveLength(1);
});

describe('values that kube-apiserver 1.36.4 encrypted', () => {
  const file = join(import.meta.dirname, '../conformance/stored/encrypted.json');
  const { configuration, values } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly configuration: { readonly resources: readonly Rule[] };
    readonly values: Readonly<Record<string, string>>;
  };

  test('are read with its file, each with another provider', async () => {
    const store = lasting();
    for (const [key, value] of Object.entries(values))
      await store.commit({ key, value: Buffer.from(value, 'base64'), expected: zeroRevision });
    const { api } = await started({
      ...{ store, controllers: ['*'], encryptionProviderConfig: write(configuration.resources) },
    });
    await define(api);
    expect(passwordIn(await api.get(`${secrets}/one`))).toBe('correct-horse');
    expect((await api.get(`${configMaps}/one`)).body.data).toEqual({ text: 'battery-staple' });
    expect((await api.get('/api/v1/namespaces/default/serviceaccounts/boxed')).body.metadata.name).toBe('boxed');
    await eventually(async () => expect((await api.get(`${widgets}/w`)).body.spec).toEqual({ color: 'turquoise' }));
  });

  test('and cannot be read at another key where the provider can tell', async () => {
    const store = lasting();
    const value = Buffer.from(values['/configmaps/default/one'] ?? '', 'base64');
    await store.commit({ key: '/configmaps/default/two', value, expected: zeroRevision });
    const { api } = await started({ store, encryptionProviderConfig: write(configuration.resources) });
    const answer = await api.get(`${configMaps}/two`);
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain('key "gcm-key" of aesgcm: message authentication failed');
  });
});

test('the file in docs/storage.md is one, once it has a key', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/storage.md'), 'utf8');
  const example = /```yaml\n(kind: EncryptionConfiguration\n[^`]*)```/.exec(page)?.[1] ?? '';
  const placeholder = '<32 random bytes in base64>';
  expect(example).toContain(placeholder);
  const path = folder.write('example.yaml', example.replace(placeholder, keyOf('any').secret));
  const store = lasting();
  const { api } = await started({ store, encryptionProviderConfig: path });
  expect((await api.post(secrets, secret('a'))).status).toBe(201);
  expect(await raw(store, '/secrets/default/a')).toContain('k8s:enc:secretbox:v1:key1:');
});
