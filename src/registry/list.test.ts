import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { parseFieldSelector } from '../meta/field-selector.ts';
import { parseLabelSelector } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object.ts';
import { type Revision, revision, zeroRevision } from '../meta/revision.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store } from '../storage/store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { decodeContinue } from './continue-token.ts';
import { type ListPage, type ListRequest, list } from './list.ts';
import { Registry } from './registry.ts';
import { lastingTerm, parseSelection } from './selection.ts';
import { StoredKind } from './stored-kind.ts';
import { StoredObject } from './stored-object.ts';
import { KindVersions } from './versions.ts';

const served = builtInGroups(kubernetes).flatMap(({ resources }) => resources);
const kind = (name: string) => served.find((definition) => definition.kind === name) as ResourceDefinition;
const configMap = kind('ConfigMap');
const event = kind('Event');

function registryOver(store: Store, definition: ResourceDefinition = configMap, clock = systemClock): Registry {
  const versions = new KindVersions(kubernetes);
  versions.add(definition);
  const options = {
    store,
    clock,
    dialect: kubernetes,
    newUid: () => uid,
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: (key: string, why: string) => expect.fail(`${key}: ${why}`),
  };
  return new Registry(definition, new StoredKind(definition.storagePrefix, versions, options), options);
}

const uid = '6a3f0d8e-0000-4000-8000-000000000000';
const everything = parseSelection(configMap, { namespace: '' });

async function put(store: Store, ref: string, labels?: Record<string, string>, more: object = {}): Promise<Revision> {
  const [namespace = '', name = ''] = ref.split('/');
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace, uid, ...(labels && { labels }) },
    ...more,
  };
  return commit(store, `/configmaps/${ref}`, Buffer.from(JSON.stringify(object)));
}

async function commit(store: Store, key: string, value: Uint8Array | undefined): Promise<Revision> {
  const expected = (await store.get(key))?.revision ?? zeroRevision;
  const result = await store.commit({ key, value, expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

const names = (page: ListPage) => page.objects.map(({ key }) => key.replace('/configmaps/', ''));

/** All pages of a list, and what each said about itself. */
async function pages(registry: Registry, request: ListRequest): Promise<ListPage[]> {
  const found = [await list(registry, request)];
  for (let token = found[0]?.continue; token !== undefined; token = found.at(-1)?.continue) {
    found.push(
      await list(registry, { ...request, at: { mode: 'latest' }, continue: decodeContinue(token, kubernetes) }),
    );
  }
  return found;
}

async function whole(page: ListPage): Promise<string[]> {
  const keys = names(page);
  if (page.rest !== undefined) for await (const objects of page.rest()) keys.push(...names({ ...page, objects }));
  return keys;
}

describe('a list', () => {
  const refs = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'ab/1'];
  const step = fc.record({ ref: fc.constantFrom(...refs), removes: fc.boolean(), tier: fc.constantFrom('x', 'y') });
  const query = fc.record({
    back: fc.nat(10),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    namespace: fc.constantFrom('', 'a', 'b'),
    selector: fc.constantFrom(undefined, 'tier=x', 'tier notin (x)', 'tier in (x,y)'),
  });

  test('shows in pages what was there at a revision, from the cache and from the store', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 15 }),
        query,
        async (steps, { back, limit, namespace, selector }) => {
          const store = openMemoryStore();
          const fed = registryOver(store);
          await fed.fresh({ mode: 'latest' });
          const model = new Map<string, string>();
          const history: { at: Revision; state: [string, string][] }[] = [];
          for (const { ref, removes, tier } of steps) {
            if (removes && !model.has(ref)) continue;
            const at = await (removes ? commit(store, `/configmaps/${ref}`, undefined) : put(store, ref, { tier }));
            if (removes) model.delete(ref);
            else model.set(ref, tier);
            history.push({ at, state: [...model] });
          }
          const then = history[Math.max(0, history.length - 1 - back)];
          if (then === undefined) return;
          const matches = ([ref, tier]: [string, string]) =>
            (namespace === '' || ref.startsWith(`${namespace}/`)) &&
            (selector === 'tier=x' ? tier === 'x' : selector === 'tier notin (x)' ? tier !== 'x' : true);
          const expected = then.state
            .filter(matches)
            .map(([ref]) => ref)
            .sort();
          const selection = parseSelection(configMap, { namespace, labels: parseLabelSelector(selector ?? '') });
          // one has followed all changes, the other has just begun and remembers none
          for (const registry of [fed, registryOver(store)]) {
            const found = await pages(registry, { selection, at: { mode: 'exact', revision: then.at }, limit });
            expect(found.flatMap(names)).toEqual(expected);
            expect(new Set(found.map((page) => page.revision))).toEqual(new Set([then.at]));
            let left = expected.length;
            for (const page of found) {
              left -= page.objects.length;
              if (page.continue !== undefined) expect(page.remaining).toBe(selector === undefined ? left : undefined);
              else expect(page.remaining).toBeUndefined();
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('too long to be held is read from the store in slices, as often as one likes', async () => {
    const store = openMemoryStore();
    await Promise.all(Array.from({ length: 1200 }, (_, i) => put(store, `a/${String(i).padStart(4, '0')}`)));
    const at = await store.currentRevision();
    await put(store, 'a/later');
    const page = await list(registryOver(store), { selection: everything, at: { mode: 'exact', revision: at } });
    expect(page.objects).toHaveLength(500);
    const once = await whole(page);
    expect(once).toHaveLength(1200);
    expect(await whole(page)).toEqual(once);
  });

  test('whose snapshot is gone can go on from where it was', async () => {
    const store = openMemoryStore();
    for (const ref of ['a/1', 'a/2', 'a/3', 'a/4']) await put(store, ref);
    const registry = registryOver(store);
    const request = { selection: everything, at: { mode: 'latest' }, limit: 2 } as const;
    const first = await list(registry, request);
    const now = await put(store, 'a/5');
    await store.compact(now);
    const next = { ...request, continue: decodeContinue(first.continue ?? '', kubernetes) };
    const error = await Promise.resolve(list(registry, next)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
    const token = (error as { metadata: { continue: string } }).metadata.continue;
    const rest = await list(registry, { ...request, continue: decodeContinue(token, kubernetes) });
    expect([names(rest), rest.revision, rest.remaining]).toEqual([['a/3', 'a/4'], now, 1]);
    const last = await list(registry, { ...request, continue: decodeContinue(rest.continue ?? '', kubernetes) });
    expect([names(last), last.revision]).toEqual([['a/5'], now]);
  });

  test('by a label finds with an index what it finds without', async () => {
    const store = openMemoryStore();
    await Promise.all(Array.from({ length: 700 }, (_, i) => put(store, `n${i % 3}/${i}`, { app: `app-${i % 50}` })));
    const registry = registryOver(store);
    const ask = (selector: string, namespace = '') =>
      list(registry, {
        selection: parseSelection(configMap, { namespace, labels: parseLabelSelector(selector) }),
        at: { mode: 'latest' },
      });
    const before = names(await ask('app=app-7'));
    expect(before).toHaveLength(14);
    while (registry.cache.find('label:app', 'app-7') === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    expect(names(await ask('app=app-7'))).toEqual(before);
    expect(names(await ask('app in (app-7,app-8)', 'n1')).every((name) => name.startsWith('n1/'))).toBe(true);
    expect(names(await ask('app=nothing'))).toEqual([]);
    await put(store, 'n0/0', { app: 'app-7' });
    await commit(store, `/configmaps/${before[0]}`, undefined);
    expect(names(await ask('app=app-7'))).toEqual(['n0/0', ...before.slice(1)].sort());
  });

  test('by a declared field finds with an index what it finds without', async () => {
    const store = openMemoryStore();
    const write = (name: string, reason: string) => {
      const object = {
        kind: 'Event',
        apiVersion: 'v1',
        metadata: { name, namespace: 'a', uid },
        reason,
      } as unknown as ApiObject;
      return commit(store, `/events/a/${name}`, Buffer.from(JSON.stringify(object)));
    };
    await Promise.all(Array.from({ length: 600 }, (_, i) => write(`e${i}`, `r${i % 40}`)));
    const registry = registryOver(store, event);
    const selection = parseSelection(event, { namespace: 'a', fields: parseFieldSelector('reason=r3') });
    const before = await list(registry, { selection, at: { mode: 'latest' } });
    expect(before.objects).toHaveLength(15);
    while (registry.cache.find('field:reason', 'r3') === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    const after = await list(registry, { selection, at: { mode: 'latest' } });
    expect(after.objects).toEqual(before.objects);
  });
});

test('an index by a field finds objects whose text lacks the field', async () => {
  const pod = kind('Pod');
  const store = openMemoryStore();
  for (let i = 0; i < 600; i++) {
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: `p${i}`, namespace: 'a', uid } };
    const spec = i % 100 === 0 ? {} : { hostNetwork: true };
    await commit(store, `/pods/a/p${i}`, Buffer.from(JSON.stringify({ ...object, spec })));
  }
  const registry = registryOver(store, pod);
  const selection = parseSelection(pod, { namespace: '', fields: parseFieldSelector('spec.hostNetwork=false') });
  const before = await list(registry, { selection, at: { mode: 'latest' } });
  expect(before.objects).toHaveLength(6);
  while (registry.cache.find('field:spec.hostNetwork', 'false') === undefined)
    await new Promise((resolve) => setImmediate(resolve));
  const after = await list(registry, { selection, at: { mode: 'latest' } });
  expect(after.objects).toEqual(before.objects);
});

describe('pods of a node', () => {
  const pod = kind('Pod');
  const onNode = (node: string) =>
    parseSelection(pod, { namespace: '', fields: parseFieldSelector(`spec.nodeName=${node}`) });
  const write = (store: Store, name: string, nodeName: string) => {
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'a', uid }, spec: { nodeName } };
    return commit(store, `/pods/a/${name}`, Buffer.from(JSON.stringify(object)));
  };

  test('are listed without a look at any other pod, also the first time', async () => {
    const store = openMemoryStore();
    for (let i = 0; i < 20; i++) await write(store, `p${i}`, `n${i % 10}`);
    const registry = registryOver(store, pod);
    await registry.fresh({ mode: 'any' });
    const parsed = vi.spyOn(StoredObject.prototype, 'parse');
    const ask = (node: string) => list(registry, { selection: onNode(node), at: { mode: 'latest' } });
    const found = async (node: string) => (await ask(node)).objects.map(({ key }) => key.slice('/pods/'.length));
    expect(await found('n3')).toEqual(['a/p13', 'a/p3']);
    expect(await found('none')).toEqual([]);
    await write(store, 'p3', 'n4');
    await write(store, 'new', 'n3');
    await commit(store, '/pods/a/p13', undefined);
    expect([await found('n3'), await found('n4')]).toEqual([['a/new'], ['a/p14', 'a/p3', 'a/p4']]);
    expect(parsed).not.toHaveBeenCalled();
    parsed.mockRestore();
  });

  test('are watched without being notified of those of other nodes', async () => {
    const store = openMemoryStore();
    await write(store, 'one', '');
    const registry = registryOver(store, pod);
    await registry.fresh({ mode: 'any' });
    const heard: string[] = [];
    const listener = (name: string) => ({
      onEvents: (changes: readonly { key: string; revision: number }[]) =>
        void heard.push(...changes.map(({ key }) => `${name} ${key}`)),
      onProgress: () => {},
      onEnd: () => {},
    });
    for (const node of ['n1', 'n2']) registry.cache.listen(listener(node), lastingTerm(pod, onNode(node)));
    await write(store, 'one', 'n1');
    await write(store, 'two', 'n3');
    await write(store, 'one', 'n2');
    await commit(store, '/pods/a/one', undefined);
    expect(heard).toEqual(['n1 /pods/a/one', 'n1 /pods/a/one', 'n2 /pods/a/one', 'n2 /pods/a/one']);
  });
});

describe('a read of the latest state', () => {
  test('asks the store itself when the cache does not get there', async () => {
    const store = openMemoryStore();
    await put(store, 'a/1');
    const clock = new FakeClock();
    const deaf: Store = {
      get: (key) => store.get(key),
      list: (query) => store.list(query),
      commit: (write) => store.commit(write),
      watch: () => ({ close: () => {} }),
      compact: (at) => store.compact(at),
      currentRevision: () => store.currentRevision(),
      close: () => store.close(),
    };
    const registry = registryOver(deaf, configMap, clock);
    await registry.fresh({ mode: 'latest' });
    const at = await put(store, 'a/2');
    const patiently = async <T>(work: T | Promise<T>) => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(3000);
      return work;
    };
    const page = await patiently(list(registry, { selection: everything, at: { mode: 'latest' }, limit: 5 }));
    expect([names(page), page.revision]).toEqual([['a/1', 'a/2'], at]);
    const got = await patiently(registry.get({ namespace: 'a', name: '2' }, { mode: 'latest' }));
    expect(got.revision).toBe(at);
    await expect(
      patiently(list(registry, { selection: everything, at: { mode: 'notOlderThan', revision: revision(99) } })),
    ).rejects.toMatchObject({ code: 504 });
  });
});
