// How large lists are, and how many watches see a change: what the seats of a request are estimated by. Both are counted
// again after a second at the earliest.

import type { Clock } from '../base/time/clock.ts';
import type { Sizes, StoredSize } from '../flow-control/seat-estimate.ts';
import { openSharedWatches } from '../handlers/watch/shared-watch.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import type { Selection } from '../registry/selection.ts';

const keptMs = 1000;
/** The average size is that of so many objects. */
const sampleSize = 16;

interface Counted {
  readonly at: number;
  readonly stored: StoredSize | undefined;
  /** Watches by what they watch: a namespace and a name, either of which may be empty. */
  readonly watches: ReadonlyMap<string, number>;
}

export function requestSizes(resources: Resources, clock: Clock): Sizes {
  const counts = new WeakMap<Registry, Counted>();
  const countedOf = ({ group, version, resource }: RequestInfo): Counted | undefined => {
    const registry = resources.find(group, version, resource)?.registry;
    if (registry === undefined) return undefined;
    const now = clock.now();
    const before = counts.get(registry);
    if (before !== undefined && now - before.at < keptMs) return before;
    const after = { at: now, stored: storedSize(registry), watches: watchesOf(registry, resources) };
    counts.set(registry, after);
    return after;
  };
  return {
    stored: (info) => countedOf(info)?.stored,
    watches(info) {
      const watches = countedOf(info)?.watches;
      if (watches === undefined || watches.size === 0) return 0;
      return [...new Set(keysOf(info))].reduce((sum, key) => sum + (watches.get(key) ?? 0), 0);
    },
  };
}

function storedSize({ cache, prefix }: Registry): StoredSize | undefined {
  if (!cache.isFilled) return undefined;
  const sample = cache.present().range(prefix, undefined, sampleSize);
  const bytes = sample.reduce((sum, { size }) => sum + size, 0);
  return { objects: cache.size, averageBytes: sample.length === 0 ? 0 : bytes / sample.length };
}

/** In all versions of the kind. */
function watchesOf({ prefix }: Registry, resources: Resources): ReadonlyMap<string, number> {
  const watches = new Map<string, number>();
  for (const registry of resources.openRegistries()) {
    if (registry.prefix !== prefix) continue;
    for (const { selection, users } of openSharedWatches(registry)) {
      const key = watchKey(selection);
      if (key !== undefined) watches.set(key, (watches.get(key) ?? 0) + users);
    }
  }
  return watches;
}

/** Undefined for watches of the objects with a certain value in a field: each of them sees few changes. */
function watchKey({ namespace, fields }: Selection): string | undefined {
  let name = '';
  for (const { field, operator, value } of fields) {
    if (operator !== '=') continue;
    if (field === 'metadata.name') name = value;
    else if (field !== 'metadata.namespace') return undefined;
  }
  return `${namespace}/${name}`;
}

/** A watch of one object is one in its namespace. */
const keysOf = ({ namespace, name }: RequestInfo) => ['/', `/${name}`, `${namespace}/`, `${namespace}/${name}`];
