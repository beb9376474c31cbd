// The controllers that run, and what they share.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../base/time/clock.ts';
import type { Client } from '../client/client.ts';
import type { ControllerConfig } from '../config/controller-options.ts';
import type { ControllerParts } from '../controllers/catalog.ts';
import type { Controller, ControllerContext, QueueSpec } from '../controllers/controller.ts';
import { type ControllerGates, isSelected } from '../controllers/entry.ts';
import { type ElectionTerms, LeaderElection } from '../controllers/leader-election.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import type { KindTypes } from '../groups/admissionregistration/v1/type-check.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { formatApiVersion, parseApiVersion } from '../meta/group-version.ts';
import type { Resources } from '../registry/resources.ts';
import { allControllers } from '../simulation/catalog.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import type { Store } from '../storage/store.ts';
import { StoreFeed } from './object-feed.ts';

interface ControllerSetOptions {
  /** For what is part of the server, and for all others. */
  readonly clients: { readonly server: Client; readonly controllers: Client };
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly store: Store;
  readonly resources: Resources;
  readonly parts: ControllerParts;
  readonly config: ControllerConfig;
  readonly simulation: SimulationConfig;
  readonly gates: ControllerGates;
  /** Whether other servers work on the same store, so that one has to be chosen. */
  readonly isShared: boolean;
  onError(fields: object, message: string): void;
  /** Another server took over, or this one did. */
  onLeading(leads: boolean): void;
}

export class ControllerSet {
  readonly #options: ControllerSetOptions;
  readonly #queues = new Map<string, WorkQueue>();
  #feed: StoreFeed | undefined;
  #controllers: readonly Controller[] = [];
  #election: LeaderElection | undefined;
  #isClosed = false;

  constructor(options: ControllerSetOptions) {
    this.#options = options;
  }

  /** Queues by name, for metrics. */
  get queues(): ReadonlyMap<string, WorkQueue> {
    return this.#queues;
  }

  /** Whether everything was looked at, and there is nothing left to do but what waits for its time. */
  get isIdle(): boolean {
    const queues = [...this.#queues.values()];
    const isAtRest = queues.every(({ depth, unfinished }) => depth === 0 && unfinished.length === 0);
    return isAtRest && (this.#feed?.isFollowing ?? true);
  }

  /** At once, or when this server is chosen. */
  start(): void {
    const { config, isShared } = this.#options;
    if (!allControllers.some((entry) => isSelected(entry, config.selection))) return;
    if (!isShared || config.election === undefined) {
      this.#begin();
      return;
    }
    this.#election = this.#candidate(config.election);
    this.#election.start();
  }

  /** Has the controllers look at everything again, where they run here: what they were made with has changed. */
  async restart(): Promise<void> {
    if (this.#feed === undefined) return;
    await this.#end();
    // it may have lost the election meanwhile, or won it again
    if (!this.#isClosed && this.#feed === undefined && this.#election?.leads !== false) this.#begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#election?.close();
    await this.#end();
  }

  #candidate({ namespace, ...terms }: ElectionTerms): LeaderElection {
    const { clients, clock, dialect, onError } = this.#options;
    return new LeaderElection({
      client: clients.controllers,
      clock,
      leases: `/apis/${apiGroup(dialect, 'coordination')}/v1/namespaces/${namespace ?? dialect.systemNamespace}/leases`,
      ...terms,
      identity: `${hostname()}_${randomUUID()}`,
      onElected: () => {
        this.#options.onLeading(true);
        this.#begin();
      },
      onDeposed: () => {
        this.#options.onLeading(false);
        return this.#end();
      },
      onError: (error) => onError({ err: error }, 'the leader election lease of the controllers could not be renewed'),
    });
  }

  #begin(): void {
    const { clients, store, resources, clock, config, gates, simulation, onError } = this.#options;
    const feed = new StoreFeed({
      ...{ store, resources, clock },
      onError: (error) =>
        onError({ err: error }, 'the watch of the store that feeds the controllers failed and is opened again'),
    });
    const context = this.#context(feed);
    const ofServer = { ...context, client: clients.server };
    const own = new Set(builtInGroups(context.dialect).map(formatApiVersion));
    const served = resources.groupVersions.filter((gv) => own.has(formatApiVersion(gv)));
    const parts = { ...this.#options.parts, served, types: kindTypes(resources), simulation };
    this.#feed = feed;
    this.#controllers = allControllers
      .filter((entry) => isSelected(entry, config.selection) && (entry.gate === undefined || gates[entry.gate]))
      .map((entry) => entry.make(entry.partOfServer ? ofServer : context, parts));
    feed.start();
  }

  async #end(): Promise<void> {
    const [feed, controllers] = [this.#feed, this.#controllers];
    this.#feed = undefined;
    this.#controllers = [];
    await feed?.close();
    await Promise.all(controllers.map((controller) => controller.close()));
  }

  #context(feed: StoreFeed): ControllerContext {
    const { clients, clock, dialect, onError } = this.#options;
    const queue = (spec: QueueSpec) => this.#queue(spec);
    return { client: clients.controllers, clock, dialect, feed, kinds: feed.kinds, queue, onError };
  }

  #queue({ name, workers = 1, work }: QueueSpec): WorkQueue {
    const { clock, config, onError } = this.#options;
    const queue = new WorkQueue({
      ...{ clock, work, workers: config.workers.get(name) ?? workers },
      onError: (key, error) => onError({ queue: name, key, err: error }, 'a controller failed and will retry'),
    });
    this.#queues.set(name, queue);
    return queue;
  }
}

/** The types of what is served at the moment a controller asks. */
function kindTypes(resources: Resources): KindTypes {
  return {
    all: () => [...resources.all()].map(({ definition }) => definition),
    byKind(apiVersion, kind) {
      const parsed = parseApiVersion(apiVersion);
      const served = parsed && resources.findGroupVersion(parsed.group, parsed.version);
      return served?.resources.find((one) => one.kind === kind);
    },
  };
}
