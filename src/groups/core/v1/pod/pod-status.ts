// The status of a pod: fields that say the same in two forms, and conditions.

import { type ApiObject, withMeta } from '../../../../meta/object.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import type { PartSubresource } from '../../../../schema/part-subresource.ts';
import type { Infer } from '../../../../schema/types.ts';
import { addressWarnings } from '../../../address-warnings.ts';
import { validateAnnotationUpdate } from './pod-annotation-rules.ts';
import { validateStatusUpdate } from './pod-status-rules.ts';
import type { podCondition } from './pod-status-type.ts';
import type { Pod } from './pod-type.ts';
import { roundedIn, roundedResources } from './rounded-amounts.ts';

type PodCondition = Infer<typeof podCondition>;
type PodStatus = NonNullable<Pod['status']>;

/** The one address and the first of the list are the same; where they differ, the one address is meant. */
export function defaultAddresses(object: Pod): ApiObject {
  const { status } = object;
  const first = status?.podIPs?.[0]?.ip;
  if (status === undefined || status.podIP === first) return object;
  const podIP = status.podIP ?? first;
  const podIPs = status.podIP === undefined ? status.podIPs : [{ ip: podIP }];
  return { ...object, status: { ...status, podIP, podIPs } };
}

const containerLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Amounts that are reported are rounded as those that are asked for. */
export function roundedStatus(object: Pod): Pod {
  const { status } = object;
  if (status === undefined) return object;
  const whole = roundedUse(status);
  const lists = containerLists.filter((name) => status[name]?.some((one) => roundedUse(one) !== one));
  if (whole === status && lists.length === 0) return object;
  const rounded = lists.map((name) => [name, status[name]?.map(roundedUse)] as const);
  return { ...object, status: { ...whole, ...Object.fromEntries(rounded) } };
}

type Use = Pick<PodStatus, 'allocatedResources' | 'resources'>;

function roundedUse<T extends Use>(use: T): T {
  const allocated = roundedIn<Use>(use, ['allocatedResources']) as T;
  const { resources } = allocated;
  const rounded = resources && roundedResources(resources);
  return rounded === resources ? allocated : { ...allocated, resources: rounded };
}

/** The status with a condition set; the time of its last change is kept where nothing changed. */
export function withCondition(status: PodStatus, condition: PodCondition, now: string): PodStatus {
  const { conditions = [] } = status;
  const old = conditions.find(({ type }) => type === condition.type);
  const since = old?.status === condition.status ? old?.lastTransitionTime : now;
  const settled = { lastProbeTime: null, ...condition, lastTransitionTime: since } as unknown as PodCondition;
  return {
    ...status,
    conditions: old === undefined ? [...conditions, settled] : conditions.map((one) => (one === old ? settled : one)),
  };
}

export const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');

/** A client that reports the status of a pod has no say about its owners, nor about its class of service. */
export const podStatusPart: PartSubresource<Pod> = {
  is: 'part',
  name: 'status',
  verbs: ['get', 'patch', 'update'],
  resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  merge(next, old) {
    const { ownerReferences, deletionTimestamp } = old.metadata;
    const was = old.status;
    const status: PodStatus = { ...(was?.qosClass ? { qosClass: was.qosClass } : {}), ...next.status };
    return defaultAddresses({
      ...old,
      metadata: withMeta(next, { ownerReferences, deletionTimestamp }).metadata,
      status: withGenerations(status, was ?? {}),
    });
  },
  validateUpdate: (next, old, { dialect }) => [
    ...validateAnnotationUpdate(next, old, dialect),
    ...validateStatusUpdate(next, old),
  ],
  warnings: (next) => addressFormWarnings(next.status ?? {}),
};

/** Who does not say which generation a report is about, as older nodes do not, leaves what was said before. */
function withGenerations(next: PodStatus, old: PodStatus): PodStatus {
  const kept = <T extends { observedGeneration?: number }>(one: T, observedGeneration = 0): T =>
    one.observedGeneration || !observedGeneration ? one : { ...one, observedGeneration };
  const earlier = new Map<string, (number | undefined)[]>();
  for (const { type = '', observedGeneration } of old.conditions ?? []) {
    const known = earlier.get(type) ?? [];
    known.push(observedGeneration);
    earlier.set(type, known);
  }
  const conditions = next.conditions?.map((one) => kept(one, earlier.get(one.type ?? '')?.shift()));
  return kept({ ...next, ...(conditions ? { conditions } : {}) }, old.observedGeneration);
}

const addressFormWarnings = (status: PodStatus): Warnings =>
  warnEach(['podIPs', 'hostIPs'] as const, (list) =>
    warnEach(status[list] ?? [], ({ ip = '' }, index) => addressWarnings(ip, `status.${list}[${index}].ip`)),
  );
