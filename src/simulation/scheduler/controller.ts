// The scheduler: chooses a node for each pod that asks for the default scheduler, and binds it there.

import { isDeepStrictEqual } from 'node:util';
import type { Controller, ControllerContext } from '../../controllers/controller.ts';
import type { WorkOutcome, WorkQueue } from '../../controllers/work-queue.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { BackgroundEvents } from '../background-events.ts';
import { type SimulationKeys, simulationKeys } from '../keys.ts';
import { cacheOf, keyOf, type ObjectCache } from '../object-cache.ts';
import { untilReported } from '../workloads/status.ts';
import { chooseNode, type PlacementView, type Refusal } from './choose-node.ts';
import { ClusterObjects, isEnded } from './cluster-objects.ts';
import { ClusterState } from './cluster-state.ts';
import { failureMessage, noNodes } from './failure-message.ts';
import type { NodeEntry } from './node-entry.ts';
import { type Attempt, pendingPodOf } from './pending-pod.ts';
import { type PodEntry, podEntryOf } from './pod-entry.ts';
import { PodQueue } from './pod-queue.ts';
import { findVictims, type NoPreemption, type Preemption } from './preemption.ts';
import { SchedulerWrites } from './scheduler-writes.ts';
import { volumeNeedsOf } from './volumes.ts';

const schedulerName = 'default-scheduler';

/** Bindings that are written at a time: the store writes what waits together. */
const workers = 64;

export class Scheduler implements Controller {
  readonly #pods: ObjectCache<Pod>;
  readonly #objects: ClusterObjects;
  readonly #state = new ClusterState();
  readonly #waiting: PodQueue;
  readonly #queue: WorkQueue;
  readonly #events: BackgroundEvents;
  readonly #writes: SchedulerWrites;
  readonly #keys: SimulationKeys;
  /** Pods that wait until others have left a node, by uid. */
  readonly #nominated = new Map<string, { readonly entry: PodEntry; readonly node: string }>();
  #start = 0;
  #isStarted = false;
  #isWaking = false;

  constructor(context: ControllerContext) {
    this.#keys = simulationKeys(context.dialect);
    this.#events = new BackgroundEvents(context, schedulerName, () => this.#queue.depth > 0);
    this.#writes = new SchedulerWrites(context, this.#events, this.#keys);
    this.#waiting = new PodQueue({
      clock: context.clock,
      onReady: (key) => {
        if (this.#isStarted) this.#queue.add(key);
      },
    });
    this.#pods = cacheOf<Pod>(context, '', 'pods');
    this.#objects = new ClusterObjects(context, this.#state, () => this.#wake());
    this.#queue = context.queue({
      name: 'simulated_scheduler',
      workers,
      // the most important pod comes first, whichever is next in line
      work: () => this.#work(),
    });
    this.#pods.subscribe({
      onSynced: () => this.#load(),
      onChange: (current, previous) => this.#onPod(current, previous),
    });
  }

  /** Pods wait until the nodes are there. */
  start(): void {
    this.#isStarted = true;
    for (const key of this.#waiting.readyKeys()) this.#queue.add(key);
  }

  async close(): Promise<void> {
    this.#waiting.close();
    await this.#queue.close();
    await this.#events.close();
  }

  #load(): void {
    this.#state.clear();
    this.#nominated.clear();
    this.#objects.load();
    for (const pod of this.#pods.all()) this.#onPod(pod, undefined);
  }

  #onPod(current: Pod | undefined, previous: Pod | undefined): void {
    const uid = previous?.metadata.uid ?? '';
    if (current === undefined || (previous !== undefined && uid !== current.metadata.uid)) this.#drop(previous as Pod);
    if (current === undefined) return;
    const { nodeName } = current.spec ?? {};
    if (isEnded(current.status?.phase)) this.#drop(current);
    else if (nodeName) this.#place(current, nodeName, previous);
    else this.#await(current, previous);
  }

  #drop(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.#waiting.remove(keyOf(pod));
    const wasNominated = this.#nominated.delete(uid);
    if (this.#state.remove(uid) || wasNominated) this.#wake();
  }

  #place(pod: Pod, nodeName: string, previous: Pod | undefined): void {
    this.#waiting.remove(keyOf(pod));
    this.#nominated.delete(pod.metadata.uid ?? '');
    const { metadata } = pod;
    // a change of its status alone changes nothing for others
    const isSame = previous?.spec?.nodeName === nodeName && isSameRequest(pod, previous);
    if (isSame && this.#state.nodeOf(metadata.uid ?? '') === nodeName) return;
    this.#state.place(podEntryOf(pod), nodeName);
    this.#wake();
  }

  #await(pod: Pod, previous: Pod | undefined): void {
    const { metadata, spec = {} } = pod;
    const key = keyOf(pod);
    const isOurs = (spec.schedulerName ?? schedulerName) === schedulerName;
    const isHeld = (spec.schedulingGates ?? []).length > 0 || metadata.deletionTimestamp !== undefined;
    if (!isOurs || isHeld) {
      this.#waiting.remove(key);
      return;
    }
    if (this.#waiting.isFailed(key) && previous !== undefined && isSameRequest(pod, previous)) return;
    // a pod that is being bound is not tried again
    if (this.#state.nodeOf(metadata.uid ?? '') === undefined) this.#waiting.add(key, spec.priority ?? 0);
  }

  /** Changes that come together wake the pods that wait once. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      this.#isWaking = false;
      this.#waiting.wake((key) => this.#pods.get(key)?.spec?.priority ?? 0);
    });
  }

  async #work(): Promise<WorkOutcome> {
    const outcome = await untilReported(this.#scheduleNext());
    this.#events.resume();
    return outcome;
  }

  async #scheduleNext(): Promise<WorkOutcome> {
    const key = this.#waiting.next();
    const pod = key === undefined ? undefined : this.#pods.get(key);
    if (pod === undefined || pod.spec?.nodeName || pod.metadata.deletionTimestamp !== undefined) return 'done';
    await this.#schedule(pod);
    return 'done';
  }

  async #schedule(pod: Pod): Promise<void> {
    const pending = pendingPodOf(pod);
    const nominatedNode = this.#nominated.get(pending.entry.uid)?.node ?? pending.nominatedNode;
    const attempt: Attempt = {
      pod: { ...pending, nominatedNode },
      volumes: volumeNeedsOf(pending.entry, this.#objects.lookup),
    };
    if (this.#state.nodes.length === 0) return this.#fail(pod, attempt, noNodes);
    const view = this.#view();
    const choice = chooseNode(attempt, view, this.#start % this.#state.nodes.length);
    if (!('node' in choice)) return this.#refuse(pod, attempt, view, choice);
    this.#start = choice.next;
    await this.#bind(pod, attempt, choice.node);
  }

  #view(): PlacementView {
    return {
      nodes: this.#state.nodes,
      withAffinity: this.#state.withAffinity,
      namespaceLabels: this.#state.namespaceLabels,
      keys: this.#keys,
      node: (name) => this.#state.node(name),
      controllerCounts: (controller, topologyKey) => this.#state.controllerCounts(controller, topologyKey),
      nominated: (name) => [...this.#nominated.values()].filter(({ node }) => node === name).map(({ entry }) => entry),
    };
  }

  /** The pod occupies its node from now on, before the server has confirmed that. */
  async #bind(pod: Pod, { pod: { entry }, volumes }: Attempt, { facts }: NodeEntry): Promise<void> {
    const plans = volumes.plansFor(facts);
    if (plans.length > 0) {
      // the claims are bound for this node first; the pod is tried again when that has happened
      this.#nominated.set(entry.uid, { entry, node: facts.name });
      this.#waiting.fail(keyOf(pod), entry.priority);
      await this.#writes.bindClaims(plans, facts.name);
      return;
    }
    this.#state.place(entry, facts.name);
    try {
      await this.#writes.bind(pod, facts.name);
    } catch (error) {
      this.#state.remove(entry.uid);
      const current = this.#pods.get(keyOf(pod));
      if (current !== undefined) this.#waiting.fail(keyOf(pod), entry.priority);
      throw error;
    }
  }

  async #refuse(pod: Pod, attempt: Attempt, view: PlacementView, refusal: Refusal): Promise<void> {
    const preemption = findVictims(attempt, view, refusal, this.#objects.budgets());
    const { entry } = attempt.pod;
    if ('victims' in preemption) this.#nominated.set(entry.uid, { entry, node: preemption.node });
    await this.#fail(pod, attempt, failureMessage(view.nodes.length, refusal, preemption), preemption);
  }

  async #fail(
    pod: Pod,
    { pod: { entry } }: Attempt,
    message: string,
    preemption?: Preemption | NoPreemption,
  ): Promise<void> {
    this.#waiting.fail(keyOf(pod), entry.priority);
    const isPreempting = preemption !== undefined && 'victims' in preemption;
    await this.#writes.reportFailure(pod, message, isPreempting ? preemption.node : undefined);
    if (!isPreempting) return;
    for (const victim of preemption.victims) {
      const current = this.#pods.get(`${victim.namespace}/${victim.name}`);
      if (current?.metadata.uid === victim.uid) await this.#writes.preempt(current, pod, preemption.node);
    }
  }
}

/** Whether two versions of a pod ask for the same: a change of its specification has another generation. */
const isSameRequest = ({ metadata: a }: Pod, { metadata: b }: Pod): boolean =>
  a.generation === b.generation && a.deletionTimestamp === b.deletionTimestamp && isDeepStrictEqual(a.labels, b.labels);
