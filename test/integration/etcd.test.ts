// Servers on a real etcd: replicas, outages, TLS, users, failover.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProtobufWriter } from '../../src/codec/protobuf/writer.ts';
import { createServer as createKeelson, type ServerOptions } from '../../src/index.ts';
import { createIdentity } from '../../src/pki/identity.ts';
import { EtcdConnection } from '../../src/storage/etcd/connection.ts';
import { openEtcdStore } from '../../src/storage/etcd/etcd-store.ts';
import { expectNoWait } from '../../src/testing/processor-time.ts';
import { type EtcdProcess, etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { freePort } from '../free-port.ts';
import { apiOf, configMap, configMaps } from './api.ts';

const open = (servers: string[], more: ServerOptions = {}) =>
  createKeelson({ store: 'etcd', etcdServers: servers, shutdownGraceSeconds: 0.1, ...more });

/** Passes everything on to an etcd until it is cut. */
class Relay implements AsyncDisposable {
  readonly #server: NetServer;
  readonly #sockets = new Set<Socket>();
  /** Bytes are swallowed instead of passed back: requests arrive, answers do not. */
  deaf = false;

  constructor(target: string) {
    const { hostname, port } = new URL(target);
    this.#server = createServer((client) => {
      const backend = connect(Number(port), hostname);
      client.on('data', (bytes) => backend.write(bytes));
      backend.on('data', (bytes) => {
        if (!this.deaf) client.write(bytes);
      });
      for (const [socket, other] of [
        [client, backend],
        [backend, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.cut();
  }
}

describe.skipIf(!hasEtcd)(etcdHint, () => {
  let etcd: EtcdProcess;
  beforeAll(async () => {
    etcd = await startEtcd({ args: ['--unsafe-no-fsync'] });
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  test('two replicas see each other: reads at once, watches soon', async () => {
    const options = { etcdPrefix: '/two' };
    await using one = await open([etcd.url], options);
    await using two = await open([etcd.url], options);
    const [first, second] = [apiOf(one), apiOf(two)];
    await second.get(configMaps);
    const watching = await two.fetch(`${configMaps}?watch=1`);
    const reader = (watching.body as ReadableStream<Uint8Array>).getReader();
    for (let i = 0; i < 20; i++) {
      expect((await first.post(configMaps, configMap(`a-${i}`))).status).toBe(201);
      expect((await second.get(`${configMaps}/a-${i}`)).status).toBe(200);
      expect(
        (await second.get(configMaps)).body.items.some(
          (item: { metadata: { name: string } }) => item.metadata.name === `a-${i}`,
        ),
      ).toBe(true);
      expect((await second.patch('merge', `${configMaps}/a-${i}`, { data: { i: `${i}` } })).status).toBe(200);
      expect((await first.get(`${configMaps}/a-${i}`)).body.data).toEqual({ i: `${i}` });
    }
    let seen = '';
    while (!seen.includes('"a-19"')) seen += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
    const racers = await Promise.all([first, second].map((api) => api.post(configMaps, configMap('race'))));
    expect(racers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('lays keys and values out as kube-apiserver does', async () => {
    await using server = await open([etcd.url], { etcdPrefix: '/layout' });
    await apiOf(server).post(configMaps, configMap('a', { k: 'v' }));
    const store = openEtcdStore({ servers: [etcd.url], prefix: '/layout' });
    const { entries } = await store.list({ prefix: '/' });
    expect(entries.map(({ key }) => key)).toContain('/configmaps/default/a');
    expect(entries.map(({ key }) => key)).toContain('/namespaces/default');
    const stored = JSON.parse(Buffer.from((await store.get('/configmaps/default/a'))?.value ?? []).toString());
    expect(stored).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } });
    expect(stored.metadata.resourceVersion).toBeUndefined();
    await store.close();
  });

  test('calls are counted by service and method, under the names of gRPC', async () => {
    await using server = await open([etcd.url]);
    await apiOf(server).post(configMaps, configMap('counted'));
    await apiOf(server).get(configMaps);
    const text = await (await server.fetch('/metrics')).text();
    const service = 'grpc_service="etcdserverpb.KV",grpc_type="unary"';
    for (const metric of ['started', 'msg_sent', 'msg_received'])
      expect(text).toMatch(new RegExp(`^grpc_client_${metric}_total\\{grpc_method="Txn",${service}\\} [1-9]`, 'm'));
    expect(text).toMatch(
      new RegExp(`^grpc_client_handled_total\\{grpc_method="Range",${service},grpc_code="OK"\\} [1-9]`, 'm'),
    );
    const watch = 'grpc_method="Watch",grpc_service="etcdserverpb.Watch",grpc_type="bidi_stream"';
    expect(text).toMatch(new RegExp(`^grpc_client_msg_received_total\\{${watch}\\} [1-9]`, 'm'));
    expect(text).toMatch(/^etcd_lease_object_counts_count \d/m);
  });

  test('a lost etcd fails readyz by name, writes and reads with a Status, ends watches; all recovers by itself', async () => {
    const relay = new Relay(etcd.url);
    const url = await relay.listen(await freePort());
    await using server = await open([url], { etcdPrefix: '/outage' });
    const api = apiOf(server);
    await api.post(configMaps, configMap('before'));
    const watching = await server.fetch(`${configMaps}?watch=1`);
    const ended = watching.text();
    expect((await api.get('/readyz')).status).toBe(200);
    await relay.cut();
    await expectNoWait(20_000, async () => {
      expect(await api.post(configMaps, configMap('during'))).toMatchObject({ status: 503, body: { kind: 'Status' } });
      expect((await api.get(configMaps)).status).toBe(503);
    });
    expect((await api.get(`${configMaps}?resourceVersion=0`)).status).toBe(200);
    const ready = await api.get('/readyz');
    expect(ready.status).toBe(500);
    expect(ready.body).toContain('[-]etcd failed');
    expect(await ended).toContain('"before"');
    await using back = new Relay(etcd.url);
    await back.listen(Number(new URL(url).port));
    await expect.poll(async () => (await api.get('/readyz')).status).toBe(200);
    await expect.poll(async () => (await api.post(configMaps, configMap('after'))).status).toBe(201);
    // next to what the server itself may have published by now
    const names = (await api.get(configMaps)).body.items.map((i: { metadata: { name: string } }) => i.metadata.name);
    expect(names).toEqual(expect.arrayContaining(['after', 'before']));
    expect(names).not.toContain('during');
  });

  test('goes on with another endpoint when one is lost', async () => {
    await using first = new Relay(etcd.url);
    await using second = new Relay(etcd.url);
    await using server = await open([await first.listen(), await second.listen()], { etcdPrefix: '/failover' });
    const api = apiOf(server);
    await api.post(configMaps, configMap('before'));
    await first.cut();
    // the write that is under way may fail; those after it do not
    await expect.poll(async () => (await api.post(configMaps, configMap('after'))).status).not.toBe(503);
    expect((await api.get(`${configMaps}/after`)).status).toBe(200);
    for (let i = 0; i < 5; i++) expect((await api.post(configMaps, configMap(`more-${i}`))).status).toBe(201);
  });

  test('does not send a write again whose fate is unknown', async () => {
    await using deaf = new Relay(etcd.url);
    await using other = new Relay(etcd.url);
    const store = openEtcdStore({ servers: [await deaf.listen(), await other.listen()], prefix: '/fate' });
    const key = '/a/1';
    const zero = await store.commit({ key: '/a/0', value: Buffer.from('x'), expected: 0 as never });
    expect(zero.kind).toBe('committed');
    deaf.deaf = true;
    const lost = store.commit({ key, value: Buffer.from('x'), expected: 0 as never });
    await expect
      .poll(async () => {
        const look = openEtcdStore({ servers: [etcd.url], prefix: '/fate' });
        const found = await look.get(key);
        await look.close();
        return found !== undefined;
      })
      .toBe(true);
    await deaf.cut();
    await expect(lost).rejects.toThrow('whether the write happened is not known');
    expect((await store.get(key))?.value).toEqual(new Uint8Array(Buffer.from('x')));
    await store.close();
  });

  test('TLS with a client certificate, and no warning about addresses', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-etcd-tls-'));
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    try {
      const identity = createIdentity(['127.0.0.1'], Date.now());
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text, { mode: 0o600 });
        return join(folder, name);
      };
      const ca = file('ca.crt', identity.ca);
      const tls = {
        ca,
        cert: file('s.crt', identity.serving.certificate),
        key: file('s.key', identity.serving.privateKey),
      };
      await using secure = await startEtcd({ tls, args: ['--client-cert-auth', '--unsafe-no-fsync'] });
      const files = {
        etcdCaFile: ca,
        etcdCertFile: file('c.crt', identity.admin.certificate),
        etcdKeyFile: file('c.key', identity.admin.privateKey),
      };
      await using server = await open([secure.url], files);
      expect((await apiOf(server).post(configMaps, configMap('a'))).status).toBe(201);
      await expect(open([secure.url], { etcdCaFile: ca })).rejects.toThrow();
      const stranger = file('other.crt', createIdentity(['127.0.0.1'], Date.now()).ca);
      await expect(open([secure.url], { ...files, etcdCaFile: stranger })).rejects.toThrow();
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings.filter(({ message }) => message.includes('ServerName'))).toEqual([]);
    } finally {
      process.off('warning', onWarning);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('user and password, from a file; a token that has expired is renewed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-etcd-user-'));
    await using locked = await startEtcd({ args: ['--unsafe-no-fsync', '--auth-token-ttl', '1'] });
    const admin = new EtcdConnection({ servers: [locked.url] });
    const text = (...values: string[]) => {
      const out = new ProtobufWriter();
      for (const [i, value] of values.entries()) out.string(i + 1, value);
      return out.finish();
    };
    await admin.read('/etcdserverpb.Auth/RoleAdd', text('root'));
    await admin.read('/etcdserverpb.Auth/UserAdd', text('root', 'secret'));
    await admin.read('/etcdserverpb.Auth/UserGrantRole', text('root', 'root'));
    await admin.read('/etcdserverpb.Auth/AuthEnable', Buffer.alloc(0));
    admin.close();
    const etcdPasswordFile = join(folder, 'password');
    writeFileSync(etcdPasswordFile, 'secret\n');
    try {
      await using server = await open([locked.url], { etcdUsername: 'root', etcdPasswordFile });
      const api = apiOf(server);
      expect((await api.post(configMaps, configMap('a'))).status).toBe(201);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      expect((await api.post(configMaps, configMap('b'))).status).toBe(201);
      await expect(open([locked.url])).rejects.toThrow();
      await expect(open([locked.url], { etcdUsername: 'root', etcdPassword: 'wrong' })).rejects.toThrow(/user/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('events are given a lease', async () => {
    await using server = await open([etcd.url], { etcdPrefix: '/ttl', eventTtlSeconds: 1 });
    const api = apiOf(server);
    const events = '/api/v1/namespaces/default/events';
    const involvedObject = { kind: 'Pod', name: 'x', namespace: 'default' };
    expect((await api.post(events, { metadata: { name: 'e' }, involvedObject })).status).toBe(201);
    const watch = await server.fetch(`${events}?watch=1&timeoutSeconds=30`);
    const types: string[] = [];
    for await (const line of createInterface({ input: Readable.fromWeb(watch.body as ReadableStream) }))
      if (types.push(JSON.parse(line).type) === 2) break;
    expect(types).toEqual(['ADDED', 'DELETED']);
    expect((await api.get(`${events}/e`)).status).toBe(404);
  });
});
