// The live table of resources: what is served may come, change and go, and conversions may wait.

import { describe, expect, test } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { zeroRevision } from '../meta/revision.ts';
import type { BatchConversion, GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import type { RegistryOptions } from './registry.ts';
import { Resources, type ResourcesChange } from './resources.ts';
import { parseSelection } from './selection.ts';
import type { StoredObject } from './stored-object.ts';
import { update } from './update.ts';

const configMap = builtInGroups(kubernetes)
  .flatMap(({ resources }) => resources)
  .find(({ kind }) => kind === 'ConfigMap') as ResourceDefinition;

const definitionOf = (version: string, more: Partial<ResourceDefinition> = {}): ResourceDefinition => ({
  ...configMap,
  group: 'example.org',
  version,
  storagePrefix: 'example.org/configmaps',
  ...more,
});

const groupVersion = (...resources: readonly ResourceDefinition[]): GroupVersionDefinition => ({
  group: 'example.org',
  version: resources[0]?.version ?? 'v1',
  priority: { group: 1000, version: 100 },
  resources,
});

function open(more: Partial<RegistryOptions> = {}) {
  const resources = new Resources({
    store: openMemoryStore(),
    clock: systemClock,
    dialect: kubernetes,
    newUid: () => '01234567-89ab-cdef-0123-456789abcdef',
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: () => {},
    ...more,
  });
  const changes: ResourcesChange[] = [];
  resources.onChange((change) => changes.push(change));
  return { resources, changes };
}

const objectOf = (version: string, name: string): ApiObject =>
  ({
    kind: 'ConfigMap',
    apiVersion: `example.org/${version}`,
    metadata: { name, namespace: 'default' },
    data: { writtenIn: version },
  }) as ApiObject;

const options = { dryRun: false };
const everything = (definition: ResourceDefinition) => parseSelection(definition, { namespace: 'default' });

function registryOf(resources: Resources, version: string) {
  const found = resources.find('example.org', version, 'configmaps');
  if (found === undefined) expect.fail(`${version} is not served`);
  return found.registry;
}

async function namesIn(resources: Resources, version: string): Promise<string[]> {
  const registry = registryOf(resources, version);
  const page = await list(registry, { at: { mode: 'latest' }, selection: everything(registry.definition) });
  return page.objects.map((stored) => `${stored.parse().apiVersion} ${stored.parse().metadata.name}`);
}

describe('the table', () => {
  test('says what each change added and removed, and nothing about what stayed', () => {
    const { resources, changes } = open();
    const v1 = definitionOf('v1');
    resources.serve(groupVersion(v1));
    const other = definitionOf('v1', { plural: 'others', storagePrefix: 'example.org/others' });
    resources.serve(groupVersion(v1, other));
    resources.update([], [groupVersion(v1)]);
    expect(changes).toEqual([
      { removed: [], added: [v1] },
      { removed: [], added: [other] },
      { removed: [v1, other], added: [] },
    ]);
    expect(resources.hasGroup('example.org')).toBe(false);
    expect(resources.find('example.org', 'v1', 'configmaps')).toBeUndefined();
    expect(resources.groupVersions).toEqual([]);
  });

  test('lists group-versions in discovery order, and the same array until something changes', () => {
    const { resources } = open();
    resources.serve(groupVersion(definitionOf('v1')));
    const before = resources.groupVersions;
    expect(resources.groupVersions).toBe(before);
    resources.serve({ ...groupVersion(definitionOf('v2')), priority: { group: 1000, version: 200 } });
    expect(resources.groupVersions.map(formatApiVersion)).toEqual(['example.org/v2', 'example.org/v1']);
  });

  test('keeps the objects of a definition that is replaced', async () => {
    const { resources } = open();
    resources.serve(groupVersion(definitionOf('v1')));
    await create(registryOf(resources, 'v1'), objectOf('v1', 'a'), options);
    const before = registryOf(resources, 'v1');
    resources.serve(groupVersion(definitionOf('v1', { shortNames: ['x'] })));
    expect(registryOf(resources, 'v1')).not.toBe(before);
    expect(registryOf(resources, 'v1').cache).toBe(before.cache);
    expect(await namesIn(resources, 'v1')).toEqual(['example.org/v1 a']);
  });

  test('tells those who follow a registry what becomes of it', () => {
    const { resources } = open();
    resources.serve(groupVersion(definitionOf('v1')));
    const seen: unknown[] = [];
    registryOf(resources, 'v1').onRetired((successor) => seen.push(successor));
    resources.serve(groupVersion(definitionOf('v1')));
    const next = registryOf(resources, 'v1');
    next.onRetired((successor) => seen.push(successor));
    resources.update([], [groupVersion(definitionOf('v1'))]);
    expect(seen).toEqual([next, undefined]);
  });

  test('ends what is cached of a kind that is gone', async () => {
    const { resources } = open();
    resources.serve(groupVersion(definitionOf('v1')));
    const { cache } = registryOf(resources, 'v1');
    await cache.started();
    const ended = new Promise<string>((resolve) => {
      cache.listen({ onEvents: () => {}, onProgress: () => {}, onEnd: resolve });
    });
    resources.update([], [groupVersion(definitionOf('v1'))]);
    await expect(ended).resolves.toBe('closed');
  });
});

/** Another server that converts: it answers later, and notes what it was asked. */
function asked(): { calls: string[]; batchConversion: BatchConversion } {
  const calls: string[] = [];
  const convert: BatchConversion['convert'] = async (objects, apiVersion) => {
    calls.push(`${objects.length} to ${apiVersion}`);
    await Promise.resolve();
    return objects.map((object) => ({ ...object, apiVersion }));
  };
  return { calls, batchConversion: { convert } };
}

describe('a conversion that waits', () => {
  test('is asked once for a list, and not again while the objects stay the same', async () => {
    const { resources } = open();
    const { calls, batchConversion } = asked();
    resources.update([groupVersion(definitionOf('v1')), groupVersion(definitionOf('v2', { batchConversion }))], []);
    for (const name of ['a', 'b', 'c']) await create(registryOf(resources, 'v1'), objectOf('v1', name), options);
    expect(calls).toEqual([]);
    expect(await namesIn(resources, 'v2')).toEqual(['a', 'b', 'c'].map((name) => `example.org/v2 ${name}`));
    expect(await namesIn(resources, 'v2')).toHaveLength(3);
    expect(calls).toEqual(['3 to example.org/v2']);
  });

  test('goes both ways around a write', async () => {
    const { resources } = open();
    const { calls, batchConversion } = asked();
    resources.update([groupVersion(definitionOf('v1')), groupVersion(definitionOf('v2', { batchConversion }))], []);
    const made = await create(registryOf(resources, 'v2'), objectOf('v2', 'a'), options);
    expect(made.parse()).toMatchObject({ apiVersion: 'example.org/v2', data: { writtenIn: 'v2' } });
    const next = (current: ApiObject | undefined) => ({ ...(current as ApiObject), data: { writtenIn: 'again' } });
    const changed = await update(
      registryOf(resources, 'v2'),
      { namespace: 'default', name: 'a' },
      { ...options, next },
    );
    expect(changed.stored.parse()).toMatchObject({ apiVersion: 'example.org/v2', data: { writtenIn: 'again' } });
    expect(await namesIn(resources, 'v1')).toEqual(['example.org/v1 a']);
    expect(new Set(calls)).toEqual(new Set(['1 to example.org/v1', '1 to example.org/v2']));
  });

  test('that fails is told, and breaks no other version', async () => {
    const { resources } = open();
    const batchConversion = { convert: () => Promise.reject(new Error('the webhook is broken')) };
    resources.update([groupVersion(definitionOf('v1')), groupVersion(definitionOf('v2', { batchConversion }))], []);
    await create(registryOf(resources, 'v1'), objectOf('v1', 'a'), options);
    await expect(namesIn(resources, 'v2')).rejects.toThrow('the webhook is broken');
    expect(await namesIn(resources, 'v1')).toEqual(['example.org/v1 a']);
  });
});

test('objects stored in a version that is no longer the stored one are still shown and selected', async () => {
  const { resources } = open();
  const identity = { toStorage: (object: ApiObject) => object, fromStorage: (object: ApiObject) => object };
  resources.update([groupVersion(definitionOf('v1')), groupVersion(definitionOf('v2', { conversion: identity }))], []);
  await create(registryOf(resources, 'v1'), objectOf('v1', 'old'), options);
  resources.update([groupVersion(definitionOf('v1', { conversion: identity })), groupVersion(definitionOf('v2'))], []);
  await create(registryOf(resources, 'v1'), objectOf('v1', 'new'), options);
  expect(await namesIn(resources, 'v1')).toEqual(['example.org/v1 new', 'example.org/v1 old']);
  expect(await namesIn(resources, 'v2')).toEqual(['example.org/v2 new', 'example.org/v2 old']);
  const written = await registryOf(resources, 'v2').read('/example.org/configmaps/default/new');
  expect(JSON.parse(Buffer.from(written?.value ?? []).toString())).toMatchObject({ apiVersion: 'example.org/v2' });
});

test('all versions of a kind with objects in memory are replaced, the converted one first', async () => {
  const { resources } = open();
  const identity = { toStorage: (object: ApiObject) => object, fromStorage: (object: ApiObject) => object };
  const versions = () => [groupVersion(definitionOf('v1', { conversion: identity })), groupVersion(definitionOf('v2'))];
  resources.update(versions(), []);
  await create(registryOf(resources, 'v1'), objectOf('v1', 'a'), options);
  expect(await namesIn(resources, 'v2')).toEqual(['example.org/v2 a']);
  resources.update(versions(), []);
  expect(resources.versionsOf(definitionOf('v2')).stored.version).toBe('v2');
  expect(await namesIn(resources, 'v1')).toEqual(['example.org/v1 a']);
});

test('large stored values are read when a cache is filled, and are reported where they cannot be read', async () => {
  const store = openMemoryStore();
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, 'value']));
  const value = (text: string) => Buffer.from(text);
  const good = JSON.stringify({ ...objectOf('v1', 'good'), data });
  await store.commit({ key: '/example.org/configmaps/default/good', value: value(good), expected: zeroRevision });
  await store.commit({
    key: '/example.org/configmaps/default/broken',
    value: value(good.slice(0, -1)),
    expected: zeroRevision,
  });
  const unreadable: string[] = [];
  const { resources } = open({ store, onUnreadable: (key, why) => unreadable.push(`${key}: ${why}`) });
  resources.serve(groupVersion(definitionOf('v1')));
  const registry = registryOf(resources, 'v1');
  await registry.cache.started();
  expect(unreadable).toEqual(['/example.org/configmaps/default/broken: it is no JSON']);
  expect(registry.kind.counts.unreadable).toBe(1);
  const stored = registry.cache.get('/example.org/configmaps/default/good') as StoredObject;
  expect(stored.parse()).toMatchObject({ metadata: { name: 'good' }, data });
  expect(registry.decoded(stored)).toEqual(stored.parse());
});
