// What controllers need to know of pods: whether they run, since when they are ready, and which are deleted first.

import { isReady } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';

export const isFinished = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Counts as a replica. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isDeleted(pod);

/** Is being deleted, and its containers may still run. */
export const isTerminating = (pod: Pod): boolean => !isFinished(pod) && isDeleted(pod);

/** Milliseconds since the epoch; undefined for a pod that is not ready. */
function readySince({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type, status: holds }) => type === 'Ready' && holds === 'True');
  return ready?.lastTransitionTime === undefined ? undefined : Date.parse(ready.lastTransitionTime);
}

/** Has been ready for so long that it counts as available. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the next of these pods is available; undefined where none waits for that. */
export function untilAvailable(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds === 0) return undefined;
  let next: number | undefined;
  for (const pod of pods) {
    const since = isReady(pod) ? readySince(pod) : undefined;
    if (since === undefined) continue;
    const left = since + minReadySeconds * 1000 - now;
    if (left > 0 && (next === undefined || left < next)) next = left;
  }
  return next;
}

const phases: readonly unknown[] = ['Pending', 'Unknown', 'Running'];
const phaseRank = ({ status }: Pod): number => Math.max(phases.indexOf(status?.phase), 0);

/** A cost is a whole number of 32 bits; anything else is as good as none. */
function deletionCost({ metadata }: Pod, costAnnotation: string): number {
  const text = metadata.annotations?.[costAnnotation] ?? '0';
  const cost = /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) < 2 ** 31 ? cost : 0;
}

const restartsOf = (statuses: NonNullable<Pod['status']>['containerStatuses'] = []): number =>
  statuses.reduce((most, { restartCount = 0 }) => Math.max(most, restartCount), 0);

/** Restarts of the sidecar that restarted most. */
function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  return restartsOf(status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)));
}

/** The age on a logarithmic scale of nanoseconds: pods of similar age are equal. */
const ageRank = (ms: number): number => (ms > 0 ? Math.trunc(Math.log2(ms * 1e6)) : -1);

/** The younger first; a time that is missing is the youngest. */
function compareTimes(a: number | undefined, b: number | undefined, now: number): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return ageRank(now - a) - ageRank(now - b);
}

interface DeletionOrder {
  /** Active pods of related replica sets by node: where there are more, pods are deleted first. */
  readonly podsOnNode: ReadonlyMap<string, number>;
  /** Key of the annotation by which users order pods. */
  readonly costAnnotation: string;
  readonly now: number;
}

const createdAt = ({ metadata }: Pod): number | undefined =>
  metadata.creationTimestamp === undefined ? undefined : Date.parse(metadata.creationTimestamp);

/** Orders pods by how little is lost with each. */
export function compareForDeletion(a: Pod, b: Pod, order: DeletionOrder): number {
  const { podsOnNode, costAnnotation, now } = order;
  const [nodeA = '', nodeB = ''] = [a.spec?.nodeName, b.spec?.nodeName];
  const [readyA, readyB] = [isReady(a), isReady(b)];
  const steps = [
    () => Number(nodeA !== '') - Number(nodeB !== ''),
    () => phaseRank(a) - phaseRank(b),
    () => Number(readyA) - Number(readyB),
    () => deletionCost(a, costAnnotation) - deletionCost(b, costAnnotation),
    () => (podsOnNode.get(nodeB) ?? 0) - (podsOnNode.get(nodeA) ?? 0),
    () => (readyA && readyB ? compareAges(a, b, { since: readySince, now }) : 0),
    () => restartsOf(b.status?.containerStatuses) - restartsOf(a.status?.containerStatuses),
    () => sidecarRestarts(b) - sidecarRestarts(a),
    () => compareAges(a, b, { since: createdAt, now }),
  ];
  for (const step of steps) {
    const difference = step();
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Pods of different times and the same rank are ordered by uid, which is as good as random. */
function compareAges(a: Pod, b: Pod, { since, now }: { since(pod: Pod): number | undefined; now: number }): number {
  const [timeA, timeB] = [since(a), since(b)];
  if (timeA === timeB) return 0;
  const order = compareTimes(timeA, timeB, now);
  if (order !== 0) return order;
  return (a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1;
}

/** When a pod became ready, or was no longer. */
export const readyTransition = ({ status }: Pod): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
