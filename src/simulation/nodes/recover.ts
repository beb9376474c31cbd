// The state of a pod from its status, for a node after a restart of the server.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { type ContainerState, type EndedRun, freshContainer } from './container-state.ts';
import type { ContainerStatus } from './container-status.ts';
import { fullImageName } from './image-names.ts';
import type { PodState } from './pod-machine.ts';

const firstBackOffMs = 10_000;
const maxBackOffMs = 300_000;

/** Undefined for a pod that no node has looked at yet. */
export function recoverPod({ spec = {}, status = {} }: Pod, now: number): PodState | undefined {
  if (status.startTime === undefined) return undefined;
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const images = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(({ name, image = '' }) => [name, image]),
  );
  return {
    startedAt: timeOf(status.startTime, now),
    containers: new Map(
      all.map((one) => [one.name ?? '', recoverContainer(one, imageOf(one, images.get(one.name) ?? ''), now)]),
    ),
    ending: undefined,
    lookedAt: now,
  };
}

/** The image as the pod names it, unless another one runs. */
const imageOf = ({ image = '' }: ContainerStatus, specImage: string): string =>
  image === fullImageName(specImage) ? specImage : image;

function timeOf(text: string | undefined, otherwise: number): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? otherwise : time;
}

function recoverContainer(status: ContainerStatus, image: string, now: number): ContainerState {
  const { state = {}, lastState = {}, restartCount = 0 } = status;
  const runs = state.running || state.terminated || lastState.terminated ? restartCount + 1 : 0;
  const base: ContainerState = {
    ...freshContainer(now),
    ...{ runs, image },
    backOffMs: backOffAfter(state.waiting ? restartCount + 1 : restartCount),
  };
  const last = lastState.terminated && endedRun(lastState.terminated, state.running ? restartCount : runs, now);
  if (state.running) return { ...base, stage: 'running', since: timeOf(state.running.startedAt, now), ended: last };
  if (state.terminated) {
    const ended = endedRun(state.terminated, runs, now);
    return { ...base, stage: 'exited', since: ended.finishedAt, ended };
  }
  return { ...base, ...recoverWaiting(state.waiting?.reason), ended: last };
}

/** The pause doubles with each restart after the first. */
const backOffAfter = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min((firstBackOffMs / 2) * 2 ** Math.min(restarts - 1, 10), maxBackOffMs);

function recoverWaiting(reason: string | undefined): Partial<ContainerState> {
  if (reason === 'CrashLoopBackOff') return { stage: 'backOff' };
  if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff')
    return { stage: 'pullBackOff', pullBackOffMs: firstBackOffMs };
  return { stage: 'waiting' };
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

function endedRun(
  { exitCode = 0, reason = '', startedAt, finishedAt }: Terminated,
  run: number,
  now: number,
): EndedRun {
  return { run, exitCode, reason, startedAt: timeOf(startedAt, now), finishedAt: timeOf(finishedAt, now) };
}
