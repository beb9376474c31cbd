import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdProcess, etcdHint, hasEtcd, startEtcd } from '../../../test/etcd-process.ts';
import { zeroRevision } from '../../meta/revision.ts';
import { describeStore } from '../contract/contract.ts';
import { describeStoreModel } from '../model.ts';
import { type Store, StoreUnavailableError } from '../store.ts';
import { openEtcdStore } from './etcd-store.ts';

describe.skipIf(!hasEtcd)(etcdHint, () => {
  let etcd: EtcdProcess;
  let url = '';
  let fixtures = 0;

  beforeAll(async () => {
    etcd = await startEtcd({ args: ['--unsafe-no-fsync'] });
    url = etcd.url;
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

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

  test('is unavailable while etcd is down, and its watches continue when it is back', async () => {
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
    await etcd.crash();
    await expect(store.commit({ key: '/a/during', value: Buffer.from('x'), expected: zeroRevision })).rejects.toThrow(
      StoreUnavailableError,
    );
    await etcd.restart();
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
    await etcd.crash();
    expect(await ended).toBeInstanceOf(StoreUnavailableError);
    await etcd.restart();
    await store.close();
  });
});
