// Objects of a store that is mapped into memory: their texts are read from there, and kept for a while only.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { parseLabelSelector } from '../meta/label-selector.ts';
import { type Revision, zeroRevision } from '../meta/revision.ts';
import { openEmbeddedStore } from '../storage/embedded/embedded-store.ts';
import type { Store } from '../storage/store.ts';
import type { Registry } from './registry.ts';
import { Resources } from './resources.ts';
import { selects } from './selection.ts';
import type { StoredObject } from './stored-object.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-mapped-'));
  closing.push(async () => rmSync(folder, { recursive: true }));
  return folder;
}

function openStore(folder: string, release?: string): Store {
  const store = openEmbeddedStore(folder, release === undefined ? {} : { release });
  closing.push(() => store.close());
  return store;
}

const unreadable: string[] = [];

/** Caches that keep hardly any text. */
function registryOf(store: Store, plural: string): Registry {
  const resources = new Resources({
    store,
    clock: systemClock,
    dialect: kubernetes,
    newUid: () => 'unused',
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: (key) => unreadable.push(key),
    hotTextBytes: 2048,
  });
  for (const group of builtInGroups(kubernetes)) resources.serve(group);
  closing.push(async () => resources.close());
  return resources.find('', 'v1', plural)?.registry as Registry;
}

const uid = (index: number) => `11111111-2222-3333-4444-${String(index).padStart(12, '0')}`;

const configMap = (index: number, data: string) =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c${index}","namespace":"default","uid":"${uid(index)}",` +
  `"labels":{"half":"${index % 2}"}},"data":{"text":"${data}"}}`;

const keyOf = (index: number) => `/configmaps/default/c${index}`;

async function put(store: Store, key: string, value: string, expected = zeroRevision): Promise<Revision> {
  const result = await store.commit({ key, value: Buffer.from(value), expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

const withVersion = (value: string, at: Revision | undefined) =>
  value.replace(/("uid":"[^"]*")/, `$1,"resourceVersion":"${at}"`);

const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes).toString();

test('every text is what the store has, whether it was kept or not', async () => {
  const store = openStore(newFolder());
  const revisions: Revision[] = [];
  for (let index = 0; index < 10; index++)
    revisions.push(await put(store, keyOf(index), configMap(index, 'ä'.repeat(500))));
  const registry = registryOf(store, 'configmaps');
  await registry.fresh({ mode: 'any' });
  for (let index = 10; index < 20; index++)
    revisions.push(await put(store, keyOf(index), configMap(index, 'x'.repeat(500))));
  const objects = registry.cache.present().range(registry.prefix);
  expect(objects.filter(({ isInMemory }) => isInMemory).length).toBeLessThan(10);
  for (let round = 0; round < 2; round++) {
    for (const stored of objects) {
      const index = Number(stored.field('metadata.name').slice(1));
      const expected = withVersion(configMap(index, (index < 10 ? 'ä' : 'x').repeat(500)), revisions[index]);
      const copy = Buffer.alloc(stored.size);
      stored.copyTo(copy);
      expect(copy.toString()).toBe(expected);
      expect(stored.parse()).toEqual(JSON.parse(expected));
      expect(textOf(stored)).toBe(expected);
      expect(stored.size).toBe(stored.bytes.length);
      expect(Buffer.from(stored.line).toString()).toBe(`${expected}\n`);
    }
  }
  const selection = { namespace: '', labels: parseLabelSelector('half=1'), fields: [] };
  expect(objects.filter((stored) => selects(selection, stored))).toHaveLength(10);
});

test('an object that was replaced keeps its text when the history of it is compacted', async () => {
  const store = openStore(newFolder());
  const revisions: Revision[] = [];
  for (let index = 0; index < 10; index++) revisions.push(await put(store, keyOf(index), configMap(index, 'before')));
  const registry = registryOf(store, 'configmaps');
  await registry.fresh({ mode: 'any' });
  const listed = registry.cache.present().range(registry.prefix);
  let last = zeroRevision;
  for (let index = 0; index < 10; index++) {
    const value = index % 2 === 0 ? Buffer.from(configMap(index, 'after')) : undefined;
    const result = await store.commit({ key: keyOf(index), value, expected: revisions[index] as Revision });
    if (result.kind === 'committed') last = result.revision;
  }
  await store.compact(last);
  expect(store.mapped?.look(revisions[0] as Revision, () => 'kept')).toBeUndefined();
  for (const [index, stored] of listed.entries())
    expect(textOf(stored)).toBe(withVersion(configMap(index, 'before'), revisions[index]));
  const past = registry.cache.past(revisions[9] as Revision)?.range(registry.prefix);
  expect(past?.map(textOf)).toEqual(listed.map(textOf));
});

const pod =
  `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default","uid":"${uid(1)}"},` +
  `"spec":{"containers":[{"name":"a","image":"b"}]}}`;

test.each([
  ['another release', '0.0.1', 'Always'],
  ['this release', undefined, undefined],
])(
  'a cache looks for missing defaults in values of other releases only: %s',
  async (_title, release, restartPolicy) => {
    const folder = newFolder();
    const before = openStore(folder, release);
    await put(before, '/pods/default/p', pod);
    await before.close();
    const registry = registryOf(openStore(folder), 'pods');
    await registry.fresh({ mode: 'any' });
    const stored = await registry.get({ namespace: 'default', name: 'p' }, { mode: 'any' });
    expect((stored.parse() as { spec?: { restartPolicy?: string } }).spec?.restartPolicy).toBe(restartPolicy);
  },
);

test('one object is read from the store while the cache is not filled', async () => {
  const store = openStore(newFolder());
  const first = await put(store, keyOf(1), configMap(1, 'x'));
  const registry = registryOf(store, 'configmaps');
  const ref = { namespace: 'default', name: 'c1' };
  for (const mode of ['any', 'latest'] as const) {
    const stored = registry.get(ref, { mode });
    expect(stored).not.toBeInstanceOf(Promise);
    expect(textOf(stored as StoredObject)).toBe(withVersion(configMap(1, 'x'), first));
  }
  expect(() => registry.get({ ...ref, name: 'c2' }, { mode: 'any' })).toThrow('not found');
  expect(registry.cache.isFilled).toBe(false);
  await registry.fresh({ mode: 'any' });
  expect(registry.cache.isFilled).toBe(true);
  const filled = registry.get(ref, { mode: 'any' });
  expect(filled).toBe(registry.cache.get(keyOf(1)));
});

test('a value that is no object is left out and reported when the cache is filled', async () => {
  const store = openStore(newFolder());
  await put(store, keyOf(1), configMap(1, 'x'));
  await put(store, keyOf(2), 'no object');
  const registry = registryOf(store, 'configmaps');
  await registry.fresh({ mode: 'any' });
  expect(registry.cache.size).toBe(1);
  expect(unreadable.splice(0)).toEqual([keyOf(2)]);
});
