// Deletes pods from nodes with taints that they do not tolerate, or not for so long.

import { isDeepStrictEqual } from 'node:util';
import { type Deadline, Deadlines } from '../../base/time/deadlines.ts';
import { isNotFound } from '../../client/client.ts';
import type { Controller, ControllerContext } from '../../controllers/controller.ts';
import type { WorkOutcome, WorkQueue } from '../../controllers/work-queue.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import { withCondition } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../meta/time.ts';
import { BackgroundEvents } from '../background-events.ts';
import { cacheOf, keyOf, type ObjectCache } from '../object-cache.ts';
import type { Taint } from '../scheduler/node-entry.ts';
import { untilReported } from '../workloads/status.ts';
import { toleratedMs } from './reconcile.ts';

interface Eviction {
  readonly since: number;
  readonly at: number;
  readonly deadline: Deadline;
}

const component = 'taint-eviction-controller';
const workers = 8;

export class TaintEviction implements Controller {
  readonly #context: ControllerContext;
  readonly #nodes: ObjectCache<Node>;
  readonly #pods: ObjectCache<Pod>;
  readonly #queue: WorkQueue;
  readonly #events: BackgroundEvents;
  readonly #deadlines: Deadlines;
  /** By the key of the pod. */
  readonly #evictions = new Map<string, Eviction>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#deadlines = new Deadlines(context.clock);
    this.#events = new BackgroundEvents(context, component, () => this.#queue.depth > 0);
    this.#nodes = cacheOf<Node>(context, '', 'nodes');
    this.#pods = cacheOf<Pod>(context, '', 'pods');
    this.#queue = context.queue({ name: 'noexec_taint_pod', workers, work: (key) => this.#workOn(key) });
    this.#nodes.subscribe({
      onSynced: () => this.#begin(),
      onChange: (current, previous) => this.#onNode(current, previous),
    });
    this.#pods.subscribe({ onChange: (current, previous) => this.#onPod(current, previous) });
  }

  async close(): Promise<void> {
    for (const { deadline } of this.#evictions.values()) this.#deadlines.cancel(deadline);
    await this.#queue.close();
    await this.#events.close();
  }

  #begin(): void {
    for (const { deadline } of this.#evictions.values()) this.#deadlines.cancel(deadline);
    this.#evictions.clear();
    for (const node of this.#nodes.all()) this.#onNode(node, undefined);
  }

  #onNode(current: Node | undefined, previous: Node | undefined): void {
    const { name = '' } = (current ?? previous)?.metadata ?? {};
    if (current === undefined || isDeepStrictEqual(evictingTaints(current), evictingTaints(previous))) return;
    for (const pod of this.#pods.onNode(name)) this.#check(pod);
  }

  #onPod(current: Pod | undefined, previous: Pod | undefined): void {
    if (current === undefined) {
      this.#cancel(previous as Pod);
      return;
    }
    const { nodeName, tolerations } = current.spec ?? {};
    if (!nodeName || evictingTaints(this.#nodes.get(nodeName)).length === 0) return;
    const isSame = previous?.spec?.nodeName === nodeName && previous.metadata.uid === current.metadata.uid;
    if (!isSame || !isDeepStrictEqual(tolerations, previous.spec?.tolerations)) this.#check(current);
  }

  /** Decides when the pod is deleted, and whether it is. */
  #check(pod: Pod): void {
    const taints = evictingTaints(this.#nodes.get(pod.spec?.nodeName ?? ''));
    const ms = taints.length === 0 ? Number.POSITIVE_INFINITY : toleratedMs(pod, taints);
    if (ms === Number.POSITIVE_INFINITY) {
      this.#cancel(pod);
      return;
    }
    const now = this.#context.clock.now();
    const existing = this.#evictions.get(keyOf(pod));
    if (ms === 0) {
      this.#cancel(pod);
      this.#schedule(pod, now, now);
      return;
    }
    const since = existing?.since ?? now;
    // a deletion that was planned before comes first
    if (existing !== undefined && since < now) return;
    this.#cancel(pod);
    this.#schedule(pod, since, since + ms);
  }

  #schedule(pod: Pod, since: number, at: number): void {
    const key = keyOf(pod);
    const deadline = this.#deadlines.at(at, { onDeadline: () => this.#queue.add(key) });
    this.#evictions.set(key, { since, at, deadline });
    if (at <= this.#context.clock.now()) this.#queue.add(key);
  }

  #cancel(pod: Pod): void {
    const key = keyOf(pod);
    const eviction = this.#evictions.get(key);
    if (eviction === undefined) return;
    this.#deadlines.cancel(eviction.deadline);
    this.#evictions.delete(key);
    this.#tell(pod, `Cancelling deletion of Pod ${key}`);
  }

  async #workOn(key: string): Promise<WorkOutcome> {
    const outcome = await untilReported(this.#evict(key));
    this.#events.resume();
    return outcome;
  }

  async #evict(key: string): Promise<WorkOutcome> {
    const eviction = this.#evictions.get(key);
    const pod = this.#pods.get(key);
    if (eviction === undefined || eviction.at > this.#context.clock.now()) return 'done';
    this.#deadlines.cancel(eviction.deadline);
    this.#evictions.delete(key);
    if (pod === undefined) return 'done';
    this.#tell(pod, `Marking for deletion Pod ${key}`);
    await this.#markAndDelete(pod);
    return 'done';
  }

  async #markAndDelete(pod: Pod): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace, name, uid, generation } = pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const condition = {
      type: 'DisruptionTarget',
      ...(generation ? { observedGeneration: generation } : {}),
      ...{ status: 'True', reason: 'DeletionByTaintManager' },
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    const { conditions } = withCondition(pod.status ?? {}, condition, formatTime(clock.now()));
    try {
      await client.merge(`${path}/status`, { metadata: { uid }, status: { conditions } });
      await client.delete(path, { preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #tell(pod: Pod, message: string): void {
    this.#events.tell(pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
  }
}

const evictingTaints = (node: Node | undefined): readonly Taint[] =>
  node?.spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
