// The kubelet of all simulated nodes: looks at a pod when it changed or when its time has come, and writes its status.

import { isDeepStrictEqual } from 'node:util';
import { type Deadline, Deadlines } from '../../base/time/deadlines.ts';
import type { Controller, ControllerContext } from '../../controllers/controller.ts';
import type { WorkOutcome, WorkQueue } from '../../controllers/work-queue.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { BackgroundEvents } from '../background-events.ts';
import { cacheOf, keyOf, type ObjectCache } from '../object-cache.ts';
import { untilReported } from '../workloads/status.ts';
import { nodeIp, PodAddresses } from './addresses.ts';
import type { Occurrence } from './container-state.ts';
import type { Fleet } from './fleet.ts';
import { freshPod, isFinished, lookAtPod, type PodState } from './pod-machine.ts';
import { type PodPlan, planOf } from './pod-plan.ts';
import { type Addresses, type PodStatus, podNameOf, podStatusOf } from './pod-status.ts';
import { InvalidBehaviour } from './read-behaviour.ts';
import { recoverPod } from './recover.ts';
import type { SimulationRules } from './rules.ts';

/** What the kubelet remembers of a pod. */
interface PodRecord {
  readonly uid: string;
  readonly nodeName: string;
  readonly addresses: Addresses;
  readonly isHostNetwork: boolean;
  state: PodState;
  deadline: Deadline | undefined;
  /** The annotations that were reported as wrong. */
  problem: string;
}

interface KubeletParts {
  readonly fleet: Fleet;
  readonly rules: SimulationRules;
}

/** Pods that are written at a time: the store writes what waits together. */
const workers = 64;

export class Kubelet implements Controller {
  readonly #context: ControllerContext;
  readonly #parts: KubeletParts;
  readonly #pods: ObjectCache<Pod>;
  readonly #events: BackgroundEvents;
  readonly #queue: WorkQueue;
  readonly #deadlines: Deadlines;
  readonly #records = new Map<string, PodRecord>();
  readonly #addresses = new Map<string, PodAddresses>();

  constructor(context: ControllerContext, parts: KubeletParts) {
    this.#context = context;
    this.#parts = parts;
    this.#deadlines = new Deadlines(context.clock);
    this.#events = new BackgroundEvents(context, 'kubelet', () => this.#queue.depth > 0);
    this.#pods = cacheOf<Pod>(context, '', 'pods');
    this.#queue = context.queue({ name: 'simulated_kubelet', workers, work: (key) => this.#workOn(key) });
    this.#pods.subscribe({
      onSynced: () => this.#onSynced(),
      onChange: (current, previous) => this.#onPod((current ?? previous) as Pod),
    });
  }

  async close(): Promise<void> {
    for (const { deadline } of this.#records.values()) if (deadline !== undefined) this.#deadlines.cancel(deadline);
    await this.#queue.close();
    await this.#events.close();
  }

  /** A node is there, or is alive again: its pods are looked at. */
  resume(nodeName: string): void {
    for (const pod of this.#pods.onNode(nodeName)) this.#queue.add(keyOf(pod));
  }

  #onSynced(): void {
    for (const [key, { uid }] of this.#records) if (this.#pods.get(key)?.metadata.uid !== uid) this.#forget(key);
    // addresses that pods have must not be given to others
    for (const pod of this.#pods.all()) {
      this.#mark(pod);
      this.#onPod(pod);
    }
  }

  #onPod(pod: Pod): void {
    if (this.#parts.fleet.indexOf(pod.spec?.nodeName ?? '') !== undefined) this.#queue.add(keyOf(pod));
  }

  #mark({ spec = {}, status = {} }: Pod): void {
    if (status.podIP && !spec.hostNetwork) this.#addressesOf(spec.nodeName ?? '')?.mark(status.podIP);
  }

  #addressesOf(nodeName: string): PodAddresses | undefined {
    const index = this.#parts.fleet.indexOf(nodeName);
    if (index === undefined) return undefined;
    const existing = this.#addresses.get(nodeName) ?? new PodAddresses(index);
    this.#addresses.set(nodeName, existing);
    return existing;
  }

  async #workOn(key: string): Promise<WorkOutcome> {
    const outcome = await untilReported(this.#work(key));
    this.#events.resume();
    return outcome;
  }

  async #work(key: string): Promise<WorkOutcome> {
    const pod = this.#pods.get(key);
    if (pod === undefined) {
      this.#forget(key);
      return 'done';
    }
    const { nodeName = '' } = pod.spec ?? {};
    if (!this.#parts.fleet.isAlive(nodeName)) return 'done';
    if (isOver(pod) && pod.metadata.deletionTimestamp === undefined) {
      this.#forget(key);
      return 'done';
    }
    const record = this.#recordOf(key, pod);
    if (record === undefined) return 'again';
    await this.#look(key, pod, record);
    return 'done';
  }

  #recordOf(key: string, pod: Pod): PodRecord | undefined {
    const existing = this.#records.get(key);
    const { metadata, spec = {}, status = {} } = pod;
    const { nodeName = '', hostNetwork = false } = spec;
    if (existing?.uid === metadata.uid) return existing;
    this.#forget(key);
    const host = nodeIp(this.#parts.fleet.indexOf(nodeName) ?? 0);
    const ip = hostNetwork ? host : status.podIP || this.#addressesOf(nodeName)?.take();
    if (ip === undefined) return undefined;
    const now = this.#context.clock.now();
    const record: PodRecord = {
      uid: metadata.uid ?? '',
      nodeName,
      addresses: { host, pod: ip },
      isHostNetwork: hostNetwork,
      state: recoverPod(pod, now) ?? freshPod(now),
      deadline: undefined,
      problem: '',
    };
    this.#mark(pod);
    this.#records.set(key, record);
    return record;
  }

  #forget(key: string): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    this.#records.delete(key);
    if (record.deadline !== undefined) this.#deadlines.cancel(record.deadline);
    if (!record.isHostNetwork) this.#addressesOf(record.nodeName)?.release(record.addresses.pod);
  }

  async #look(key: string, pod: Pod, record: PodRecord): Promise<void> {
    const now = this.#context.clock.now();
    const plan = this.#planOf(pod, record);
    const deletion = deletionOf(pod);
    const before = record.state;
    const look = lookAtPod(before, { plan, now, podName: podNameOf(pod), deletion });
    record.state = look.state;
    this.#setDeadline(key, record, look.nextAt);
    const status = settled(podStatusOf(pod, plan, look.state, record.addresses, now), pod);
    this.#tell(pod, record, look.occurrences);
    if (differs(status, pod.status)) await this.#write(pod, status);
    if (deletion !== undefined && isFinished(plan, look.state)) await this.#delete(pod);
  }

  /** A pod whose annotations make no sense behaves as the rules say. */
  #planOf(pod: Pod, record: PodRecord): PodPlan {
    try {
      const plan = planOf(pod, this.#parts.rules);
      record.problem = '';
      return plan;
    } catch (error) {
      if (!(error instanceof InvalidBehaviour)) throw error;
      const { message } = error;
      if (record.problem !== message)
        this.#tell(pod, record, [{ type: 'Warning', reason: 'InvalidSimulation', message, container: '' }]);
      record.problem = message;
      return planOf(pod, this.#parts.rules, true);
    }
  }

  #setDeadline(key: string, record: PodRecord, at: number): void {
    if (record.deadline !== undefined) this.#deadlines.cancel(record.deadline);
    record.deadline = Number.isFinite(at)
      ? this.#deadlines.at(at, { onDeadline: () => this.#queue.add(key) })
      : undefined;
  }

  #tell(pod: Pod, { nodeName }: PodRecord, occurrences: readonly Occurrence[]): void {
    for (const { container, ...occurrence } of occurrences) {
      const fieldPath = container === '' ? {} : { fieldPath: fieldPathOf(pod, container) };
      this.#events.tell(pod, { ...occurrence, ...fieldPath, host: nodeName });
    }
  }

  async #write(pod: Pod, status: PodStatus): Promise<void> {
    const { uid, resourceVersion } = pod.metadata;
    const removed = removedFields(pod.status ?? {}, status);
    const change = { metadata: { uid, resourceVersion }, status: { ...status, ...removed } };
    await this.#context.client.merge(`${podPath(pod)}/status?fieldManager=kubelet`, change);
  }

  async #delete(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    await this.#context.client.delete(podPath(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }
}

const podPath = ({ metadata }: Pod): string => `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

function deletionOf({ metadata }: Pod): { readonly deadline: number } | undefined {
  const { deletionTimestamp } = metadata;
  return deletionTimestamp === undefined ? undefined : { deadline: Date.parse(deletionTimestamp) };
}

/** A pod that was over stays so: no node takes that back. */
function settled(status: PodStatus, pod: Pod): PodStatus {
  const { phase, reason, message } = pod.status ?? {};
  if (!isOver(pod) || phase === undefined) return status;
  return { ...status, phase, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
}

function fieldPathOf({ spec = {} }: Pod, container: string): string {
  const isIn = (list: readonly { readonly name?: string }[] = []) => list.some(({ name }) => name === container);
  const field = isIn(spec.initContainers)
    ? 'initContainers'
    : isIn(spec.ephemeralContainers)
      ? 'ephemeralContainers'
      : 'containers';
  return `spec.${field}{${container}}`;
}

function differs(next: PodStatus, current: PodStatus = {}): boolean {
  const names = Object.keys(next) as (keyof PodStatus)[];
  return (
    names.some((name) => !isDeepStrictEqual(next[name], current[name])) ||
    Object.keys(removedFields(current, next)).length > 0
  );
}

const own = ['reason', 'message', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Removed fields of a kubelet, as null in a merge patch. */
function removedFields(current: PodStatus, next: PodStatus): Readonly<Record<string, null>> {
  const removed = own.filter((name) => current[name] !== undefined && next[name] === undefined);
  return Object.fromEntries(removed.map((name) => [name, null]));
}
