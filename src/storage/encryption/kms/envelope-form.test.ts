// Stores whose values are encrypted with keys of a plugin.

import { expect, test } from 'vitest';
import { zeroRevision } from '../../../meta/revision.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { describeStore } from '../../contract/contract.ts';
import { openMemoryStore } from '../../memory/memory-store.ts';
import type { Store, StoreEvent } from '../../store.ts';
import { EncryptedStore } from '../encrypted-store.ts';
import { KeyedResources, Transformers } from '../transformers.ts';
import { UndecryptedValue } from '../undecrypted-value.ts';
import { DataKeys } from './data-keys.ts';
import { EnvelopeForm } from './envelope-form.ts';
import { MemoryPlugin, refused, silent, unavailable } from './memory-plugin.ts';

/** A server's view of a store, with its own seed. */
async function opened(below: Store, clock = new FakeClock()) {
  const plugin = new MemoryPlugin();
  const keys = new DataKeys({ name: 'plug', plugin, clock, observer: silent, onHealth() {} });
  await keys.start();
  const form = new EnvelopeForm(keys, silent);
  const settings = { name: 'plug', socket: '/a', timeoutMs: 1 };
  const rules = [
    { resources: [{ group: '*', resource: '*' }], providers: [{ name: 'kms', plugin: settings } as const] },
  ];
  const transformers = new Transformers(rules, { pluginForm: () => form });
  const store = new EncryptedStore({
    store: below,
    transformers,
    resources: new KeyedResources([]),
    root: '/registry',
  });
  return { plugin, store, transformers };
}

const onDisk = 'keeps nothing on disk';
describeStore(
  'encrypted by a plugin',
  async () => {
    const clock = new FakeClock();
    const { store } = await opened(openMemoryStore({ clock }), clock);
    return {
      store,
      reopen: async () => store,
      pass: async (ms: number) => clock.advance(ms),
      dispose: () => store.close(),
    };
  },
  {
    skip: {
      'survives a restart with its revisions and its history': onDisk,
      'remembers over a restart when a key ends': onDisk,
    },
  },
);

const put = async (store: Store, key: string, text: string, expected = zeroRevision) => {
  const done = await store.commit({ key, value: Buffer.from(text), expected });
  if (done.kind !== 'committed') throw new Error('the test writes over something');
  return done.revision;
};
const textOf = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();

test('what one server wrote another one reads, and events of both keep their order', async () => {
  const memory = openMemoryStore();
  const [one, other] = [await opened(memory), await opened(memory)];
  const seen: string[] = [];
  const watcher = {
    onEvents: (events: readonly StoreEvent[]) => {
      for (const { value, previous } of events) seen.push(`${textOf(previous()?.value)}>${textOf(value)}`);
    },
    onProgress() {},
    onEnd() {},
  };
  other.store.watch({ prefix: '/', after: zeroRevision }, watcher);
  const first = await put(one.store, '/secrets/a', '1');
  // sealed with the reader's own seed: it could be told at once, but the one before it is not yet decrypted
  await put(other.store, '/secrets/a', '2', first);
  expect(seen).toEqual(['>1', '1>2']);
  expect(textOf((await one.store.get('/secrets/a'))?.value)).toBe('2');
  expect((await other.store.list({ prefix: '/secrets/' })).entries.map(({ value }) => textOf(value))).toEqual(['2']);
  expect([one.plugin.decrypts, other.plugin.decrypts]).toEqual([1, 1]);
});

test('a plugin that does not answer fails reads and ends watches, and what it refuses is told as unreadable', async () => {
  const memory = openMemoryStore();
  const [one, other] = [await opened(memory), await opened(memory)];
  await put(one.store, '/secrets/a', '1');
  other.plugin.failure = unavailable;
  await expect(other.store.list({ prefix: '/secrets/' })).rejects.toThrow('failed to decrypt DEK');
  await expect(other.store.get('/secrets/a')).rejects.toThrow('failed to decrypt DEK');
  const ends: unknown[] = [];
  const watcher = {
    onEvents: () => void ends.push('events'),
    onProgress() {},
    onEnd: (reason: unknown) => ends.push(reason),
  };
  other.store.watch({ prefix: '/', after: zeroRevision }, watcher);
  await expect.poll(() => ends.map(String)).toEqual([expect.stringContaining('failed to decrypt DEK')]);
  other.plugin.failure = refused;
  expect((await other.store.get('/secrets/a'))?.value).toBeInstanceOf(UndecryptedValue);
});

test('values of an older key are stale', async () => {
  const memory = openMemoryStore();
  const one = await opened(memory);
  await put(one.store, '/secrets/a', '1');
  expect(await one.store.isStale('/secrets/a')).toBe(false);
  const clock = new FakeClock();
  const later = await opened(memory, clock);
  later.plugin.said = { ...later.plugin.said, keyId: 'second' };
  clock.advance(60_000);
  await expect.poll(() => later.store.isStale('/secrets/a')).toBe(true);
});

test('nothing is written without a key', async () => {
  const memory = openMemoryStore();
  const clock = new FakeClock();
  const { store } = await opened(memory, clock);
  clock.advance(3 * 60_000 + 1);
  await expect(put(store, '/secrets/a', '1')).rejects.toThrow('expired at');
  expect(await memory.get('/secrets/a')).toBeUndefined();
});
