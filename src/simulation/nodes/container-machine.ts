// The next step of one container: a function of its state, its plan and the time.

import { formatDuration } from '../../meta/duration.ts';
import type { Behaviour } from './behaviour.ts';
import type { ContainerState, EndedRun, Occurrence, Stop } from './container-state.ts';
import type { ContainerPlan } from './pod-plan.ts';

interface Step {
  readonly state: ContainerState;
  readonly occurrences: readonly Occurrence[];
}

/** How long a pull that failed is shown as such, before it is shown as a pause. */
const pullFailedMs = 1000;
const firstBackOffMs = 10_000;
const maxBackOffMs = 300_000;
/** A container that ran for this long starts with short pauses again. */
const forgiveMs = 2 * maxBackOffMs;
/** How long a task runs, and a container that is to fail with an exit code. */
const usualRunMs = 1000;

const msOf = (seconds: number | undefined): number => (seconds ?? 0) * 1000;

const never = Number.POSITIVE_INFINITY;

/** The time of the next step; infinite where nothing happens by itself. */
export function dueTime(state: ContainerState, plan: ContainerPlan): number {
  const { behaviour } = plan;
  switch (state.stage) {
    case 'pulling':
      return state.since + pullMs(state, behaviour);
    case 'pullFailed':
      return state.since + pullFailedMs;
    case 'pullBackOff':
      return state.since + state.pullBackOffMs - pullFailedMs;
    case 'creating':
      return state.since + msOf(behaviour.startSeconds);
    case 'running':
      return Math.min(
        state.stop?.at ?? never,
        endTime(state, plan),
        livenessTime(state, plan),
        readinessTime(state, plan),
      );
    case 'exited':
      return restartsNow(state, plan) ? state.since : never;
    case 'backOff':
      return (state.ended?.finishedAt ?? state.since) + state.backOffMs;
    case 'waiting':
      return never;
  }
}

/** An image is pulled once; later runs have it. */
const pullMs = ({ runs }: ContainerState, { pullSeconds }: Behaviour): number => (runs === 0 ? msOf(pullSeconds) : 0);

const restartsNow = ({ ended }: ContainerState, plan: ContainerPlan): boolean =>
  ended !== undefined && plan.restartsAfter(ended.exitCode);

/** When the container is started and passes its probes; clients see the change without a step. */
export function startedTime({ since }: ContainerState, { behaviour }: ContainerPlan): number {
  return since + msOf(behaviour.startupSeconds);
}

export function readyTime(state: ContainerState, plan: ContainerPlan): number {
  const { neverReady, readySeconds } = plan.behaviour;
  return neverReady ? never : Math.max(startedTime(state, plan), state.since + msOf(readySeconds));
}

function readinessTime({ since, isUnhealthy }: ContainerState, { behaviour }: ContainerPlan): number {
  const { failReadinessAfterSeconds } = behaviour;
  return isUnhealthy || failReadinessAfterSeconds === undefined ? never : since + msOf(failReadinessAfterSeconds);
}

function livenessTime({ since, stop }: ContainerState, { behaviour }: ContainerPlan): number {
  const { failLivenessAfterSeconds } = behaviour;
  return stop !== undefined || failLivenessAfterSeconds === undefined ? never : since + msOf(failLivenessAfterSeconds);
}

/** How the run of a container ends by itself. */
interface Outcome {
  readonly afterMs: number;
  readonly exitCode: number;
  readonly reason: string;
}

function outcomeOf({ runs }: ContainerState, { behaviour, isTask, role }: ContainerPlan): Outcome {
  const { runSeconds, crashes, crashLoop = false, oom = false, exitCode } = behaviour;
  const isHealed = crashes !== undefined && runs > crashes;
  const fails = !isHealed && (crashLoop || crashes !== undefined || oom);
  if (fails) return { afterMs: msOf(runSeconds), ...failure(oom, exitCode || 1) };
  const code = isHealed ? 0 : (exitCode ?? 0);
  const usualMs = role === 'init' ? 0 : isTask || code !== 0 ? usualRunMs : never;
  const afterMs = runSeconds === undefined || isHealed ? usualMs : msOf(runSeconds);
  return { afterMs, ...(code === 0 ? { exitCode: 0, reason: 'Completed' } : failure(false, code)) };
}

const failure = (oom: boolean, exitCode: number) =>
  oom ? { exitCode: 137, reason: 'OOMKilled' } : { exitCode, reason: 'Error' };

const endTime = (state: ContainerState, plan: ContainerPlan): number => state.since + outcomeOf(state, plan).afterMs;

const normal = (plan: ContainerPlan, reason: string, message: string): Occurrence => ({
  type: 'Normal',
  ...{ reason, message },
  container: plan.name,
});

const warning = (plan: ContainerPlan, reason: string, message: string): Occurrence => ({
  ...normal(plan, reason, message),
  type: 'Warning',
});

/** The state after the step that is due at `at`; `podName` is how messages name the pod. */
export function stepContainer(state: ContainerState, plan: ContainerPlan, at: number, podName: string): Step {
  switch (state.stage) {
    case 'pulling':
      return plan.behaviour.pullError === undefined ? pulled(state, plan, at) : pullFailed(state, plan, at);
    case 'pullFailed':
      return step({ ...state, stage: 'pullBackOff', since: at }, warningOfBackOff(plan));
    case 'pullBackOff':
    case 'backOff':
      return prepare(state, plan, at);
    case 'creating':
      return start(state, plan, at);
    case 'running':
      return stepRunning(state, plan, at);
    case 'exited':
      return stepExited(state, plan, at, podName);
    case 'waiting':
      return step(state);
  }
}

const step = (state: ContainerState, ...occurrences: readonly Occurrence[]): Step => ({ state, occurrences });

const warningOfBackOff = (plan: ContainerPlan) => normal(plan, 'BackOff', `Back-off pulling image "${plan.image}"`);

/** Begins a run: with the image that is there, or by pulling it. */
export function prepare(state: ContainerState, plan: ContainerPlan, at: number): Step {
  const { image, pullPolicy, behaviour } = plan;
  const isPulled = pullPolicy === 'Always' || pullMs(state, behaviour) > 0 || behaviour.pullError !== undefined;
  if (isPulled && pullPolicy !== 'Never')
    return step({ ...state, stage: 'pulling', since: at, image }, normal(plan, 'Pulling', `Pulling image "${image}"`));
  const present = `Container image "${image}" already present on machine and can be accessed by the pod`;
  return step({ ...state, stage: 'creating', since: at, image }, normal(plan, 'Pulled', present));
}

function pulled(state: ContainerState, plan: ContainerPlan, at: number): Step {
  const time = formatDuration(pullMs(state, plan.behaviour) / 1000);
  const message = `Successfully pulled image "${plan.image}" in ${time} (${time} including waiting). Image size: ${imageSize(plan.image)} bytes.`;
  return step({ ...state, stage: 'creating', since: at, pullBackOffMs: 0 }, normal(plan, 'Pulled', message));
}

/** Any number that stays the same for an image. */
function imageSize(image: string): number {
  let sum = 0;
  for (let i = 0; i < image.length; i++) sum = (sum * 31 + image.charCodeAt(i)) % 190_000_000;
  return 10_000_000 + sum;
}

function pullFailed(state: ContainerState, plan: ContainerPlan, at: number): Step {
  const { pullError = '' } = plan.behaviour;
  const pullBackOffMs = state.pullBackOffMs === 0 ? firstBackOffMs : Math.min(state.pullBackOffMs * 2, maxBackOffMs);
  const message = `Failed to pull image "${plan.image}": ${pullError}`;
  return step(
    { ...state, stage: 'pullFailed', since: at, pullBackOffMs },
    warning(plan, 'Failed', message),
    warning(plan, 'Failed', 'Error: ErrImagePull'),
  );
}

function start(state: ContainerState, plan: ContainerPlan, at: number): Step {
  const running: ContainerState = {
    ...state,
    ...{ stage: 'running', since: at, runs: state.runs + 1, stop: undefined, isUnhealthy: false },
  };
  const unhealthy = plan.behaviour.neverReady ? [readinessFailed(plan)] : [];
  return step(
    running,
    normal(plan, 'Created', 'Container created'),
    normal(plan, 'Started', 'Container started'),
    ...unhealthy,
  );
}

const readinessFailed = (plan: ContainerPlan) =>
  warning(plan, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');

function stepRunning(state: ContainerState, plan: ContainerPlan, at: number): Step {
  if (state.stop !== undefined && state.stop.at <= at) return step(ended(state, state.stop));
  if (endTime(state, plan) <= at) {
    const { exitCode, reason } = outcomeOf(state, plan);
    return step(ended(state, { at: endTime(state, plan), exitCode, reason }));
  }
  if (livenessTime(state, plan) <= at) return failLiveness(state, plan, at);
  return step({ ...state, isUnhealthy: true }, readinessFailed(plan));
}

function failLiveness(state: ContainerState, plan: ContainerPlan, at: number): Step {
  return step(
    { ...state, stop: { at: at + msOf(plan.behaviour.stopSeconds), exitCode: 137, reason: 'Error' } },
    warning(plan, 'Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 500'),
    normal(plan, 'Killing', `Container ${plan.name} failed liveness probe, will be restarted`),
  );
}

function ended(state: ContainerState, { at, exitCode, reason }: Stop): ContainerState {
  const run: EndedRun = { run: state.runs, exitCode, reason, startedAt: state.since, finishedAt: at };
  return { ...state, stage: 'exited', since: at, stop: undefined, ended: run };
}

/** The first restart comes at once; each later one after a pause that grows. */
function stepExited(state: ContainerState, plan: ContainerPlan, at: number, podName: string): Step {
  const { startedAt = at, finishedAt = at } = state.ended ?? {};
  const isForgiven = state.backOffMs === 0 || finishedAt - startedAt > forgiveMs;
  if (isForgiven) return prepare({ ...state, backOffMs: firstBackOffMs / 2 }, plan, at);
  const backOffMs = Math.min(state.backOffMs * 2, maxBackOffMs);
  const message = `Back-off restarting failed container ${plan.name} in pod ${podName}`;
  return step({ ...state, stage: 'backOff', backOffMs }, warning(plan, 'BackOff', message));
}

/** Asks a container to stop; one that does not run is over at once. */
export function stopContainer(state: ContainerState, plan: ContainerPlan, at: number, graceMs: number): ContainerState {
  if (state.stage !== 'running') return state;
  const stopMs = msOf(plan.behaviour.stopSeconds);
  const isKilled = stopMs > graceMs;
  // a task that is interrupted has not succeeded
  const exitCode = isKilled ? 137 : plan.isTask ? 143 : 0;
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  const stop = { at: at + Math.min(stopMs, graceMs), exitCode, reason };
  return state.stop !== undefined && state.stop.at <= stop.at ? state : { ...state, stop };
}
