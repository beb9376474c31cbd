// How many objects of each kind are stored, counted when somebody scrapes.

import { zeroRevision } from '../meta/revision.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import { deprecated, type MetricSource, metric } from './request-metrics.ts';

export function objectMetrics(resources: Resources): readonly MetricSource[] {
  return [
    metric('apiserver_resource_objects', 'gauge', 'Stored objects by group and resource.', async () =>
      (await counts(resources)).map(({ group, resource, value }) => ({ labels: { group, resource }, value })),
    ),
    // the older name, with resource and group in one
    deprecated(
      34,
      metric('apiserver_storage_objects', 'gauge', 'Stored objects by resource.', async () =>
        (await counts(resources)).map(({ group, resource, value }) => ({
          labels: { resource: group === '' ? resource : `${resource}.${group}` },
          value,
        })),
      ),
    ),
  ];
}

async function counts(resources: Resources) {
  const found = [...resources.storedKinds()].map(async (registry) => {
    const { group, plural } = registry.definition;
    return { group, resource: plural, value: await countOf(registry) };
  });
  return Promise.all(found);
}

/** Kinds in use are in memory; of others only the number is asked for. */
async function countOf({ cache, store, prefix }: Registry): Promise<number> {
  if (cache.revision !== zeroRevision) return cache.size;
  const { entries, remaining = 0 } = await store.list({ prefix, limit: 1, countRemaining: true });
  return entries.length + remaining;
}
