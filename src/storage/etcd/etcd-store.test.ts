import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zeroRevision } from '../../meta/revision.ts';
import { describeStore } from '../contract.ts';
import { describeStoreModel } from '../model.ts';
import { type Store, StoreUnavailableError } from '../store.ts';
import { openEtcdStore } from './etcd-store.ts';

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const binary = process.env['KEELSON_ETCD'] ?? join(cache, 'keelson-peers/root/usr/bin/etcd');
const isThere = existsSync(binary);
if (!isThere && process.env['CI'] === 'true') throw new Error(`etcd is required here, and ${binary} does not exist`);

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

async function startEtcd(folder: string, client: string, peer: string): Promise<ChildProcess> {
  const child = spawn(
    binary,
    [
      '--data-dir',
      folder,
      '--listen-client-urls',
      client,
      '--advertise-client-urls',
      client,
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level',
      'info',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    if (line.includes('ready to serve client requests')) break;
  }
  child.stderr?.resume();
  return child;
}

describe.skipIf(!isThere)(isThere ? 'etcd' : `etcd (skipped: no etcd at ${binary})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-etcd-'));
  let etcd: ChildProcess;
  let url = '';
  let peer = '';
  let fixtures = 0;

  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    peer = `http://127.0.0.1:${await freePort()}`;
    etcd = await startEtcd(folder, url, peer);
  });
  afterAll(async () => {
    etcd.kill('SIGKILL');
    await once(etcd, 'close');
    rmSync(folder, { recursive: true, force: true });
  });

  async function open() {
    const prefix = `/test-${fixtures++}`;
    const opened: Store[] = [];
    const openOne = () => {
      const store = openEtcdStore({ servers: [url], prefix });
      opened.push(store);
      return store;
    };
    return {
      store: openOne(),
      async reopen() {
        await opened.at(-1)?.close();
        return openOne();
      },
      async dispose() {
        for (const store of opened) await store.close();
      },
    };
  }

  describeStore('etcd', open);
  describeStoreModel('etcd', open);

  test('a write through one store is seen by a watch and a read of another', async () => {
    const [one, two] = [
      openEtcdStore({ servers: [url], prefix: '/shared' }),
      openEtcdStore({ servers: [url], prefix: '/shared' }),
    ];
    const newest = await two.currentRevision();
    const seen = new Promise<string>((resolve) => {
      two.watch(
        { prefix: '/a/', after: newest },
        { onEvents: ([event]) => resolve(event?.key ?? ''), onProgress: () => {}, onEnd: () => {} },
      );
    });
    await one.commit({ key: '/a/1', value: Buffer.from('x'), expected: zeroRevision });
    expect(Buffer.from((await two.get('/a/1'))?.value ?? []).toString()).toBe('x');
    expect(await seen).toBe('/a/1');
    await one.close();
    await two.close();
  });

  test('is unavailable while etcd is gone, and its watches go on when it is back', async () => {
    const store = openEtcdStore({ servers: [url], prefix: '/outage', watchPatienceMs: 60_000 });
    const keys: string[] = [];
    let wake: () => void = () => {};
    store.watch(
      { prefix: '/a/', after: await store.currentRevision() },
      {
        onEvents(events) {
          keys.push(...events.map(({ key }) => key));
          wake();
        },
        onProgress: () => {},
        onEnd: () => {},
      },
    );
    await store.commit({ key: '/a/before', value: Buffer.from('x'), expected: zeroRevision });
    etcd.kill('SIGKILL');
    await once(etcd, 'close');
    await expect(store.commit({ key: '/a/during', value: Buffer.from('x'), expected: zeroRevision })).rejects.toThrow(
      StoreUnavailableError,
    );
    etcd = await startEtcd(folder, url, peer);
    let committed = false;
    while (!committed) {
      committed = await store.commit({ key: '/a/after', value: Buffer.from('x'), expected: zeroRevision }).then(
        () => true,
        () => false,
      );
    }
    while (!keys.includes('/a/after')) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    expect(keys).toEqual(['/a/before', '/a/after']);
    await store.close();
  });

  test('ends watches when etcd stays away', async () => {
    const store = openEtcdStore({ servers: [url], prefix: '/away', watchPatienceMs: 300 });
    const ended = new Promise((resolve) => {
      store.watch({ prefix: '/a/', after: zeroRevision }, { onEvents: () => {}, onProgress: () => {}, onEnd: resolve });
    });
    etcd.kill('SIGKILL');
    await once(etcd, 'close');
    expect(await ended).toBeInstanceOf(StoreUnavailableError);
    etcd = await startEtcd(folder, url, peer);
    await store.close();
  });
});
