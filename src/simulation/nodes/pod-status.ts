// The status of a pod as a kubelet writes it.

import type { Container } from '../../groups/core/v1/pod/container-defaults.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../meta/time.ts';
import { freshContainer } from './container-state.ts';
import { type ContainerStatus, containerStatusOf } from './container-status.ts';
import { conditionsOf } from './pod-conditions.ts';
import type { PodState } from './pod-machine.ts';
import { phaseOf } from './pod-phase.ts';
import type { ContainerRole, PodPlan } from './pod-plan.ts';

export type PodStatus = NonNullable<Pod['status']>;

export interface Addresses {
  readonly host: string;
  readonly pod: string;
}

/** `name_namespace(uid)`, as a kubelet names pods in messages. */
export const podNameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`;

export function podStatusOf(pod: Pod, plan: PodPlan, state: PodState, addresses: Addresses, now: number): PodStatus {
  const { spec = {}, metadata, status = {} } = pod;
  const statuses = containerStatuses(pod, plan, state, now);
  const phase = phaseOf(plan, state);
  const deadline = state.ending?.cause === 'deadline' && phase === 'Failed' ? deadlineExceeded : {};
  const conditions = conditionsOf({ pod, plan, phase, statuses, hasNetwork: true, now: formatTime(now) });
  const of = (...roles: readonly ContainerRole[]) =>
    plan.containers.filter(({ role }) => roles.includes(role)).flatMap(({ name }) => statuses.get(name) ?? []);
  const byName = (a: ContainerStatus, b: ContainerStatus) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  const init = of('init', 'sidecar');
  const ephemeral = of('ephemeral');
  return {
    ...(metadata.generation ? { observedGeneration: metadata.generation } : {}),
    phase,
    conditions,
    ...deadline,
    hostIP: addresses.host,
    hostIPs: [{ ip: addresses.host }],
    podIP: addresses.pod,
    podIPs: [{ ip: addresses.pod }],
    startTime: status.startTime ?? formatTime(state.startedAt),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: of('main').sort(byName),
    ...(status.qosClass ? { qosClass: status.qosClass } : {}),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
    ...(status.resourceClaimStatuses ? { resourceClaimStatuses: status.resourceClaimStatuses } : {}),
    ...(spec.resources?.requests ? { allocatedResources: spec.resources.requests, resources: spec.resources } : {}),
  } as PodStatus;
}

const deadlineExceeded = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

function containerStatuses(pod: Pod, plan: PodPlan, state: PodState, now: number): Map<string, ContainerStatus> {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const specs = [...initContainers, ...containers, ...(ephemeralContainers as Container[])];
  const around = { pod, podName: podNameOf(pod), now, hasInitContainers: initContainers.length > 0 };
  const statuses = new Map<string, ContainerStatus>();
  for (const container of specs) {
    const planned = plan.containers.find(({ name }) => name === container.name);
    if (planned === undefined) continue;
    const containerState = state.containers.get(planned.name) ?? freshContainer(now);
    statuses.set(planned.name, containerStatusOf(container, planned, containerState, around));
  }
  return statuses;
}
