// The table form of pods: how many containers are ready, and the one word that says how the pod is.

import { memoized } from '../../../../base/memoized.ts';
import type { Column, RowCondition } from '../../../../schema/column.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { ageColumn, since } from '../../../columns.ts';
import type { Pod } from './pod-type.ts';

type Status = NonNullable<Pod['status']>;
type ContainerStatus = NonNullable<Status['containerStatuses']>[number];

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

class Restarts {
  count = 0;
  last: string | undefined;

  add({ restartCount = 0, lastState }: ContainerStatus): void {
    this.count += restartCount;
    const { finishedAt } = lastState?.terminated ?? {};
    if (finishedAt && (this.last === undefined || finishedAt > this.last)) this.last = finishedAt;
  }
}

/** Three cells of a row show parts of a summary, and tables that follow each other the same pods. */
export const summarize = memoized((pod: Pod): Summary => newSummary(pod));

function newSummary(pod: Pod): Summary {
  const { spec = {}, status = {} } = pod;
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const total = (spec.containers ?? []).length + sidecars.size;
  const init = summarizeInit(pod, sidecars);
  const begun = init.reason === undefined || hasCondition(status, 'Initialized');
  const main = begun ? summarizeMain(status, init) : undefined;
  const reason = main?.reason ?? init.reason ?? phaseReason(status);
  const { count: restarts, last: lastRestart } = main?.restarts ?? init.restarts;
  return { ready: init.ready + (main?.ready ?? 0), total, reason: whenDeleted(pod, reason), restarts, lastRestart };
}

const isSidecar = ({ restartPolicy }: { readonly restartPolicy?: string }) => restartPolicy === 'Always';

const hasCondition = ({ conditions = [] }: Status, wanted: string) =>
  conditions.some(({ type, status }) => type === wanted && status === 'True');

function phaseReason({ phase, reason, conditions = [] }: Status): string {
  const gated = conditions.some((one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated');
  return gated ? 'SchedulingGated' : (reason ?? phase ?? '');
}

interface InitSummary {
  readonly ready: number;
  /** What the pod waits for before its containers begin; undefined when nothing holds them. */
  readonly reason: string | undefined;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

function summarizeInit({ spec = {}, status = {} }: Pod, sidecars: ReadonlySet<string | undefined>): InitSummary {
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  for (const [i, one] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(one.name);
    restarts.add(one);
    if (sidecar) sidecarRestarts.add(one);
    const { terminated } = one.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && one.started) {
      if (one.ready) ready++;
      continue;
    }
    const reason = initReason(one, `${i}/${(spec.initContainers ?? []).length}`);
    return { ready, reason, restarts, sidecarRestarts };
  }
  return { ready, reason: undefined, restarts, sidecarRestarts };
}

function initReason({ state }: ContainerStatus, progress: string): string {
  const { terminated, waiting } = state ?? {};
  if (terminated) return `Init:${endOf(terminated)}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${progress}`;
}

interface End {
  readonly reason?: string;
  readonly signal?: number;
  readonly exitCode?: number;
}

const endOf = ({ reason, signal, exitCode = 0 }: End) =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

/** The first container that has something to tell speaks for the pod. */
function summarizeMain(status: Status, init: InitSummary): { ready: number; reason: string; restarts: Restarts } {
  const restarts = init.sidecarRestarts;
  let ready = 0;
  let reason = init.reason ?? phaseReason(status);
  let running = false;
  for (const one of [...(status.containerStatuses ?? [])].reverse()) {
    restarts.add(one);
    const { waiting, terminated, running: runs } = one.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = endOf(terminated);
    else if (one.ready && runs) {
      running = true;
      ready++;
    }
  }
  if (reason === 'Completed' && running) reason = hasCondition(status, 'Ready') ? 'Running' : 'NotReady';
  return { ready, reason, restarts };
}

function whenDeleted({ metadata, status }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status?.reason === 'NodeLost') return 'Unknown';
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? reason : 'Terminating';
}

const column = (
  name: string,
  about: string,
  priority: 0 | 1,
  cell: (pod: Pod, now: number) => string | undefined,
): Column<Pod> => ({
  name,
  type: 'string',
  about,
  priority,
  cell: (object: Pod, { clock }) => cell(object, clock.now()) || '<none>',
});

function restartsCell(pod: Pod, now: number): string {
  const { restarts, lastRestart } = summarize(pod);
  return restarts === 0 || lastRestart === undefined
    ? String(restarts)
    : `${restarts} (${since(lastRestart, now)} ago)`;
}

function gatesCell({ spec, status = {} }: Pod): string | undefined {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return undefined;
  const open = gates.filter(({ conditionType = '' }) => hasCondition(status, conditionType));
  return `${open.length}/${gates.length}`;
}

const ends: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

/** Clients leave out pods that are over, unless they are asked for all. */
export function podRowConditions({ status }: Pod): readonly RowCondition[] {
  const reason = status?.phase ?? '';
  const message = ends[reason];
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason, message }];
}

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  column('Ready', 'Containers that are ready, of all there are.', 0, (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  }),
  // a pod without any status shows nothing here
  { ...column('Status', 'How the pod is, in a word.', 0, () => ''), cell: (object) => summarize(object).reason },
  column('Restarts', 'How often containers were restarted, and when last.', 0, restartsCell),
  ageColumn,
  column('IP', 'Main address of the pod.', 1, ({ status }) => status?.podIPs?.[0]?.ip),
  column('Node', 'Node that the pod is assigned to.', 1, ({ spec }) => spec?.nodeName),
  column('Nominated Node', 'Node on which room is made for the pod.', 1, ({ status }) => status?.nominatedNodeName),
  column('Readiness Gates', 'Extra conditions that are met, of all there are.', 1, gatesCell),
];
