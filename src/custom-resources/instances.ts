// The objects of a definition that is being deleted: all of them go, however they are served.

import { mapBounded } from '../base/maps/bounded.ts';
import type { CustomInstances } from '../controllers/custom-resources/deletion.ts';
import { ApiError } from '../meta/status.ts';
import { remove } from '../registry/delete.ts';
import type { Registry } from '../registry/registry.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import type { CustomResourceServing } from './serving.ts';

/** So many deletes share one write to the disk. */
const atOnce = 100;

export function customInstances(serving: CustomResourceServing): CustomInstances {
  return {
    overlapsBuiltIn: (definition) => serving.overlapsBuiltIn(definition),
    async deleteAll(definition) {
      const registry = serving.objectsOf(definition);
      if (registry === undefined) throw new Error(`the objects of ${definition.metadata.name} cannot be reached`);
      await registry.fresh({ mode: 'latest' });
      const all = registry.cache.present().range(registry.prefix);
      await mapBounded(all, atOnce, (stored) => removeOne(registry, stored));
      await registry.fresh({ mode: 'latest' });
      return registry.cache.present().range(registry.prefix).length;
    },
  };
}

async function removeOne(registry: Registry, stored: StoredObject): Promise<void> {
  const { namespace = '', name = '', deletionTimestamp } = stored.parse().metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await remove(registry, { namespace, name }, { options: {}, dryRun: false });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}
