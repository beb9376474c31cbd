// Keeps the Endpoints of services with a selector equal to the pods that are selected.

import { isNotFound } from '../../../client/client.ts';
import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Endpoints } from '../../../groups/core/v1/service/endpoints.ts';
import { isHeadless } from '../../../groups/core/v1/service/service-fields.ts';
import type { Service } from '../../../groups/core/v1/service/service-type.ts';
import { type Dialect, partKey } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { cacheOf, type ObjectCache } from '../../object-cache.ts';
import { isNamespaceTerminating, reasonOf } from '../pod-control.ts';
import {
  podsOf,
  type ServiceCaches,
  selectorOf,
  serviceCaches,
  TriggerTimes,
  watchServices,
} from '../selected-pods.ts';
import { isSemanticallyEqual } from '../semantic-equality.ts';
import { untilReported } from '../status.ts';
import { type PackedSubsets, subsetsOf } from './reconcile.ts';

interface Parts {
  readonly context: ControllerContext;
  readonly caches: ServiceCaches;
  readonly all: ObjectCache<Endpoints>;
  readonly events: EventRecorder;
  readonly triggers: TriggerTimes;
}

export function endpointsController(context: ControllerContext): Controller {
  const caches = serviceCaches(context);
  const parts: Parts = {
    ...{ context, caches, triggers: new TriggerTimes() },
    all: cacheOf<Endpoints>(context, '', 'endpoints'),
    events: new EventRecorder(context, 'endpoint-controller'),
  };
  const queue = context.queue({ name: 'endpoint', workers: 5, work: (key) => untilReported(work(parts, key)) });
  watchServices(queue, caches, context.dialect);
  const keyed = ({ metadata: { namespace, name } }: Endpoints) => `${namespace}/${name}`;
  parts.all.subscribe({
    onChange(current, previous) {
      const endpoints = current ?? previous;
      if (endpoints !== undefined) queue.add(keyed(endpoints));
    },
    onSynced() {
      for (const endpoints of parts.all.all()) if (isManaged(endpoints, context.dialect)) queue.add(keyed(endpoints));
    },
  });
  return { close: () => queue.close() };
}

const manager = 'endpoint-controller';
const managerLabel = (dialect: Dialect) => partKey(dialect, 'endpoints', 'managed-by');
const isManaged = ({ metadata }: ApiObject, dialect: Dialect) => metadata.labels?.[managerLabel(dialect)] === manager;

async function work(parts: Parts, key: string): Promise<WorkOutcome> {
  const { context, caches, all, triggers } = parts;
  const service = caches.services.get(key);
  const current = all.get(key);
  if (service === undefined) {
    if (current !== undefined && isManaged(current, context.dialect)) await remove(parts, current);
    return 'done';
  }
  if (selectorOf(service) === undefined) return 'done';
  const pods = podsOf(caches, service);
  const trigger = triggers.observe(service, pods);
  const packed = subsetsOf(service, pods);
  const next = endpointsOf(service, current, { packed, trigger, dialect: context.dialect });
  const isEqual =
    current !== undefined &&
    isSemanticallyEqual([current.subsets, current.metadata.labels], [next.subsets, next.metadata.labels]);
  if (!isEqual) await write(parts, service, next, current === undefined);
  return 'done';
}

async function remove({ context }: Parts, { metadata }: Endpoints): Promise<void> {
  try {
    await context.client.delete(`/api/v1/namespaces/${metadata.namespace}/endpoints/${metadata.name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

interface NextEndpoints {
  readonly packed: PackedSubsets;
  readonly trigger: string | undefined;
  readonly dialect: Dialect;
}

function endpointsOf(
  service: Service,
  current: Endpoints | undefined,
  { packed, trigger, dialect }: NextEndpoints,
): Endpoints {
  const { name = '', namespace = '' } = service.metadata;
  const triggerKey = partKey(dialect, 'endpoints', 'last-change-trigger-time');
  const capacityKey = partKey(dialect, 'endpoints', 'over-capacity');
  const headless = partKey(dialect, 'service', 'headless');
  const { [triggerKey]: _, [capacityKey]: __, ...annotations } = current?.metadata.annotations ?? {};
  const { [headless]: ___, ...labels } = service.metadata.labels ?? {};
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      ...current?.metadata,
      ...{ name, namespace },
      labels: {
        ...labels,
        ...(isHeadless(service.spec ?? {}) ? { [headless]: '' } : {}),
        [managerLabel(dialect)]: manager,
      },
      annotations: {
        ...annotations,
        ...(trigger === undefined ? {} : { [triggerKey]: trigger }),
        ...(packed.isTruncated ? { [capacityKey]: 'truncated' } : {}),
      },
    },
    subsets: packed.subsets,
  };
}

async function write(
  { context, all, events }: Parts,
  service: Service,
  next: Endpoints,
  isNew: boolean,
): Promise<void> {
  const { name, namespace } = service.metadata;
  const collection = `/api/v1/namespaces/${namespace}/endpoints`;
  try {
    const { client } = context;
    all.put(isNew ? await client.create(collection, next) : await client.replace(`${collection}/${name}`, next));
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    const [reason, failed] = isNew
      ? (['FailedToCreateEndpoint', `create endpoint for service ${namespace}/${name}`] as const)
      : (['FailedToUpdateEndpoint', `update endpoint ${namespace}/${name}`] as const);
    await events.tell(next, { type: 'Warning', reason, message: `Failed to ${failed}: ${reasonOf(error)}` });
    throw error;
  }
}
