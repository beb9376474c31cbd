// The life cycle of nodes: a node that is silent for too long is not ready, and taints keep pods away from it and evict those
// that it has.

import type { Timer } from '../../base/time/clock.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import type { Controller, ControllerContext } from '../../controllers/controller.ts';
import { objectOf, only, type StoredChange } from '../../controllers/object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../../controllers/work-queue.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { apiGroup } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { formatTime } from '../../meta/time.ts';
import { BackgroundEvents } from '../background-events.ts';
import { isSimulatedNode } from '../nodes/addresses.ts';
import { isStopped } from '../nodes/fleet.ts';
import { cacheOf, type ObjectCache } from '../object-cache.ts';
import { untilReported } from '../workloads/status.ts';
import { Heartbeats } from './heartbeats.ts';
import { awaitsEviction, heartbeatOf, readyStatus, reconciledTaints, silentConditions, zoneOf } from './reconcile.ts';
import { Zones } from './zones.ts';

/** A node that reported its status may be silent for this time, a new one for longer. */
const graceMs = 50_000;
const startGraceMs = 60_000;
/** Writes at a time. */
const batch = 32;

/** Keys of the queue that are no name of a node. */
const silentNodes = '/silent';
const zoneStates = '/zones';

interface Lease extends ApiObject {
  readonly spec?: { readonly renewTime?: string };
}

const nodePath = (name: string) => `/api/v1/nodes/${name}`;

export class NodeLife implements Controller {
  readonly #context: ControllerContext;
  readonly #simulatedCount: number;
  readonly #nodes: ObjectCache<Node>;
  readonly #pods: ObjectCache<Pod>;
  readonly #queue: WorkQueue;
  readonly #events: BackgroundEvents;
  readonly #zones = new Zones();
  readonly #reporting = new Heartbeats(graceMs);
  readonly #starting = new Heartbeats(startGraceMs);
  /** Nodes that were silent for too long, and have not shown themselves since. */
  readonly #lost = new Set<string>();
  /** When the lease of a node was last renewed, by its own time. */
  readonly #renewTimes = new Map<string, string>();
  /** Nodes that may get a taint of eviction now. */
  readonly #evicting = new Set<string>();
  #timer: Timer | undefined;
  #timerAt = 0;

  /** Nodes `node-0` to `node-<simulatedCount - 1>` are alive unless they are stopped: their leases are not watched. */
  constructor(context: ControllerContext, simulatedCount: number) {
    this.#context = context;
    this.#simulatedCount = simulatedCount;
    this.#events = new BackgroundEvents(context, 'node-controller', () => this.#queue.depth > 0);
    this.#nodes = cacheOf<Node>(context, '', 'nodes');
    this.#pods = cacheOf<Pod>(context, '', 'pods');
    this.#queue = context.queue({ name: 'node_lifecycle_controller', work: (key) => this.#workOn(key) });
    this.#nodes.subscribe({
      onSynced: () => this.#begin(),
      onChange: (current, previous) => this.#onNode(current, previous),
    });
    context.feed.subscribe({
      wants: only(apiGroup(context.dialect, 'coordination'), 'leases'),
      onChange: (change) => this.#onLease(change),
      onRestart: () => this.#renewTimes.clear(),
    });
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#queue.close();
    await this.#events.close();
  }

  #begin(): void {
    this.#zones.clear();
    this.#lost.clear();
    this.#reporting.clear();
    this.#starting.clear();
    for (const node of this.#nodes.all()) this.#onNode(node, undefined);
  }

  #onNode(current: Node | undefined, previous: Node | undefined): void {
    const name = (current ?? previous)?.metadata.name ?? '';
    if (previous !== undefined) this.#zones.remove(this.#ofZone(previous));
    if (current !== undefined) this.#zones.add(this.#ofZone(current));
    if (current === undefined || previous === undefined || readyStatus(current) !== readyStatus(previous))
      this.#queue.add(zoneStates);
    if (current === undefined) this.#forget(previous as Node);
    else {
      if (previous?.metadata.uid !== current.metadata.uid) this.#tell(current, 'RegisteredNode', registered(name));
      this.#noteReport(current, previous);
      this.#queue.add(name);
    }
  }

  #ofZone(node: Node) {
    return { zone: zoneOf(node, this.#context.dialect), isReady: readyStatus(node) === 'True' };
  }

  #forget(node: Node): void {
    const { name = '' } = node.metadata;
    for (const set of [this.#reporting, this.#starting]) set.drop(name);
    this.#lost.delete(name);
    this.#evicting.delete(name);
    this.#zones.release(zoneOf(node, this.#context.dialect), name);
    this.#tell(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
  }

  #isKeptAlive(node: Node): boolean {
    return isSimulatedNode(node.metadata.name ?? '', this.#simulatedCount) && !isStopped(node);
  }

  #noteReport(current: Node, previous: Node | undefined): void {
    const { name = '', creationTimestamp = '' } = current.metadata;
    const now = this.#context.clock.now();
    const isNew = previous === undefined || this.#isKeptAlive(previous);
    if (this.#isKeptAlive(current)) {
      this.#reporting.drop(name);
      this.#starting.drop(name);
      this.#lost.delete(name);
    } else if (readyStatus(current) === undefined) {
      if (isNew) this.#note(this.#starting, name, Math.min(Date.parse(creationTimestamp), now));
    } else if (isNew || heartbeatOf(current) !== heartbeatOf(previous)) this.#note(this.#reporting, name, now);
  }

  #note(heartbeats: Heartbeats, name: string, time: number): void {
    this.#lost.delete(name);
    (heartbeats === this.#reporting ? this.#starting : this.#reporting).drop(name);
    heartbeats.note(name, time);
    this.#arm();
  }

  #onLease({ namespace, name, json }: StoredChange): void {
    const { clock, dialect } = this.#context;
    if (namespace !== dialect.nodeLeaseNamespace || isSimulatedNode(name, this.#simulatedCount)) return;
    const renewTime = json === undefined ? undefined : objectOf<Lease>(json)?.spec?.renewTime;
    if (renewTime === undefined) {
      this.#renewTimes.delete(name);
      return;
    }
    const isRenewed = renewTime > (this.#renewTimes.get(name) ?? '');
    this.#renewTimes.set(name, renewTime);
    const node = this.#nodes.get(name);
    if (!isRenewed || node === undefined) return;
    this.#note(readyStatus(node) === undefined ? this.#starting : this.#reporting, name, clock.now());
  }

  /** One timer, for the node that is silent first and the zone that may taint next. */
  #arm(): void {
    const times = [this.#reporting.nextSilentAt, this.#starting.nextSilentAt, this.#zones.nextAt];
    const next = Math.min(...times.filter((time) => time !== undefined));
    if (next === Number.POSITIVE_INFINITY || (this.#timer !== undefined && this.#timerAt <= next)) return;
    this.#timer?.cancel();
    this.#timerAt = next;
    const look = () => {
      this.#timer = undefined;
      this.#queue.add(silentNodes);
      this.#queue.add(zoneStates);
    };
    const now = this.#context.clock.now();
    if (next <= now) look();
    else this.#timer = this.#context.clock.after(next - now, look);
  }

  async #workOn(key: string): Promise<WorkOutcome> {
    const outcome = await untilReported(this.#work(key));
    this.#events.resume();
    return outcome;
  }

  async #work(key: string): Promise<WorkOutcome> {
    if (key === silentNodes) await this.#lookForSilentNodes();
    else if (key === zoneStates) this.#updateZones();
    else await this.#look(key);
    return 'done';
  }

  async #lookForSilentNodes(): Promise<void> {
    const now = this.#context.clock.now();
    const silent = [...this.#reporting.takeSilent(now), ...this.#starting.takeSilent(now)];
    for (const name of silent) this.#lost.add(name);
    for (let at = 0; at < silent.length; at += batch)
      await Promise.all(silent.slice(at, at + batch).map((name) => this.#markSilent(name)));
    this.#arm();
  }

  /** Where another client wrote the node at that moment, the node is looked at again when the feed reports that. */
  async #markSilent(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined || !this.#lost.has(name) || readyStatus(node) === 'Unknown') return;
    const { client, clock } = this.#context;
    const { uid, resourceVersion } = node.metadata;
    const change = { metadata: { uid, resourceVersion }, status: { conditions: silentConditions(node, clock.now()) } };
    try {
      await client.merge(`${nodePath(name)}/status`, change);
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return;
      throw error;
    }
    if (readyStatus(node) !== 'True') return;
    this.#tell(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    await this.#markPods(name);
  }

  /** Nothing is known of the pods of a node that is silent: they are not ready. */
  async #markPods(nodeName: string): Promise<void> {
    const ready = [...this.#pods.onNode(nodeName)].filter((pod) => readyOf(pod)?.status === 'True');
    for (let at = 0; at < ready.length; at += batch)
      await Promise.all(ready.slice(at, at + batch).map((pod) => this.#markPod(pod)));
  }

  async #markPod(pod: Pod): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace, name, uid, resourceVersion } = pod.metadata;
    const time = formatTime(clock.now());
    const conditions = pod.status?.conditions?.map((one) =>
      one.type === 'Ready' ? { ...one, status: 'False', lastTransitionTime: time } : one,
    );
    try {
      const change = { metadata: { uid, resourceVersion }, status: { conditions } };
      await client.merge(`/api/v1/namespaces/${namespace}/pods/${name}/status`, change);
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return;
      throw error;
    }
    this.#events.tell(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }

  /** When the last node is lost no pod is evicted any more; when one is back, the others get time to report. */
  #updateZones(): void {
    const { clock } = this.#context;
    if (this.#zones.update()) {
      const now = clock.now();
      if (this.#zones.isAllLost) this.#evicting.clear();
      else for (const heartbeats of [this.#reporting, this.#starting]) renewAll(heartbeats, now);
      for (const node of this.#nodes.all()) this.#queue.add(node.metadata.name ?? '');
    }
    for (const name of this.#zones.takeDue(clock.now())) {
      this.#evicting.add(name);
      this.#queue.add(name);
    }
    this.#arm();
  }

  async #look(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    if (this.#lost.has(name)) await this.#markSilent(name);
    const { client, clock, dialect } = this.#context;
    const options = { dialect, now: clock.now(), isAllLost: this.#zones.isAllLost };
    const taints = reconciledTaints(node, { ...options, evicts: this.#evicting.has(name) });
    const { uid, resourceVersion } = node.metadata;
    if (taints !== undefined)
      await client.merge(nodePath(name), { metadata: { uid, resourceVersion }, spec: { taints } });
    this.#await(node, taints?.some(({ effect }) => effect === 'NoExecute') ?? false);
  }

  #await(node: Node, isTainted: boolean): void {
    const { dialect } = this.#context;
    const { name = '' } = node.metadata;
    const zone = zoneOf(node, dialect);
    if (isTainted || !awaitsEviction(node, dialect)) {
      this.#evicting.delete(name);
      this.#zones.release(zone, name);
    } else if (!this.#zones.isAllLost && !this.#evicting.has(name)) {
      this.#zones.await(zone, name);
      this.#queue.add(zoneStates);
    }
  }

  #tell(node: Node, reason: string, message: string): void {
    this.#events.tell(node, { type: 'Normal', reason, message });
  }
}

const readyOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready');

const registered = (name: string): string => `Node ${name} event: Registered Node ${name} in Controller`;

function renewAll(heartbeats: Heartbeats, now: number): void {
  for (const name of [...heartbeats.names()]) heartbeats.note(name, now);
}
