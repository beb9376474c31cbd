import { expect, test } from 'vitest';
import type { StoredChange } from '../controllers/object-feed.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { zeroRevision } from '../meta/revision.ts';
import { Resources } from '../registry/resources.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store, StoreWatcher } from '../storage/store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { StoreFeed } from './object-feed.ts';

const groups = builtInGroups(kubernetes);
const groupOf = (name: string) => groups.filter(({ group, version }) => group === name && version === 'v1');
const settle = async () => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

async function open(store: Store = openMemoryStore()) {
  const clock = new FakeClock();
  const resources = new Resources({
    store,
    clock,
    dialect: kubernetes,
    newUid: () => 'u',
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: () => {},
  });
  for (const group of groupOf('')) resources.serve(group);
  const feed = new StoreFeed({ store, resources, clock, onError: () => {} });
  const seen: string[] = [];
  feed.subscribe({
    onChange: ({ resource, namespace, name, json }: StoredChange) =>
      seen.push(`${json === undefined ? '-' : '+'}${resource.plural} ${namespace}/${name}`),
    onSynced: () => seen.push('synced'),
    onRestart: () => seen.push('restart'),
  });
  const put = (key: string, expected = zeroRevision) =>
    store.commit({ key, value: Buffer.from('{"kind":"X","metadata":{}}'), expected });
  return { store, clock, resources, feed, seen, put };
}

test('shows what there is, then what changes', async () => {
  const { store, feed, seen, put } = await open();
  await put('/configmaps/default/a');
  await put('/namespaces/default');
  await put('/of/no/kind');
  feed.start();
  await settle();
  expect(seen).toEqual(['+configmaps default/a', '+namespaces /default', 'synced']);
  const made = await put('/secrets/default/s');
  if (made.kind === 'committed')
    await store.commit({ key: '/secrets/default/s', value: undefined, expected: made.revision });
  await settle();
  expect(seen.slice(3)).toEqual(['+secrets default/s', '-secrets default/s']);
  await feed.close();
});

test('shows objects that are older than their kind, once it is served', async () => {
  const { feed, seen, put, resources } = await open();
  await put('/deployments/default/early');
  feed.start();
  await settle();
  expect(seen).toEqual(['synced']);
  for (const group of groupOf('apps')) resources.serve(group);
  await settle();
  expect(seen.slice(1)).toEqual(['+deployments default/early']);
  expect(feed.kinds.byKind('apps/v1', 'Deployment')?.plural).toBe('deployments');
  await feed.close();
});

test('starts over when the stream is lost', async () => {
  const inner = openMemoryStore();
  let watcher: StoreWatcher | undefined;
  const store: Store = {
    get: (key) => inner.get(key),
    list: (query) => inner.list(query),
    commit: (write) => inner.commit(write),
    watch(query, given) {
      watcher = given;
      return inner.watch(query, given);
    },
    compact: (revision) => inner.compact(revision),
    currentRevision: () => inner.currentRevision(),
    close: () => inner.close(),
  };
  const { feed, seen, put, clock } = await open(store);
  feed.start();
  await settle();
  watcher?.onEnd('gone');
  await put('/configmaps/default/missed');
  seen.length = 0;
  clock.advance(1000);
  await settle();
  expect(seen).toEqual(['restart', '+configmaps default/missed', 'synced']);
  await feed.close();
});
