// One object in every active namespace: made when it is missing, set right when a client changed it.

import { isConflict, isForbidden, isNotFound } from '../../client/client.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { metadataOf, objectOf, only, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

interface NamespaceObject {
  /** Name of the queue. */
  readonly queue: string;
  readonly plural: string;
  readonly name: string;
  isRight(object: ApiObject): boolean;
  /** The object as it should be; `existing` is what clients made of it. */
  desired(existing: ApiObject | undefined): object;
}

export function objectPerNamespace(context: ControllerContext, spec: NamespaceObject): Controller {
  const { client, feed } = context;
  const active = new Set<string>();
  const right = new Set<string>();
  const isMissing = (namespace: string) => active.has(namespace) && !right.has(namespace);

  async function work(namespace: string): Promise<WorkOutcome> {
    if (!isMissing(namespace)) return 'done';
    const collection = `/api/v1/namespaces/${namespace}/${spec.plural}`;
    try {
      const existing = await client.find(`${collection}/${spec.name}`);
      if (existing === undefined) await client.create(collection, spec.desired(undefined));
      else if (!spec.isRight(existing)) await client.replace(`${collection}/${spec.name}`, spec.desired(existing));
    } catch (error) {
      // the namespace is going, or gone
      if (isForbidden(error) || isNotFound(error)) return 'done';
      if (isConflict(error)) return 'again';
      throw error;
    }
    return 'done';
  }
  const queue = context.queue({ name: spec.queue, workers: 4, work });
  let synced = false;

  function onNamespace({ name, json }: StoredChange): void {
    const isActive = json !== undefined && metadataOf(json)?.deletionTimestamp === undefined;
    if (isActive) active.add(name);
    else active.delete(name);
    if (json === undefined) right.delete(name);
    if (synced && isMissing(name)) queue.add(name);
  }

  function onObject({ namespace, json }: StoredChange): void {
    const object = json && objectOf(json);
    if (object !== undefined && spec.isRight(object)) right.add(namespace);
    else right.delete(namespace);
    if (synced && isMissing(namespace)) queue.add(namespace);
  }

  feed.subscribe({
    wants: only('', 'namespaces', spec.plural),
    onChange(change) {
      if (!change.resource.namespaced) onNamespace(change);
      else if (change.name === spec.name) onObject(change);
    },
    onSynced() {
      synced = true;
      for (const namespace of active) if (isMissing(namespace)) queue.add(namespace);
    },
    onRestart() {
      synced = false;
      active.clear();
      right.clear();
    },
  });
  return { close: () => queue.close() };
}
