// The run of a container that a client asks for: the present one, or the one before.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';

/** Why there is nothing to read; the text is a kubelet's. */
export class NoRun extends Error {
  override readonly name = 'NoRun';
}

export interface ContainerRun {
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly finishedAt: number | undefined;
}

type Status = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

export function containerStatusIn({ status = {} }: Pod, container: string): Status | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === container,
  );
}

/** Throws a NoRun. */
export function runOf(pod: Pod, container: string, previous: boolean): ContainerRun {
  const status = containerStatusIn(pod, container);
  const about = `container "${container}" in pod "${pod.metadata.name}"`;
  if (status === undefined) throw new NoRun(`${about} is not available`);
  const { state = {}, lastState = {} } = status;
  if (previous && !lastState.terminated) throw new NoRun(`previous terminated ${about} not found`);
  if (!previous && state.running) return { startedAt: timeOf(state.running.startedAt), finishedAt: undefined };
  const ended = previous ? lastState.terminated : (state.terminated ?? lastState.terminated);
  if (ended) return { startedAt: timeOf(ended.startedAt), finishedAt: timeOf(ended.finishedAt) };
  throw new NoRun(`${about} is waiting to start: ${waitingFor(state.waiting?.reason)}`);
}

function waitingFor(reason = 'no logs yet'): string {
  if (reason === 'ErrImagePull') return "image can't be pulled";
  return reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : reason;
}

const timeOf = (text = ''): number => Date.parse(text) || 0;
