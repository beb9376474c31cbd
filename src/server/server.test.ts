import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { Log } from '../config/options.ts';
import { createIdentity } from '../pki/identity.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { type Store, StoreUnavailableError, type Write } from '../storage/store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createServer } from './create-server.ts';

/** A memory store whose commits can be made to misbehave. */
function misbehaving(): { store: Store; commit: (write: Write) => ReturnType<Store['commit']> } {
  const inner = openMemoryStore();
  const control = { store: inner, commit: (write: Write) => inner.commit(write) };
  control.store = {
    get: (key) => inner.get(key),
    list: (query) => inner.list(query),
    commit: (write) => control.commit(write),
    watch: (query, watcher) => inner.watch(query, watcher),
    compact: (revision) => inner.compact(revision),
    currentRevision: () => inner.currentRevision(),
    close: () => inner.close(),
  };
  return control;
}

const body = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } });
const create = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
const path = '/api/v1/namespaces/default/configmaps';

interface Failure {
  readonly kind: string;
  readonly reason: string;
  readonly message: string;
}

function recorder(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  return { log: { info: write, warn: write, error: write }, lines };
}

describe('a request that goes wrong', () => {
  test('unexpectedly is a 500 without details, and a log line under its Audit-Id', async () => {
    const control = misbehaving();
    const { log, lines } = recorder();
    await using server = await createServer({ store: control.store, log, controllers: [] });
    control.commit = () => Promise.reject(new TypeError('secret inner workings'));
    const answer = await server.fetch(path, create);
    const status = (await answer.json()) as Failure;
    expect([answer.status, status.kind, status.reason]).toEqual([500, 'Status', 'InternalError']);
    expect(status.message).not.toContain('secret');
    // what the server keeps of its own fails at the same time, and is logged next to
    const own = lines.filter(({ requestId }) => requestId === answer.headers.get('audit-id'));
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({ verb: 'create', path });
  });

  test('because the disk does is a 503 that says so, and reads go on', async () => {
    const control = misbehaving();
    await using server = await createServer({ store: control.store });
    control.commit = () => Promise.reject(new StoreUnavailableError('no space left on device'));
    const answer = await server.fetch(path, create);
    const status = (await answer.json()) as Failure;
    expect([answer.status, status.reason, status.message]).toEqual([
      503,
      'ServiceUnavailable',
      'no space left on device',
    ]);
    expect((await server.fetch(path)).status).toBe(200);
  });

  test('by taking too long is a 504', async () => {
    const control = misbehaving();
    const clock = new FakeClock();
    await using server = await createServer({ store: control.store, clock, requestTimeoutSeconds: 5, controllers: [] });
    const reached = new Promise<void>((resolve) => {
      control.commit = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const asked = server.fetch(path, create);
    await reached;
    clock.advance(5000);
    const answer = await asked;
    expect([answer.status, ((await answer.json()) as Failure).reason]).toEqual([504, 'Timeout']);
  });

  test('keeps the id its client chose, unless that could do harm', async () => {
    await using server = await createServer();
    const idOf = async (id: string) =>
      (await server.fetch('/readyz', { headers: { 'audit-id': id } })).headers.get('audit-id');
    expect(await idOf('trace-1.2:3')).toBe('trace-1.2:3');
    expect(await idOf('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('a b')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('a server that is told to close is not ready at once, and goes on until others had time to notice', async () => {
  const clock = new FakeClock();
  const server = await createServer({ clock, shutdownDelaySeconds: 5, securePort: 0 });
  await server.listen();
  const status = async (path: string) => (await server.fetch(path)).status;
  expect([await status('/readyz'), await status('/livez')]).toEqual([200, 200]);
  let closed = false;
  const closing = server.close().then(() => {
    closed = true;
  });
  clock.advance(4999);
  expect([await status('/readyz'), await status('/livez'), await status('/healthz')]).toEqual([500, 200, 200]);
  expect((await server.fetch(path, create)).status).toBe(201);
  expect(closed).toBe(false);
  // the delay may begin after what the server itself has to take back
  for (; !closed; await new Promise(setImmediate)) clock.advance(5000);
  await closing;
  expect(await status('/readyz')).toBe(503);
});

describe('serving certificates of one’s own', () => {
  test('are shown to clients, and the kubeconfig trusts them', async () => {
    await using folder = { path: mkdtempSync(join(tmpdir(), 'keelson-tls-')), [Symbol.asyncDispose]: removeFolder };
    const own = createIdentity(['127.0.0.1'], Date.now()).serving;
    const [tlsCertFile, tlsPrivateKeyFile] = [join(folder.path, 'tls.crt'), join(folder.path, 'tls.key')];
    writeFileSync(tlsCertFile, own.certificate);
    writeFileSync(tlsPrivateKeyFile, own.privateKey);
    await using server = await createServer({ tlsCertFile, tlsPrivateKeyFile, securePort: 0 });
    await server.listen();
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    expect(socket.getPeerX509Certificate()?.toString()).toBe(own.certificate);
    socket.destroy();
    expect(server.kubeconfig).toContain(Buffer.from(own.certificate).toString('base64'));
  });

  test('must be readable', async () => {
    const files = { tlsCertFile: '/nowhere/cert', tlsPrivateKeyFile: '/nowhere/key' };
    await expect(createServer(files)).rejects.toThrow(/tlsPrivateKeyFile: .*ENOENT/);
  });
});

async function removeFolder(this: { readonly path: string }): Promise<void> {
  rmSync(this.path, { recursive: true });
}
