// The phase of a pod, from the states of its containers.

import type { ContainerState } from './container-state.ts';
import { isFinished, type PodState } from './pod-machine.ts';
import type { ContainerPlan, PodPlan } from './pod-plan.ts';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

interface Counts {
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  restartable: number;
}

export function phaseOf(plan: PodPlan, state: PodState): Phase {
  const finished = isFinished(plan, state);
  const main = countMain(plan, state);
  if (finished) {
    const hasSucceeded = main.stopped > 0 && main.stopped === main.succeeded && main.waiting === 0;
    return hasSucceeded && state.ending?.cause !== 'deadline' ? 'Succeeded' : 'Failed';
  }
  if (hasPendingInit(plan, state) || main.waiting > 0) return 'Pending';
  const sidecars = plan.containers.filter(({ role }) => role === 'sidecar');
  const isRunning = main.running > 0 || sidecars.some(({ name }) => state.containers.get(name)?.stage === 'running');
  return isRunning || main.restartable > 0 || main.stopped > 0 ? 'Running' : 'Pending';
}

function countMain({ containers }: PodPlan, state: PodState): Counts {
  const counts: Counts = { running: 0, waiting: 0, stopped: 0, succeeded: 0, restartable: 0 };
  for (const plan of containers) if (plan.role === 'main') count(counts, plan, state.containers.get(plan.name));
  return counts;
}

/** A container that ran before and waits for its restart counts as stopped. */
function count(counts: Counts, plan: ContainerPlan, container: ContainerState | undefined): void {
  if (container?.stage === 'running') counts.running++;
  else if (container?.ended === undefined) counts.waiting++;
  else {
    counts.stopped++;
    if (container.ended.exitCode === 0) counts.succeeded++;
    if (plan.restartsAfter(container.ended.exitCode)) counts.restartable++;
  }
}

/** Until a main container has run, init containers that are not done keep the pod pending. */
function hasPendingInit({ containers }: PodPlan, state: PodState): boolean {
  const hasRun = containers.some(({ role, name }) => role === 'main' && (state.containers.get(name)?.runs ?? 0) > 0);
  if (hasRun) return false;
  return containers.some(({ role, name }) => {
    const container = state.containers.get(name);
    if (role === 'init') return container?.stage !== 'exited' || container.ended?.exitCode !== 0;
    return role === 'sidecar' && container?.runs === 0;
  });
}
