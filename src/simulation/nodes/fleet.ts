// The simulated nodes: registers them once, renews their leases, and reports their status now and then. One timer serves
// all of them, and a large fleet renews its leases less often.

import type { Timer } from '../../base/time/clock.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import type { ControllerContext } from '../../controllers/controller.ts';
import type { WorkQueue } from '../../controllers/work-queue.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import { apiGroup, nodeTaint } from '../../meta/dialect.ts';
import { formatMicroTime } from '../../meta/time.ts';
import { simulationKeys } from '../keys.ts';
import { cacheOf, type ObjectCache } from '../object-cache.ts';
import { nodeName } from './addresses.ts';
import { leaseObject, nodeConditions, nodeObject } from './node-object.ts';
import { annotationDomain } from './read-behaviour.ts';

const nodesPath = '/api/v1/nodes';

/** As of a kubelet: how long a lease lasts, how often the status is reported. */
const leaseSeconds = 40;
const reportMs = 5 * 60_000;
/** Renewals in a second, at most, until leases are renewed as rarely as they may be. */
const renewalsPerSecond = 25;
const minRenewSeconds = 10;
const maxRenewSeconds = 30;

/** A node with this annotation set to true is lost: it renews nothing and runs nothing. */
const stoppedAnnotation = `${annotationDomain}/stopped`;

export const isStopped = ({ metadata }: Node): boolean => metadata.annotations?.[stoppedAnnotation] === 'true';

interface FleetOptions {
  readonly count: number;
  /** A node runs pods again. */
  onResumed(name: string): void;
  /** Every node is registered, as far as that was possible. */
  onRegistered(): void;
}

export class Fleet {
  readonly #context: ControllerContext;
  readonly #options: FleetOptions;
  readonly #nodes: ObjectCache<Node>;
  readonly #queue: WorkQueue;
  readonly #names: readonly string[];
  readonly #indexes: ReadonlyMap<string, number>;
  /** When each node last reported its status. */
  readonly #reports = new Map<string, number>();
  /** Nodes whose registration was not tried yet. */
  readonly #missing: Set<string>;
  #next = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(context: ControllerContext, options: FleetOptions) {
    this.#context = context;
    this.#options = options;
    this.#names = Array.from({ length: options.count }, (_, index) => nodeName(index));
    this.#indexes = new Map(this.#names.map((name, index) => [name, index]));
    this.#missing = new Set(this.#names);
    this.#nodes = cacheOf<Node>(context, '', 'nodes');
    this.#queue = context.queue({ name: 'simulated_nodes', workers: 16, work: (name) => this.#work(name) });
    this.#nodes.subscribe({
      onSynced: () => this.#begin(),
      onChange: (current, previous) => this.#onNode(current, previous),
    });
  }

  /** The index of a simulated node; undefined for other nodes. */
  indexOf(name: string): number | undefined {
    return this.#indexes.get(name);
  }

  /** Whether a node is there and alive. */
  isAlive(name: string): boolean {
    const node = this.#nodes.get(name);
    return node !== undefined && node.metadata.deletionTimestamp === undefined && !isStopped(node);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#queue.close();
  }

  #begin(): void {
    for (const name of this.#names) this.#queue.add(name);
    this.#timer?.cancel();
    this.#arm();
  }

  #onNode(current: Node | undefined, previous: Node | undefined): void {
    const name = (current ?? previous)?.metadata.name ?? '';
    if (current === undefined || !this.#indexes.has(name)) return;
    const wasStopped = previous !== undefined && isStopped(previous);
    if (isStopped(current)) return;
    if (wasStopped) {
      this.#reports.delete(name);
      this.#queue.add(name);
    }
    if (wasStopped || previous === undefined) this.#options.onResumed(name);
  }

  /** Seconds between two renewals of a lease. */
  get #renewSeconds(): number {
    return Math.min(maxRenewSeconds, Math.max(minRenewSeconds, this.#names.length / renewalsPerSecond));
  }

  /** A tick renews the leases of some nodes, so that all have had theirs after the time of a renewal. */
  #arm(): void {
    if (this.#isClosed || this.#names.length === 0) return;
    const tickMs = Math.max(1000, (this.#renewSeconds * 1000) / this.#names.length);
    const perTick = Math.ceil((this.#names.length * tickMs) / (this.#renewSeconds * 1000));
    this.#timer = this.#context.clock.after(tickMs, () => {
      for (let i = 0; i < perTick; i++) {
        this.#queue.add(this.#names[this.#next] as string);
        this.#next = (this.#next + 1) % this.#names.length;
      }
      this.#arm();
    });
  }

  async #work(name: string): Promise<'done'> {
    const node = await this.#nodeOf(name);
    if (node === undefined || node.metadata.deletionTimestamp !== undefined || isStopped(node)) return 'done';
    await this.#renew(node);
    await this.#report(node);
    return 'done';
  }

  async #nodeOf(name: string): Promise<Node | undefined> {
    try {
      return this.#nodes.get(name) ?? (await this.#register(name));
    } finally {
      if (this.#missing.delete(name) && this.#missing.size === 0) this.#options.onRegistered();
    }
  }

  /** A node that was deleted stays away until the server is started again. */
  async #register(name: string): Promise<Node | undefined> {
    if (this.#reports.has(name)) return undefined;
    const { client, clock, dialect } = this.#context;
    const { count } = this.#options;
    const now = clock.now();
    const index = this.#indexes.get(name) as number;
    this.#reports.set(name, now);
    try {
      const object = nodeObject({ name, index, count, keys: simulationKeys(dialect), now });
      const created = (await client.create(nodesPath, object)) as Node;
      const node = await this.#untaint(created);
      this.#nodes.put(node);
      return node;
    } catch (error) {
      if (isConflict(error)) return undefined;
      this.#reports.delete(name);
      throw error;
    }
  }

  /** The server keeps pods away from a new node until it is known to be ready, which this one is. */
  async #untaint(node: Node): Promise<Node> {
    const { client, dialect } = this.#context;
    const { taints = [] } = node.spec ?? {};
    const otherTaints = taints.filter(({ key }) => key !== nodeTaint(dialect, 'not-ready'));
    if (otherTaints.length === taints.length) return node;
    const changed = { ...node, spec: { ...node.spec, taints: otherTaints } };
    try {
      return (await client.replace(`${nodesPath}/${node.metadata.name}`, changed)) as Node;
    } catch (error) {
      // the controller of the life cycle of nodes was faster
      if (isConflict(error)) return node;
      throw error;
    }
  }

  async #renew(node: Node): Promise<void> {
    const { client, clock, dialect } = this.#context;
    const { name = '' } = node.metadata;
    const leases = `/apis/${apiGroup(dialect, 'coordination')}/v1/namespaces/${dialect.nodeLeaseNamespace}/leases`;
    const renewTime = formatMicroTime(clock.now());
    try {
      await client.merge(`${leases}/${name}`, { spec: { holderIdentity: name, renewTime } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.create(leases, leaseObject(node, { now: renewTime, seconds: leaseSeconds }));
    }
  }

  /** Every few minutes, and when another client took the node for lost. */
  async #report(node: Node): Promise<void> {
    const { client, clock } = this.#context;
    const { name = '' } = node.metadata;
    const now = clock.now();
    const conditions = (node.status?.conditions ?? []) as unknown as readonly Readonly<Record<string, string>>[];
    const isReady = conditions.some((one) => one['type'] === 'Ready' && one['status'] === 'True');
    const last = this.#reports.get(name);
    if (isReady && last !== undefined && now - last < reportMs) return;
    this.#reports.set(name, now);
    await client.merge(`${nodesPath}/${name}/status`, { status: { conditions: nodeConditions(now, conditions) } });
  }
}
