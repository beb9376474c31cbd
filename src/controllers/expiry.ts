// Objects with an end of their own: each is deleted when its time has come.

import { isConflict, isNotFound } from '../client/client.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { pathOf, type StoredChange, type StoredResource } from './object-feed.ts';
import type { WorkOutcome } from './work-queue.ts';

interface Expiry {
  readonly queue: string;
  wants(resource: StoredResource): boolean;
  /** Whether an object may have an end, at a glance. */
  mayExpire(change: StoredChange & { readonly json: Uint8Array }): boolean;
  /** When it ends, in milliseconds since the epoch; undefined for never. */
  endOf(object: ApiObject): number | undefined;
  readonly propagationPolicy: 'Background' | 'Foreground';
}

export function expiryController(context: ControllerContext, expiry: Expiry): Controller {
  const { client, clock } = context;

  async function work(path: string): Promise<WorkOutcome> {
    const object = await client.find(path);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return 'done';
    const end = expiry.endOf(object);
    if (end === undefined) return 'done';
    if (end > clock.now()) return end - clock.now();
    const { uid, resourceVersion } = object.metadata;
    const { propagationPolicy } = expiry;
    try {
      await client.delete(path, { propagationPolicy, preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (!isNotFound(error)) throw error;
    }
    return 'done';
  }
  const queue = context.queue({ name: expiry.queue, work });

  context.feed.subscribe({
    wants: (resource) => expiry.wants(resource),
    onChange(change) {
      const { json } = change;
      if (json !== undefined && expiry.mayExpire({ ...change, json })) queue.add(pathOf(change.resource, change));
    },
  });
  return { close: () => queue.close() };
}
