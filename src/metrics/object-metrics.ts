// How many objects of each kind are stored, counted on each scrape.

import { zeroRevision } from '../meta/revision.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import { type MetricSource, metric } from './metric-source.ts';

interface Count {
  readonly group: string;
  readonly resource: string;
  readonly value: number;
}

export function objectMetrics(resources: Resources): readonly MetricSource[] {
  const counts = together(() => Promise.all([...resources.storedKinds()].map(count)));
  return [
    metric('apiserver_resource_objects', async () =>
      (await counts()).map(({ group, resource, value }) => ({ labels: { group, resource }, value })),
    ),
    // the older name, with resource and group in one
    metric('apiserver_storage_objects', async () =>
      (await counts()).map(({ group, resource, value }) => ({
        labels: { resource: group === '' ? resource : `${resource}.${group}` },
        value,
      })),
    ),
  ];
}

/** A scrape that begins while another one counts gets the same numbers: a scrape asks the store once. */
function together<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function count(registry: Registry): Promise<Count> {
  const { group, plural } = registry.definition;
  return { group, resource: plural, value: await countOf(registry) };
}

/** Kinds in use are in memory; of others only the number is read from the store. */
async function countOf({ cache, store, prefix }: Registry): Promise<number> {
  if (cache.revision !== zeroRevision) return cache.size;
  const { entries, remaining = 0 } = await store.list({ prefix, limit: 1, countRemaining: true });
  return entries.length + remaining;
}
