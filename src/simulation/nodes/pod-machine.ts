// The life of a pod on a node: a function of the pod, its rules, the state of its containers and the time. It gives the
// next state, what happened, and when to look again; nothing here waits or writes.

import { dueTime, prepare, readyTime, startedTime, stepContainer, stopContainer } from './container-machine.ts';
import { type ContainerState, freshContainer, type Occurrence } from './container-state.ts';
import type { ContainerPlan, PodPlan } from './pod-plan.ts';

/** Why all containers of a pod have to stop. */
interface Ending {
  readonly cause: 'deleted' | 'deadline';
  readonly since: number;
  /** When containers that still run are killed. */
  readonly deadline: number;
}

export interface PodState {
  readonly startedAt: number;
  readonly containers: ReadonlyMap<string, ContainerState>;
  readonly ending: Ending | undefined;
  /** The time of the last look. */
  readonly lookedAt: number;
}

interface Deletion {
  /** When the pod must be removed. */
  readonly deadline: number;
}

interface Look {
  readonly state: PodState;
  readonly occurrences: readonly Occurrence[];
  /** When something changes next; infinite when nothing does. */
  readonly nextAt: number;
}

export const freshPod = (now: number): PodState => ({
  startedAt: now,
  containers: new Map(),
  ending: undefined,
  lookedAt: now,
});

const never = Number.POSITIVE_INFINITY;

/** Rules may make a container fail at once again and again; no look takes more steps than this. */
const maxSteps = 10_000;

interface LookAt {
  readonly plan: PodPlan;
  readonly now: number;
  /** The pod as messages name it. */
  readonly podName: string;
  readonly deletion: Deletion | undefined;
}

export function lookAtPod(before: PodState, look: LookAt): Look {
  const progress = new Progress(before, look);
  progress.run();
  return { state: progress.state, occurrences: progress.occurrences, nextAt: progress.nextAt };
}

class Progress {
  readonly #look: LookAt;
  readonly #startedAt: number;
  readonly #containers: Map<string, ContainerState>;
  #ending: Ending | undefined;
  /** The time that was reached: from the last look to this one. */
  #time: number;
  readonly occurrences: Occurrence[] = [];

  constructor(before: PodState, look: LookAt) {
    this.#look = look;
    this.#startedAt = before.startedAt;
    this.#ending = before.ending;
    this.#time = Math.min(before.lookedAt, look.now);
    this.#containers = new Map(before.containers);
    for (const { name } of look.plan.containers)
      if (!this.#containers.has(name)) this.#containers.set(name, freshContainer(this.#time));
  }

  get state(): PodState {
    return {
      startedAt: this.#startedAt,
      containers: this.#containers,
      ending: this.#ending,
      lookedAt: this.#look.now,
    };
  }

  get nextAt(): number {
    const { plan, now } = this.#look;
    const dues = plan.containers.map((one) => Math.min(this.#dueOf(one), this.#nextView(one, now)));
    return Math.min(never, this.#deadline, ...dues);
  }

  /** Takes the steps that are due, the earliest first, so that a long time passes as many short ones would. */
  run(): void {
    const { now, deletion } = this.#look;
    for (let steps = 0; steps < maxSteps; steps++) {
      this.#letStart();
      const next = this.#earliest();
      const at = Math.min(next?.at ?? never, this.#deadline, this.#nextStarted());
      if (at > now) break;
      this.#time = Math.max(this.#time, at);
      if (next?.at === at) this.#step(next.plan, at);
      else if (this.#deadline === at) this.#passDeadline();
    }
    this.#time = now;
    if (deletion !== undefined) this.#end({ cause: 'deleted', since: now, deadline: deletion.deadline });
    this.#finishStops();
  }

  /** Containers that stop at once are seen as stopped by the same look. */
  #finishStops(): void {
    for (let next = this.#earliest(); next !== undefined && next.at <= this.#look.now; next = this.#earliest())
      this.#step(next.plan, next.at);
  }

  /** When the next sidecar has started, which lets others go on. */
  #nextStarted(): number {
    if (!this.#starts) return never;
    let earliest = never;
    for (const plan of this.#look.plan.containers) {
      const state = this.#stateOf(plan);
      if (plan.role !== 'sidecar' || state.stage !== 'running') continue;
      const at = startedTime(state, plan);
      if (at > this.#time) earliest = Math.min(earliest, at);
    }
    return earliest;
  }

  #stateOf({ name }: ContainerPlan): ContainerState {
    return this.#containers.get(name) as ContainerState;
  }

  /** When the pod has been active for too long. */
  get #deadline(): number {
    const { activeMs } = this.#look.plan;
    return activeMs === undefined || this.#ending !== undefined || this.#isOver() ? never : this.#startedAt + activeMs;
  }

  #passDeadline(): void {
    const since = this.#deadline;
    this.#end({ cause: 'deadline', since, deadline: since + 30_000 });
  }

  #earliest(): { readonly plan: ContainerPlan; readonly at: number } | undefined {
    let earliest: { plan: ContainerPlan; at: number } | undefined;
    for (const plan of this.#look.plan.containers) {
      const at = this.#dueOf(plan);
      if (at < (earliest?.at ?? never)) earliest = { plan, at };
    }
    return earliest;
  }

  /** A pod that ends starts nothing; containers of one that is over stay as they are. */
  #dueOf(plan: ContainerPlan): number {
    const state = this.#stateOf(plan);
    return this.#starts || state.stage === 'running' ? dueTime(state, plan) : never;
  }

  get #starts(): boolean {
    return this.#ending === undefined && !this.#isOver();
  }

  #step(plan: ContainerPlan, at: number): void {
    const { state, occurrences } = stepContainer(this.#stateOf(plan), plan, at, this.#look.podName);
    this.#containers.set(plan.name, state);
    this.occurrences.push(...occurrences);
    if (plan.role === 'main' && state.stage === 'exited') this.#stopSidecars(at);
  }

  /** Starts the next containers, and replaces those whose image was changed. */
  #letStart(): void {
    if (!this.#starts) return;
    let areBeforeReady = true;
    for (const plan of this.#look.plan.containers) {
      const state = this.#stateOf(plan);
      if (state.stage === 'waiting' && (areBeforeReady || plan.role === 'ephemeral')) this.#begin(plan, state);
      else if (state.stage === 'running' && state.image !== plan.image && state.stop === undefined) this.#replace(plan);
      if (plan.role === 'init' || plan.role === 'sidecar') areBeforeReady &&= this.#hasInitialized(plan);
    }
  }

  #begin(plan: ContainerPlan, state: ContainerState): void {
    const { state: begun, occurrences } = prepare(state, plan, this.#time);
    this.#containers.set(plan.name, begun);
    this.occurrences.push(...occurrences);
  }

  #replace(plan: ContainerPlan): void {
    const state = this.#stateOf(plan);
    this.#containers.set(plan.name, { ...stopContainer(state, plan, this.#time, 30_000), backOffMs: 0 });
    const message = `Container ${plan.name} definition changed, will be restarted`;
    this.occurrences.push({ type: 'Normal', reason: 'Killing', message, container: plan.name });
  }

  #hasInitialized(plan: ContainerPlan): boolean {
    const state = this.#stateOf(plan);
    if (plan.role === 'init') return state.stage === 'exited' && state.ended?.exitCode === 0;
    // a sidecar that started once lets the others go on, also while it is restarted
    return state.runs > 1 || (state.stage === 'running' && startedTime(state, plan) <= this.#time);
  }

  #end(ending: Ending): void {
    const isStronger = this.#ending === undefined || ending.deadline < this.#ending.deadline;
    if (!isStronger) return;
    const isFirst = this.#ending === undefined;
    this.#ending = { ...ending, since: this.#ending?.since ?? ending.since };
    for (const plan of this.#look.plan.containers)
      if (plan.role !== 'sidecar') this.#stop(plan, ending.since, ending.deadline, isFirst);
    if (this.#areStopped('main')) this.#stopSidecars(ending.since);
  }

  #stop(plan: ContainerPlan, at: number, deadline: number, isFirst: boolean): void {
    const state = this.#stateOf(plan);
    if (state.stage !== 'running') return;
    this.#containers.set(plan.name, stopContainer(state, plan, at, Math.max(0, deadline - at)));
    if (isFirst && state.stop === undefined)
      this.occurrences.push({
        ...{ type: 'Normal', reason: 'Killing', container: plan.name },
        message: `Stopping container ${plan.name}`,
      });
  }

  /** Sidecars stop when all main containers are over. */
  #stopSidecars(at: number): void {
    if (this.#ending === undefined ? !this.#isOver() : !this.#areStopped('main')) return;
    const deadline = this.#ending?.deadline ?? at + 30_000;
    for (const plan of this.#look.plan.containers) if (plan.role === 'sidecar') this.#stop(plan, at, deadline, true);
  }

  #areStopped(role: ContainerPlan['role']): boolean {
    return this.#look.plan.containers.every((plan) => plan.role !== role || this.#stateOf(plan).stage !== 'running');
  }

  #isOver(): boolean {
    return areDone(this.#look.plan, this.#containers);
  }

  /** When clients see a container started or ready, though nothing has to be done. */
  #nextView(plan: ContainerPlan, now: number): number {
    const state = this.#stateOf(plan);
    if (state.stage !== 'running') return never;
    const times = [startedTime(state, plan), readyTime(state, plan)].filter((time) => time > now);
    return Math.min(never, ...times);
  }
}

/** Whether no main container runs or will run again, or an init container failed for good. */
function areDone({ containers }: PodPlan, states: ReadonlyMap<string, ContainerState>): boolean {
  const isDone = (plan: ContainerPlan) => {
    const { stage, ended } = states.get(plan.name) ?? {};
    return stage === 'exited' && ended !== undefined && !plan.restartsAfter(ended.exitCode);
  };
  const hasFailed = (plan: ContainerPlan) =>
    plan.role === 'init' && isDone(plan) && states.get(plan.name)?.ended?.exitCode !== 0;
  const main = containers.filter(({ role }) => role === 'main');
  return (main.length > 0 && main.every(isDone)) || containers.some(hasFailed);
}

/** Whether nothing runs any more: of a pod that ends, or one whose containers are done. */
export function isFinished(plan: PodPlan, state: PodState): boolean {
  const isStill = [...state.containers.values()].every(({ stage }) => stage !== 'running');
  return isStill && (state.ending !== undefined || areDone(plan, state.containers));
}
