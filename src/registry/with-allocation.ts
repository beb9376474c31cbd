// A write with what its kind reserves around it: kept when the object was stored, given back when it was not.

import type { ApiObject } from '../meta/object.ts';
import type { Allocation } from '../schema/allocator.ts';
import type { Registry } from './registry.ts';

/** What a write came to; `kept` says whether the object was stored as it was given. */
interface Kept {
  readonly kept: boolean;
}

export function withAllocation<T extends Kept>(
  registry: Registry,
  next: ApiObject,
  old: ApiObject | undefined,
  dryRun: boolean,
  write: (object: ApiObject) => Promise<T>,
): Promise<T> {
  const { allocator } = registry.definition;
  if (allocator === undefined) return write(next);
  return keeping(allocator.allocate(next, old, registry.allocationCall(dryRun)), dryRun, write);
}

async function keeping<T extends Kept>(
  allocating: Promise<Allocation>,
  dryRun: boolean,
  write: (object: ApiObject) => Promise<T>,
): Promise<T> {
  const allocation = await allocating;
  let kept = false;
  try {
    const result = await write(allocation.object);
    kept = result.kept && !dryRun;
    return result;
  } finally {
    await (kept ? allocation.commit() : allocation.revert());
  }
}

/** After an object is gone from the store. */
export async function release(registry: Registry, object: ApiObject): Promise<void> {
  await registry.definition.allocator?.release(object, registry.allocationCall(false));
}
