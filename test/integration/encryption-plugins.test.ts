// Encryption with keys of a plugin, on whole servers: what is stored, new keys, plugins that fail, health and metrics.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createServer, type ServerOptions } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { KmsPlugin } from '../kms-plugin.ts';
import { type Api, apiOf, secrets } from './api.ts';
import { eventually } from './eventually.ts';

const folder = new TempFolder();
afterAll(() => folder[Symbol.dispose]());
let files = 0;

async function plugin(): Promise<{ plugin: KmsPlugin; socket: string }> {
  const socket = join(folder.path, `${++files}.sock`);
  const opened = await KmsPlugin.listen(socket);
  onTestFinished(() => opened.close());
  return { plugin: opened, socket };
}

function fileOf(socket: string, path = join(folder.path, `${++files}.json`), timeout = '20s'): string {
  const kms = { apiVersion: 'v2', name: 'plug', endpoint: `unix://${socket}`, timeout };
  const resources = [{ resources: ['secrets'], providers: [{ kms }, { identity: {} }] }];
  const about = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
  writeFileSync(path, JSON.stringify({ ...about, resources }));
  return path;
}

/** A store that outlives its servers. */
function lasting(): Store {
  return new Proxy(openMemoryStore(), {
    get(target, name) {
      if (name === 'close') return async () => {};
      const found = Reflect.get(target, name, target) as unknown;
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

async function started(options: ServerOptions): Promise<{ api: Api; close: () => Promise<void> }> {
  const server = await createServer({ controllers: [], ...options });
  onTestFinished(() => server.close());
  return { api: apiOf(server), close: () => server.close() };
}

const secret = (name: string) => ({
  ...{ kind: 'Secret', apiVersion: 'v1', metadata: { name } },
  stringData: { password: 'correct horse' },
});
const passwordIn = (answer: { body: { data?: Record<string, string> } }) =>
  Buffer.from(answer.body.data?.['password'] ?? '', 'base64').toString();
const raw = async (store: Store, name: string) =>
  Buffer.from((await store.get(`/secrets/default/${name}`))?.value ?? []).toString('latin1');

test('secrets are stored with a key of the plugin, and read again by the next server', async () => {
  const { plugin: used, socket } = await plugin();
  const store = lasting();
  const encryptionProviderConfig = fileOf(socket);
  const first = await started({ store, encryptionProviderConfig });
  expect((await first.api.post(secrets, secret('a'))).status).toBe(201);
  expect(await raw(store, 'a')).toMatch(/^k8s:enc:kms:v2:plug:/);
  expect(await raw(store, 'a')).not.toContain('password');
  expect(passwordIn(await first.api.get(`${secrets}/a`))).toBe('correct horse');
  expect(used.calls).toEqual(['Status', 'Encrypt']);
  await first.close();
  const { api } = await started({ store, encryptionProviderConfig });
  expect((await api.post(secrets, secret('b'))).status).toBe(201);
  expect((await api.get(secrets)).body.items.map(nameOf)).toEqual(['a', 'b']);
  expect(passwordIn(await api.get(`${secrets}/a`))).toBe('correct horse');
  // one call for the seed of the server before, however often its values are read
  expect(used.count('Decrypt')).toBe(1);
});

const nameOf = ({ metadata }: { metadata: { name: string } }) => metadata.name;

test('a new key of the plugin is used for what is written next, and a write without a change stores again', async () => {
  const { plugin: used, socket } = await plugin();
  const [store, clock] = [lasting(), new FakeClock()];
  const { api } = await started({ store, clock, encryptionProviderConfig: fileOf(socket) });
  await api.post(secrets, secret('a'));
  const before = await raw(store, 'a');
  expect((await api.put(`${secrets}/a`, (await api.get(`${secrets}/a`)).body)).status).toBe(200);
  expect(await raw(store, 'a')).toBe(before);
  used.keyId = 'second';
  await eventually(async () => {
    clock.advance(60_000);
    await api.get('/healthz/kms-providers');
    await api.put(`${secrets}/a`, (await api.get(`${secrets}/a`)).body);
    expect(await raw(store, 'a')).toContain('second');
  });
  expect(passwordIn(await api.get(`${secrets}/a`))).toBe('correct horse');
});

test('without the plugin secrets are not served, others are, and all is well when it is back', async () => {
  const { plugin: used, socket } = await plugin();
  const [store, clock] = [lasting(), new FakeClock()];
  const encryptionProviderConfig = fileOf(socket);
  const first = await started({ store, clock, encryptionProviderConfig });
  await first.api.post(secrets, secret('a'));
  await first.close();
  used.failure = status.UNAVAILABLE;
  const { api } = await started({ store, clock, encryptionProviderConfig });
  const unread = await api.get(secrets);
  expect(unread).toMatchObject({ status: 500, body: { reason: 'InternalError' } });
  expect(unread.body.message).toContain('failed to decrypt DEK, error: rpc error: code = Unavailable desc = ');
  expect(await api.post(secrets, secret('b'))).toMatchObject({ status: 500, body: { reason: 'InternalError' } });
  expect((await api.get('/api/v1/namespaces')).status).toBe(200);
  expect((await api.get('/healthz/kms-providers')).status).toBe(500);
  expect((await api.get('/livez/kms-providers')).status).toBe(404);
  expect((await api.get('/readyz?verbose')).body).toContain('[-]kms-providers failed: reason withheld');
  used.failure = undefined;
  await eventually(async () => {
    clock.advance(10_000);
    expect((await api.get('/readyz/kms-providers')).status).toBe(200);
  });
  await eventually(async () => expect((await api.get(secrets)).body.items?.map(nameOf)).toEqual(['a']));
  expect((await api.post(secrets, secret('b'))).status).toBe(201);
});

test('a value that the plugin refuses is left out next to the others', async () => {
  const { plugin: used, socket } = await plugin();
  const store = lasting();
  const encryptionProviderConfig = fileOf(socket);
  const first = await started({ store, encryptionProviderConfig });
  await first.api.post(secrets, secret('a'));
  await first.close();
  const { api } = await started({ store, encryptionProviderConfig });
  await api.post(secrets, secret('b'));
  used.failure = status.INVALID_ARGUMENT;
  expect((await api.get(secrets)).body.items.map(nameOf)).toEqual(['b']);
  expect(await api.get(`${secrets}/a`)).toMatchObject({ status: 500, body: { reason: 'StorageReadError' } });
});

test('a followed file changes to a plugin only once that works', async () => {
  const { socket } = await plugin();
  const [store, clock] = [lasting(), new FakeClock()];
  const path = join(folder.path, `${++files}.json`);
  const box = { secretbox: { keys: [{ name: 'k', secret: Buffer.alloc(32, 1).toString('base64') }] } };
  writeFileSync(
    path,
    JSON.stringify({
      ...{ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' },
      resources: [{ resources: ['secrets'], providers: [box] }],
    }),
  );
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const { api } = await started({
    ...{ store, clock, encryptionProviderConfig: path, encryptionProviderConfigAutomaticReload: true },
    log: { info: keep, warn: keep, error: keep },
  });
  expect((await api.get('/readyz/kms-providers')).status).toBe(200);
  const hook =
    '[+]poststarthook/start-encryption-provider-config-automatic-reload ok\n[+]poststarthook/start-apiserver-adm';
  expect((await api.get('/livez?verbose')).body).toContain(hook);
  const told = (text: string) =>
    eventually(async () => {
      clock.advance(5000);
      expect(lines.join('\n')).toContain(text);
    });
  fileOf(join(folder.path, 'nobody.sock'), path, '100ms');
  await told('the encryption configuration cannot be used, the old one stays');
  await api.post(secrets, secret('a'));
  expect(await raw(store, 'a')).toMatch(/^k8s:enc:secretbox:v1:k:/);
  fileOf(socket, path);
  await told('has changed, the new one is used');
  await api.post(secrets, secret('b'));
  expect(await raw(store, 'b')).toMatch(/^k8s:enc:kms:v2:plug:/);
  const { body: metrics } = await api.get('/metrics');
  const reloads = (outcome: string) =>
    new RegExp(
      `^apiserver_encryption_config_controller_automatic_reloads_total\\{status="${outcome}",.*\\} [1-9]`,
      'm',
    );
  expect(metrics).toMatch(reloads('failure'));
  expect(metrics).toMatch(reloads('success'));
});

test('plugins, keys and values are counted under the names of 1.36', async () => {
  const { socket } = await plugin();
  const store = lasting();
  const { api } = await started({ store, encryptionProviderConfig: fileOf(socket) });
  await api.post(secrets, secret('a'));
  await api.get(secrets);
  const { body } = await api.get('/metrics');
  const form = 'transformer_prefix="k8s:enc:kms:v2:plug:"';
  for (const line of [
    `apiserver_storage_transformation_operations_total{resource="secrets",transformation_type="to_storage",${form},status="OK"} 1`,
    `apiserver_storage_transformation_duration_seconds_count{transformation_type="to_storage",${form}} 1`,
    'apiserver_envelope_encryption_kms_operations_latency_seconds_count{provider_name="plug",method_name="/v2.KeyManagementService/Status",grpc_status_code="OK"} 1',
    'apiserver_envelope_encryption_dek_source_cache_size{provider_name="plug"} 1',
    'apiserver_storage_data_key_generation_duration_seconds_count 1',
    'apiserver_storage_envelope_transformation_cache_misses_total 0',
  ])
    expect(body).toContain(`${line}\n`);
  const key =
    'provider_name="plug",key_id_hash="sha256:a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"';
  expect(body).toContain(`apiserver_envelope_encryption_key_id_hash_total{transformation_type="to_storage",${key},`);
  expect(body).toMatch(
    /^apiserver_encryption_config_controller_last_config_info\{apiserver_id_hash="sha256:\w{64}",hash="sha256:\w{64}"\} 1$/m,
  );
});
