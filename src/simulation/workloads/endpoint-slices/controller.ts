// Keeps the endpoint slices of services with a selector equal to the pods that are selected.

import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { EndpointSlice } from '../../../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, partKey } from '../../../meta/dialect.ts';
import { cacheOf, type ObjectCache } from '../../object-cache.ts';
import { collectionPath, watchDependents } from '../ownership.ts';
import { isNamespaceTerminating } from '../pod-control.ts';
import {
  podsOf,
  type ServiceCaches,
  selectorOf,
  serviceCaches,
  TriggerTimes,
  watchServices,
} from '../selected-pods.ts';
import { untilReported } from '../status.ts';
import { managerOf, type SliceChanges, sliceChanges } from './reconcile.ts';

interface Parts {
  readonly context: ControllerContext;
  readonly caches: ServiceCaches;
  readonly slices: ObjectCache<EndpointSlice>;
  readonly triggers: TriggerTimes;
}

export function endpointSliceController(context: ControllerContext): Controller {
  const caches = serviceCaches(context);
  const slices = cacheOf<EndpointSlice>(context, apiGroup(context.dialect, 'discovery'), 'endpointslices');
  const parts: Parts = { context, caches, slices, triggers: new TriggerTimes() };
  const queue = context.queue({ name: 'endpoint_slice', workers: 5, work: (key) => untilReported(work(parts, key)) });
  watchServices(queue, caches, context.dialect);
  watchDependents({ queue, owners: caches.services, kind: 'Service', dependents: slices });
  caches.services.subscribe({
    onChange(current, previous) {
      if (current === undefined && previous !== undefined) parts.triggers.forget(previous);
    },
  });
  return { close: () => queue.close() };
}

async function work(parts: Parts, key: string): Promise<WorkOutcome> {
  const { context, caches, slices, triggers } = parts;
  const service = caches.services.get(key);
  if (service === undefined || selectorOf(service) === undefined) return 'done';
  const { dialect } = context;
  const managedBy = partKey(dialect, 'endpointslice', 'managed-by');
  const existing = [...slices.controlledBy(service.metadata.uid ?? '')].filter(
    ({ metadata }) => metadata.labels?.[managedBy] === managerOf(dialect) && metadata.deletionTimestamp === undefined,
  );
  const pods = podsOf(caches, service);
  const nodeNamed = (name: string) => caches.nodes.get(name);
  const changes = sliceChanges({ service, pods, existing, dialect, nodeNamed });
  await write(parts, changes, {
    trigger: triggers.observe(service, pods),
    isDeleted: service.metadata.deletionTimestamp !== undefined,
  });
  return 'done';
}

/** A service that is being deleted gets no new slices. */
async function write(
  { context, slices }: Parts,
  { created, updated, deleted }: SliceChanges,
  { trigger, isDeleted }: { trigger: string | undefined; isDeleted: boolean },
): Promise<void> {
  const { client, dialect } = context;
  const group = `${apiGroup(dialect, 'discovery')}/v1`;
  const pathOf = ({ metadata }: EndpointSlice) =>
    `${collectionPath(group, metadata.namespace ?? '', 'endpointslices')}${metadata.name === undefined ? '' : `/${metadata.name}`}`;
  const stamped = (slice: EndpointSlice) =>
    withTrigger(slice, partKey(dialect, 'endpoints', 'last-change-trigger-time'), trigger);
  try {
    for (const slice of isDeleted ? [] : created) slices.put(await client.create(pathOf(slice), stamped(slice)));
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
    return;
  }
  for (const slice of updated) slices.put(await client.replace(pathOf(slice), stamped(slice)));
  for (const slice of deleted) await client.delete(pathOf(slice));
}

function withTrigger(slice: EndpointSlice, key: string, trigger: string | undefined): EndpointSlice {
  const { [key]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = trigger === undefined ? others : { ...others, [key]: trigger };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
