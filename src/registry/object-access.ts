// Stored objects for the server's own use, with the rules of their kinds.

import type { DeleteOptions } from '../groups/meta/v1/types.ts';
import type { GroupVersionResource } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import { ApiError, unknownResource } from '../meta/status.ts';
import type { ObjectAccess, OwnRequests, ResourceOf, UpdateOptions } from '../schema/object-access.ts';
import type { PartSubresource } from '../schema/part-subresource.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { checkDeleteOptions } from './delete-options.ts';
import { list } from './list.ts';
import type { Registry } from './registry.ts';
import type { Resources } from './resources.ts';
import { update } from './update.ts';

export function objectAccess(resources: Resources, requests: OwnRequests): ObjectAccess {
  const registryOf = ({ group, version, resource }: GroupVersionResource): Registry => {
    const found = resources.find(group, version, resource);
    if (found === undefined) throw unknownResource();
    return found.registry;
  };
  return {
    requests,
    async get<T extends ApiObject>(resource: ResourceOf<T>, ref: ObjectRef) {
      try {
        return (await registryOf(resource).get(ref, { mode: 'latest' })).parse() as T;
      } catch (error) {
        if (error instanceof ApiError && error.code === 404) return undefined;
        throw error;
      }
    },
    async list<T extends ApiObject>(resource: ResourceOf<T>, namespace: string) {
      const page = await list(registryOf(resource), {
        at: { mode: 'latest' },
        selection: { namespace, labels: [], fields: [] },
      });
      return page.objects.map((stored) => stored.parse() as T);
    },
    async create(resource, object, { dryRun = false } = {}) {
      return (await create(registryOf(resource), object, { dryRun })).parse();
    },
    async update<T extends ApiObject>(
      resource: ResourceOf<T>,
      ref: ObjectRef,
      change: (current: T) => ApiObject,
      { dryRun = false, part, expectedUid }: UpdateOptions<T> = {},
    ) {
      const next = (current: ApiObject | undefined) => change(current as T);
      return (
        await update(registryOf(resource), ref, {
          dryRun,
          next,
          expectedUid,
          ...(part ? { subresource: part as PartSubresource<never> as PartSubresource } : {}),
        })
      ).stored.parse();
    },
    async delete(resource, ref, options) {
      const registry = registryOf(resource);
      const wanted = (options ?? {}) as DeleteOptions;
      const dryRun = checkDeleteOptions(wanted, registry.context.dialect);
      await remove(registry, ref, { options: wanted, dryRun });
    },
  };
}
