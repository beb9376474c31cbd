import { expect, test } from 'vitest';
import { zeroRevision } from '../../meta/revision.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { describeStore } from '../contract/contract.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import { describeStoreModel } from '../model.ts';
import { EncryptedStore } from './encrypted-store.ts';
import type { CipherName } from './keyed-form.ts';
import { KeyedResources, Transformers } from './transformers.ts';
import { UndecryptedValue } from './undecrypted-value.ts';

const transformersOf = (name: CipherName, key: string) =>
  new Transformers([
    {
      resources: [{ group: '*', resource: '*' }],
      providers: [{ name, keys: [{ name: key, secret: Buffer.alloc(32, key) }] }],
    },
  ]);

function wrapped(name: CipherName) {
  const clock = new FakeClock();
  const memory = openMemoryStore({ clock });
  const resources = new KeyedResources([]);
  const store = new EncryptedStore({
    store: memory,
    transformers: transformersOf(name, 'k'),
    resources,
    root: '/registry',
  });
  return { clock, memory, store };
}

const opener = (name: CipherName) => async () => {
  const { clock, store } = wrapped(name);
  return {
    store,
    reopen: async () => store,
    pass: async (ms: number) => clock.advance(ms),
    dispose: () => store.close(),
  };
};

const onDisk = 'keeps nothing on disk';
const skip = {
  'survives a restart with its revisions and its history': onDisk,
  'remembers over a restart when a key ends': onDisk,
};
describeStore('encrypted', opener('aesgcm'), { skip });
describeStoreModel('encrypted', opener('secretbox'));

test('the store below never has a plain value, a checkpoint above has no other', async () => {
  const { memory, store } = wrapped('aescbc');
  await store.commit({ key: '/secrets/a', value: Buffer.from('plain text'), expected: zeroRevision });
  expect(Buffer.from((await memory.get('/secrets/a'))?.value ?? []).includes('plain')).toBe(false);
  const [entry] = store.checkpoint?.().content() ?? [];
  expect(Buffer.from(entry?.value ?? []).toString()).toBe('plain text');
});

test('unreadable values are reported in lists, events and conflicts, next to readable ones', async () => {
  const { memory, store } = wrapped('aesgcm');
  const written = await store.commit({ key: '/secrets/a', value: Buffer.from('one'), expected: zeroRevision });
  const copied = (await memory.get('/secrets/a'))?.value;
  const events: (Uint8Array | undefined)[] = [];
  const after = await store.currentRevision();
  store.watch(
    { prefix: '/secrets/', after },
    { onEvents: (seen) => void events.push(...seen.map(({ value }) => value)), onProgress() {}, onEnd() {} },
  );
  await memory.commit({ key: '/secrets/b', value: copied, expected: zeroRevision });
  expect(written.kind).toBe('committed');
  const { entries } = await store.list({ prefix: '/secrets/' });
  expect(Buffer.from(entries[0]?.value ?? []).toString()).toBe('one');
  expect(entries[1]?.value).toBeInstanceOf(UndecryptedValue);
  expect(entries[1]?.value).toHaveLength(0);
  await expect.poll(() => events).toHaveLength(1);
  expect((events[0] as UndecryptedValue).reason).toContain('key "k" of aesgcm');
  const conflict = await store.commit({ key: '/secrets/b', value: undefined, expected: after });
  expect(conflict.kind === 'conflict' && conflict.current?.value).toBeInstanceOf(UndecryptedValue);
});

test('new transformers read at once, and readers of what could not be read begin again', async () => {
  const { memory, store } = wrapped('secretbox');
  const ends: unknown[] = [];
  const watch = () =>
    store.watch(
      { prefix: '/', after: zeroRevision },
      { onEvents() {}, onProgress() {}, onEnd: (reason) => ends.push(reason) },
    );
  watch();
  await store.commit({ key: '/secrets/a', value: Buffer.from('one'), expected: zeroRevision });
  store.use(transformersOf('secretbox', 'k'));
  expect(ends).toEqual([]);
  const other = new EncryptedStore({
    ...{ store: memory, transformers: transformersOf('secretbox', 'new') },
    ...{ resources: new KeyedResources([]), root: '/registry' },
  });
  await other.commit({ key: '/secrets/b', value: Buffer.from('two'), expected: zeroRevision });
  expect((await store.get('/secrets/b'))?.value).toBeInstanceOf(UndecryptedValue);
  store.use(transformersOf('secretbox', 'new'));
  expect(ends).toEqual(['closed']);
  expect(Buffer.from((await store.get('/secrets/b'))?.value ?? []).toString()).toBe('two');
});
