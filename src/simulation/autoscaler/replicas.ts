// How many replicas the values of a metric ask for. All amounts are in thousandths.

import { isReady } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { atScale, parseQuantity } from '../../meta/quantity.ts';

/** A value that one pod has. */
export interface PodValue {
  readonly value: number;
  /** When it was measured, and over how long a time. */
  readonly time: number;
  readonly windowMs: number;
}

export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

interface Proposal {
  readonly replicas: number;
  /** The value that was found, on average or in all. */
  readonly usage: number;
  /** In percent of the requests of the pods. */
  readonly utilization?: number;
}

/** No number of replicas can be computed; the message is that of kube-controller-manager. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

/** A pod that started so short a time ago may use much of the processor for its start. */
const startMs = 5 * 60_000;
/** A pod that was unready since this time after its start has never been ready. */
const firstReadyMs = 30_000;

export const milliOf = (text: string): number =>
  Number(atScale(parseQuantity(text) ?? { digits: 0n, scale: 0, format: 'decimal' }, -3));

const isWithin = ({ down, up }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up;

interface PodsInput {
  readonly pods: readonly Pod[];
  /** By the name of the pod. */
  readonly values: ReadonlyMap<string, PodValue>;
  readonly resource?: string;
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** The measured value, and its ratio to the target. */
interface Usage extends Pick<Proposal, 'usage' | 'utilization'> {
  readonly ratio: number;
}

type Measure = (values: ReadonlyMap<string, number>) => Usage;

/** Replicas that bring the average of the pods to `target`. */
export const replicasOfAverage = (input: PodsInput, target: number): Proposal =>
  replicasOfPods(input, {
    fallback: () => target,
    measure: (values) => {
      const usage = Math.trunc(sumOf(values.values()) / values.size);
      return { ratio: usage / target, usage };
    },
  });

/** Replicas that bring the use of the pods to `target` percent of their requests. */
export function replicasOfUtilization(input: PodsInput & { readonly container: string }, target: number): Proposal {
  const { pods, container, resource = '' } = input;
  let ofPods: ReadonlyMap<string, number> | undefined;
  const requests = () => {
    ofPods ??= new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, container, resource)]));
    return ofPods;
  };
  return replicasOfPods(input, {
    fallback: (name) => ((requests().get(name) ?? 0) * Math.max(100, target)) / 100,
    measure: (values) => {
      const names = [...values.keys()].filter((name) => requests().has(name));
      const used = sumOf(names.map((name) => values.get(name) ?? 0));
      const requested = sumOf(names.map((name) => requests().get(name) ?? 0));
      if (requested === 0) throw new MetricError('no metrics returned matched known pods');
      const utilization = Number((BigInt(used) * 100n) / BigInt(requested));
      return { ratio: utilization / target, utilization, usage: Math.trunc(used / names.length) };
    },
  });
}

interface Measuring {
  readonly measure: Measure;
  /** The value that a pod without one is taken to have where replicas would be removed. */
  fallback(name: string): number;
}

function replicasOfPods(input: PodsInput, { measure, fallback }: Measuring): Proposal {
  const { pods, currentReplicas, tolerances } = input;
  if (pods.length === 0) throw new MetricError('no pods returned by selector while calculating replica count');
  const { ready, unready, missing } = groupPods(input);
  const values = new Map(ready.map((name) => [name, input.values.get(name)?.value ?? 0]));
  if (values.size === 0) throw new MetricError('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, ...usage } = measure(values);
  const unchanged = { replicas: currentReplicas, ...usage };
  const countsUnready = unready.length > 0 && ratio > 1;
  if (!countsUnready && missing.length === 0)
    return isWithin(tolerances, ratio) ? unchanged : { replicas: Math.ceil(ratio * ready.length), ...usage };
  if (ratio !== 1) for (const name of missing) values.set(name, ratio < 1 ? fallback(name) : 0);
  if (countsUnready) for (const name of unready) values.set(name, 0);
  const next = measure(values).ratio;
  if (isWithin(tolerances, next) || (ratio < 1 && next > 1) || (ratio > 1 && next < 1)) return unchanged;
  const replicas = Math.ceil(next * values.size);
  const isOpposite = (next < 1 && replicas > currentReplicas) || (next > 1 && replicas < currentReplicas);
  return isOpposite ? unchanged : { replicas, ...usage };
}

function groupPods({ pods, values, resource, now }: PodsInput) {
  const groups = { ready: [] as string[], unready: [] as string[], missing: [] as string[] };
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    if (deletionTimestamp !== undefined || phase === 'Failed') continue;
    const value = values.get(name);
    if (phase === 'Pending') groups.unready.push(name);
    else if (value === undefined) groups.missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, value, now)) groups.unready.push(name);
    else groups.ready.push(name);
  }
  return groups;
}

/** What a pod uses while it starts tells nothing about its load. */
function isStarting({ status = {} }: Pod, value: PodValue, now: number): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || status.startTime === undefined) return true;
  const [started, changed] = [Date.parse(status.startTime), Date.parse(ready.lastTransitionTime ?? '')];
  if (started + startMs > now) return ready.status === 'False' || value.time < changed + value.windowMs;
  return ready.status === 'False' && started + firstReadyMs > changed;
}

/** What the containers of a pod request, or the one with this name. */
function requestOf({ metadata, spec = {} }: Pod, container: string, resource: string): number {
  const ofPod: Readonly<Record<string, string>> = spec.resources?.requests ?? {};
  if (container === '' && Object.keys(ofPod).length > 0) {
    const amount = ofPod[resource];
    if (amount === undefined)
      throw new MetricError(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
    return milliOf(amount);
  }
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers = [...(spec.containers ?? []), ...sidecars];
  const measured = container === '' ? containers : containers.filter(({ name }) => name === container);
  if (container !== '' && measured.length === 0)
    throw new MetricError(`container ${container} not found in Pod ${metadata.name}`);
  return sumOf(
    measured.map(({ name, resources }) => {
      const amount = (resources?.requests as Readonly<Record<string, string>> | undefined)?.[resource];
      if (amount === undefined)
        throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
      return milliOf(amount);
    }),
  );
}

interface TotalInput extends Pick<PodsInput, 'pods' | 'currentReplicas' | 'tolerances'> {
  /** The value, for all pods together. */
  readonly usage: number;
}

const mostReplicas = 2 ** 31 - 1;

/** Replicas that bring a value of all pods to `target`, if it changes with their number. */
export function replicasOfTotal({ pods, currentReplicas, tolerances, usage }: TotalInput, target: number): Proposal {
  const ratio = usage / target;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usage };
  if (isWithin(tolerances, ratio)) return { replicas: currentReplicas, usage };
  if (pods.length === 0)
    throw new MetricError(
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    );
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
  return { replicas: Math.min(Math.ceil(ratio * ready), mostReplicas), usage };
}

/** Replicas of which each has `target` of a value of all of them. */
export function replicasOfShare(
  { currentReplicas, tolerances, usage }: Omit<TotalInput, 'pods'>,
  target: number,
): Proposal {
  const isRight = isWithin(tolerances, usage / (target * currentReplicas));
  return {
    replicas: isRight ? currentReplicas : Math.min(Math.ceil(usage / target), mostReplicas),
    usage: currentReplicas === 0 ? usage : Math.ceil(usage / currentReplicas),
  };
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
