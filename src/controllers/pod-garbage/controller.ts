// Deletes pods that no node agent will end: those on nodes that do not exist or are out of service, those that are deleted
// before they have a node, and the oldest of those that have ended, when there are too many.

import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { nodeTaint } from '../../meta/dialect.ts';
import { checkSubdomain } from '../../meta/names.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { mentioning, objectOf, only, pathOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../work-queue.ts';
import { type DeletionParts, type ForcedDeletion, forceDeleteAll } from './force-delete.ts';
import { mayBeTerminated, nodeNamesIn } from './glance.ts';
import { TerminatedPods } from './terminated-pods.ts';

export interface PodGarbageParts {
  /** How many pods that have ended are kept; all where it is not positive. */
  readonly maxTerminatedPods: number;
  onDeletion(deletion: ForcedDeletion): void;
}

/** A missing node may be about to register. */
const quarantineMs = 40_000;
/** Other pods get this long to end by themselves. */
const delayMs = 20_000;

const isTerminating = mentioning('"deletionTimestamp":"');

export function podGarbageCollector(context: ControllerContext, parts: PodGarbageParts): Controller {
  const garbage = new PodGarbage(context, parts);
  const isNode = only('', 'nodes');
  const isPod = only('', 'pods');
  context.feed.subscribe({
    wants: (resource) => isNode(resource) || isPod(resource),
    onChange(change) {
      if (isNode(change.resource)) garbage.onNode(change);
      else garbage.onPod(change);
    },
    onSynced: () => garbage.onSynced(),
    onRestart: () => garbage.forget(),
  });
  return garbage;
}

class PodGarbage implements Controller {
  readonly #context: ControllerContext;
  readonly #parts: PodGarbageParts;
  readonly #deletion: DeletionParts;
  /** Key of the taint of nodes that are out of service. */
  readonly #taint: string;
  readonly #mentionsTaint: (json: Uint8Array) => boolean;
  readonly #nodeQueue: DelayedQueue;
  readonly #unscheduledQueue: DelayedQueue;
  readonly #terminatedQueue: DelayedQueue;
  /** Nodes that exist, and whether each is out of service. */
  readonly #nodes = new Map<string, boolean>();
  /** Nodes that pods name; undefined once all nodes were shown. */
  #named: Set<string> | undefined = new Set();
  readonly #terminated = new TerminatedPods();

  constructor(context: ControllerContext, parts: PodGarbageParts) {
    this.#context = context;
    this.#parts = parts;
    this.#deletion = { context, onDeletion: (deletion) => parts.onDeletion(deletion) };
    this.#taint = nodeTaint(context.dialect, 'out-of-service');
    this.#mentionsTaint = mentioning(this.#taint);
    const queue = (name: string, work: (key: string) => Promise<WorkOutcome>) => new DelayedQueue(context, name, work);
    this.#nodeQueue = queue('orphaned_pods_nodes', (name) => this.#collectOfNode(name));
    this.#unscheduledQueue = queue('unscheduled_terminating_pods', (path) => this.#collectUnscheduled(path));
    this.#terminatedQueue = queue('terminated_pods', () => this.#collectTerminated());
  }

  onNode({ name, json }: StoredChange): void {
    if (json === undefined) {
      this.#nodes.delete(name);
      if (this.#named === undefined) this.#nodeQueue.addOnce(name, quarantineMs);
      return;
    }
    const node = this.#mentionsTaint(json) ? objectOf<Node>(json) : undefined;
    const isOut = node !== undefined && this.#isOutOfService(node);
    this.#nodes.set(name, isOut);
    if (isOut) this.#nodeQueue.addOnce(name, delayMs);
  }

  onPod(change: StoredChange): void {
    const { json } = change;
    const path = pathOf(change.resource, change);
    if (json === undefined) {
      this.#terminated.forget(path);
      return;
    }
    for (const name of nodeNamesIn(json)) this.#onNodeName(name);
    const isTracked = this.#parts.maxTerminatedPods > 0;
    const pod = isTerminating(json) || (isTracked && mayBeTerminated(json)) ? objectOf<Pod>(json) : undefined;
    if (!isTracked || pod === undefined) this.#terminated.forget(path);
    else this.#onTerminated(path, pod);
    if (pod?.metadata.deletionTimestamp !== undefined) this.#onTerminating(path, pod);
  }

  onSynced(): void {
    const named = this.#named ?? [];
    this.#named = undefined;
    for (const name of named) this.#onNodeName(name);
  }

  forget(): void {
    this.#nodes.clear();
    this.#named = new Set();
    this.#terminated.clear();
  }

  async close(): Promise<void> {
    await Promise.all([this.#nodeQueue, this.#unscheduledQueue, this.#terminatedQueue].map((queue) => queue.close()));
  }

  #onNodeName(name: string): void {
    if (this.#named !== undefined) this.#named.add(name);
    else if (!this.#nodes.has(name) && checkSubdomain(name).length === 0) this.#nodeQueue.addOnce(name, quarantineMs);
  }

  #onTerminated(path: string, pod: Pod): void {
    this.#terminated.see(path, pod);
    if (this.#terminated.size > this.#parts.maxTerminatedPods) this.#terminatedQueue.addOnce('', delayMs);
  }

  #onTerminating(path: string, { spec }: Pod): void {
    const node = spec?.nodeName ?? '';
    if (node === '') this.#unscheduledQueue.addOnce(path, delayMs);
    else if (this.#nodes.get(node) === true) this.#nodeQueue.addOnce(node, delayMs);
  }

  async #collectOfNode(name: string): Promise<WorkOutcome> {
    const node = await this.#context.client.find<Node>(`/api/v1/nodes/${name}`);
    if (node === undefined) return forceDeleteAll(this.#deletion, this.#podsOn(name), 'orphaned');
    if (!this.#isOutOfService(node)) return 'done';
    return forceDeleteAll(this.#deletion, podsThat(isDeleting, this.#podsOn(name)), 'out-of-service');
  }

  async #collectUnscheduled(path: string): Promise<WorkOutcome> {
    const isUnscheduled = (pod: Pod) => isDeleting(pod) && !pod.spec?.nodeName;
    return forceDeleteAll(this.#deletion, podsThat(isUnscheduled, this.#podsAt([path])), 'unscheduled');
  }

  #collectTerminated(): Promise<WorkOutcome> {
    const paths = this.#terminated.above(this.#parts.maxTerminatedPods);
    return forceDeleteAll(this.#deletion, this.#podsAt(paths), 'terminated');
  }

  async *#podsOn(node: string): AsyncIterable<Pod> {
    for await (const { items } of this.#context.client.pages(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`))
      yield* items as readonly Pod[];
  }

  async *#podsAt(paths: readonly string[]): AsyncIterable<Pod> {
    for (const path of paths) {
      const pod = await this.#context.client.find<Pod>(path);
      if (pod !== undefined) yield pod;
    }
  }

  /** An administrator marks a node that has failed; the mark has no effect while the node reports that it is ready. */
  #isOutOfService({ spec, status }: Node): boolean {
    const isMarked = (spec?.taints ?? []).some(({ key }) => key === this.#taint);
    const isReady = (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
    return isMarked && !isReady;
  }
}

const isDeleting = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;

async function* podsThat(matches: (pod: Pod) => boolean, pods: AsyncIterable<Pod>): AsyncIterable<Pod> {
  for await (const pod of pods) if (matches(pod)) yield pod;
}

/** A queue whose keys wait first; a key that waits already keeps its time. */
class DelayedQueue {
  readonly #queue: WorkQueue;
  readonly #waiting = new Set<string>();

  constructor(context: ControllerContext, name: string, work: (key: string) => Promise<WorkOutcome>) {
    this.#queue = context.queue({
      name,
      work: (key) => {
        this.#waiting.delete(key);
        return work(key);
      },
    });
  }

  addOnce(key: string, delayMs: number): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#queue.addAfter(key, delayMs);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
