// The status of a container as a kubelet writes it, from its state.

import type { Container } from '../../groups/core/v1/pod/container-defaults.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatDuration } from '../../meta/duration.ts';
import { formatTime } from '../../meta/time.ts';
import { readyTime, startedTime } from './container-machine.ts';
import type { ContainerState, EndedRun } from './container-state.ts';
import { containerId, fullImageName, imageId } from './image-names.ts';
import type { ContainerPlan } from './pod-plan.ts';

type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
type WireState = NonNullable<ContainerStatus['state']>;

interface Surroundings {
  readonly pod: Pod;
  /** `name_namespace(uid)`, as messages name a pod. */
  readonly podName: string;
  readonly now: number;
  /** Whether init containers come first, which is why others wait. */
  readonly hasInitContainers: boolean;
}

export function containerStatusOf(
  container: Container,
  plan: ContainerPlan,
  state: ContainerState,
  around: Surroundings,
): ContainerStatus {
  const { name, role } = plan;
  const { pod, now } = around;
  const { uid = '' } = pod.metadata;
  const isRunning = state.stage === 'running';
  const isStarted = isRunning && startedTime(state, plan) <= now;
  const isReady = isStarted && !state.isUnhealthy && readyTime(state, plan) <= now;
  const isDone = state.stage === 'exited' && state.ended?.exitCode === 0;
  const last = lastRunOf(state);
  return {
    name,
    state: wireState(plan, state, around),
    lastState: last === undefined ? {} : { terminated: terminated(last, uid, name) },
    ready: role === 'init' ? isDone : isReady,
    restartCount: Math.max(0, state.runs - 1),
    image: state.runs > 0 ? fullImageName(state.image) : (container.image ?? ''),
    imageID: state.runs > 0 ? imageId(state.image) : '',
    ...(state.runs > 0 ? { containerID: containerId(uid, name, state.runs) } : {}),
    started: isStarted,
    ...(state.runs > 0 && role !== 'ephemeral' ? resourcesOf(container) : {}),
    ...mountsOf(container),
    ...(isRunning ? { user: userOf(container, pod) } : {}),
  };
}

/** The run before the one that is shown. */
function lastRunOf({ stage, ended }: ContainerState): EndedRun | undefined {
  return stage === 'exited' ? undefined : ended;
}

function wireState(plan: ContainerPlan, state: ContainerState, around: Surroundings): WireState {
  const { uid = '' } = around.pod.metadata;
  switch (state.stage) {
    case 'running':
      return { running: { startedAt: formatTime(state.since) } };
    case 'exited':
      return state.ended === undefined ? {} : { terminated: terminated(state.ended, uid, plan.name) };
    case 'pullFailed':
      return { waiting: { reason: 'ErrImagePull', message: plan.behaviour.pullError ?? '' } };
    case 'pullBackOff':
      return { waiting: { reason: 'ImagePullBackOff', message: pullBackOff(plan) } };
    case 'backOff':
      return { waiting: { reason: 'CrashLoopBackOff', message: crashLoop(plan, state, around.podName) } };
    case 'waiting':
    case 'pulling':
    case 'creating':
      return { waiting: { reason: around.hasInitContainers ? 'PodInitializing' : 'ContainerCreating' } };
  }
}

const pullBackOff = ({ image, behaviour }: ContainerPlan): string =>
  `Back-off pulling image "${image}": ErrImagePull: ${behaviour.pullError ?? ''}`;

const crashLoop = ({ name }: ContainerPlan, { backOffMs }: ContainerState, podName: string): string =>
  `back-off ${formatDuration(backOffMs / 1000)} restarting failed container=${name} pod=${podName}`;

const terminated = ({ run, exitCode, reason, startedAt, finishedAt }: EndedRun, uid: string, name: string) => ({
  exitCode,
  reason,
  startedAt: formatTime(startedAt),
  finishedAt: formatTime(finishedAt),
  containerID: containerId(uid, name, run),
});

function resourcesOf({ resources = {} }: Container): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  const { requests } = resources;
  return { ...(requests === undefined ? {} : { allocatedResources: requests }), resources };
}

function mountsOf({ volumeMounts = [] }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name = '', mountPath = '', readOnly }) => ({
      ...{ name, mountPath },
      ...(readOnly ? { readOnly, recursiveReadOnly: 'Disabled' as const } : {}),
    })),
  };
}

function userOf({ securityContext }: Container, { spec }: Pod): NonNullable<ContainerStatus['user']> {
  const { runAsUser, runAsGroup, supplementalGroups = [], fsGroup } = spec?.securityContext ?? {};
  const uid = securityContext?.runAsUser ?? runAsUser ?? 0;
  const gid = securityContext?.runAsGroup ?? runAsGroup ?? 0;
  const groups = new Set([gid, ...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups]);
  return { linux: { uid, gid, supplementalGroups: [...groups] } };
}
