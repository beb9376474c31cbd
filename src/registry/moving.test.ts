// Large stored objects: the request moves to the lane before work on them begins.

import { expect, test } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { MoveToLane, moveToLane } from '../meta/move-to-lane.ts';
import type { ApiObject } from '../meta/object.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { Registry } from './registry.ts';
import { StoredKind } from './stored-kind.ts';
import { update } from './update.ts';
import { KindVersions } from './versions.ts';

const autoscalers = builtInGroups(kubernetes)
  .flatMap(({ resources }) => resources)
  .filter(({ kind }) => kind === 'HorizontalPodAutoscaler');

const ref = { namespace: 'default', name: 'a' };

/** The registries of the version that is stored, and of another one. */
async function registriesWithOne(): Promise<{ stored: Registry; other: Registry }> {
  const versions = new KindVersions(kubernetes);
  for (const definition of autoscalers) versions.add(definition);
  const options = {
    store: openMemoryStore(),
    clock: systemClock,
    dialect: kubernetes,
    newUid: () => '11111111-2222-3333-4444-555555555555',
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: (key: string, why: string) => expect.fail(`${key}: ${why}`),
  };
  const kind = new StoredKind(versions.stored.storagePrefix, versions, options);
  const [stored, other] = [true, false].map((isStored) => {
    const definition = autoscalers.find((one) => (one === versions.stored) === isStored);
    return new Registry(definition as (typeof autoscalers)[number], kind, options);
  }) as [Registry, Registry];
  const { group, version } = stored.definition;
  const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } };
  const object = { apiVersion: `${group}/${version}`, kind: 'HorizontalPodAutoscaler', metadata: ref, spec };
  await create(stored, object as ApiObject, { dryRun: false });
  return { stored, other };
}

function move(bytes: number): never {
  expect(bytes).toBeGreaterThan(100);
  throw moveToLane;
}

test('a delete and an update move before the object is read, and change nothing', async () => {
  const { stored } = await registriesWithOne();
  const options = { dryRun: false, moveIfLarge: move };
  await expect(remove(stored, ref, { ...options, options: {} })).rejects.toBeInstanceOf(MoveToLane);
  const next = () => expect.fail('the object is not read');
  await expect(update(stored, ref, { ...options, next })).rejects.toBeInstanceOf(MoveToLane);
  expect((await stored.get(ref, { mode: 'latest' })).parse().metadata.name).toBe('a');
});

test('a get moves where the object is shown in another version than the stored one', async () => {
  const { stored, other } = await registriesWithOne();
  expect((await stored.get(ref, { mode: 'latest' }, move)).definition).toBe(stored.definition);
  await expect((async () => other.get(ref, { mode: 'latest' }, move))()).rejects.toBeInstanceOf(MoveToLane);
  expect((await other.get(ref, { mode: 'latest' })).definition).toBe(other.definition);
});
