// Which controllers there are, which of them run, and what they share.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { Client } from '../client/client.ts';
import { apiRegistration, type ServedApi } from '../controllers/api-registration/controller.ts';
import { bootstrapSigner } from '../controllers/bootstrap-signer/controller.ts';
import { bootstrapTokenCleaner } from '../controllers/bootstrap-tokens.ts';
import type { Controller, ControllerContext, QueueSpec } from '../controllers/controller.ts';
import { finishedJobController } from '../controllers/finished-jobs.ts';
import { garbageCollector } from '../controllers/garbage-collector/controller.ts';
import { claimProtection, volumeProtection } from '../controllers/in-use-protection/controller.ts';
import { LeaderElection } from '../controllers/leader-election.ts';
import { namespaceController } from '../controllers/namespace/controller.ts';
import { resourceQuotaController } from '../controllers/resource-quota/controller.ts';
import { roleAggregationController } from '../controllers/role-aggregation/controller.ts';
import { serviceAccountController } from '../controllers/service-account/controller.ts';
import { rootCaPublisher } from '../controllers/service-account/root-ca.ts';
import { type TokenIssuer, tokenSecretController } from '../controllers/token-secrets/controller.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { Resources } from '../registry/resources.ts';
import type { Store } from '../storage/store.ts';
import { StoreFeed } from './object-feed.ts';
import { otherControllers } from './other-controllers.ts';

/** What some controllers need beyond the API. */
export interface ControllerParts {
  /** PEM of the CA that clients have to trust. */
  rootCa(): string;
  /** Token Secrets are left empty without one. */
  readonly issueToken?: TokenIssuer | undefined;
}

interface AllParts extends ControllerParts {
  /** The group-versions that the server serves itself. */
  readonly served: readonly ServedApi[];
}

interface Entry {
  readonly name: string;
  /** Older names, which are understood as well. */
  readonly aliases: readonly string[];
  readonly offByDefault?: true;
  make(context: ControllerContext, parts: AllParts): Controller;
}

const signerName = 'bootstrap-signer-controller';

/** Under the names that kube-controller-manager has for them. */
const catalog: readonly Entry[] = [
  { name: 'namespace-controller', aliases: ['namespace'], make: namespaceController },
  { name: 'garbage-collector-controller', aliases: ['garbagecollector'], make: garbageCollector },
  { name: 'serviceaccount-controller', aliases: ['serviceaccount'], make: serviceAccountController },
  {
    name: 'serviceaccount-token-controller',
    aliases: ['serviceaccount-token'],
    make: (context, { issueToken, rootCa }) => tokenSecretController(context, { issue: issueToken, rootCa }),
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    aliases: ['root-ca-cert-publisher'],
    make: (context, { rootCa }) => rootCaPublisher(context, rootCa),
  },
  // part of the server itself in the reference implementation
  {
    name: 'apiservice-registration-controller',
    aliases: ['autoregister'],
    make: (context, { served }) => apiRegistration(context, served),
  },
  { name: 'resourcequota-controller', aliases: ['resourcequota'], make: resourceQuotaController },
  {
    name: 'clusterrole-aggregation-controller',
    aliases: ['clusterrole-aggregation'],
    make: roleAggregationController,
  },
  { name: 'persistentvolumeclaim-protection-controller', aliases: ['pvc-protection'], make: claimProtection },
  { name: 'persistentvolume-protection-controller', aliases: ['pv-protection'], make: volumeProtection },
  { name: 'ttl-after-finished-controller', aliases: ['ttl-after-finished'], make: finishedJobController },
  { name: 'token-cleaner-controller', aliases: ['tokencleaner'], offByDefault: true, make: bootstrapTokenCleaner },
  { name: signerName, aliases: ['bootstrapsigner'], offByDefault: true, make: bootstrapSigner },
];

/** Words in a selection that make no sense; what runs elsewhere may be switched off, it cannot be switched on. */
export function unknownControllers(selection: readonly string[]): readonly string[] {
  const known = new Set(catalog.flatMap(({ name, aliases }) => [name, ...aliases]));
  const isElsewhere = (item: string) => item.startsWith('-') && otherControllers.has(item.slice(1));
  return selection.filter((item) => item !== '*' && !known.has(item.replace(/^-/, '')) && !isElsewhere(item));
}

/** `*` stands for all that are on by default, `name` turns one on, `-name` off. The first word on a controller counts. */
function isSelected({ name, aliases, offByDefault }: Entry, selection: readonly string[]): boolean {
  const names = [name, ...aliases];
  const word = selection.find((item) => names.includes(item.replace(/^-/, '')));
  if (word !== undefined) return !word.startsWith('-');
  return selection.includes('*') && !offByDefault;
}

/** Whether public information is signed here, and so has to be there. */
export function runsBootstrapSigner(selection: readonly string[]): boolean {
  return catalog.some((entry) => entry.name === signerName && isSelected(entry, selection));
}

export interface ControllerSetOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly store: Store;
  readonly resources: Resources;
  readonly parts: ControllerParts;
  readonly selection: readonly string[];
  /** Whether other servers work on the same store, so that one has to be chosen. */
  readonly isShared: boolean;
  onError(fields: object, message: string): void;
}

const leaseName = 'keelson-controllers';

export class ControllerSet {
  readonly #options: ControllerSetOptions;
  readonly #queues = new Map<string, WorkQueue>();
  #feed: StoreFeed | undefined;
  #controllers: readonly Controller[] = [];
  #election: LeaderElection | undefined;

  constructor(options: ControllerSetOptions) {
    this.#options = options;
  }

  /** Queues by name, for metrics. */
  get queues(): ReadonlyMap<string, WorkQueue> {
    return this.#queues;
  }

  /** At once, or when this server is chosen. */
  start(): void {
    if (!catalog.some((entry) => isSelected(entry, this.#options.selection))) return;
    if (!this.#options.isShared) {
      this.#begin();
      return;
    }
    this.#election = this.#candidate();
    this.#election.start();
  }

  async close(): Promise<void> {
    await this.#election?.close();
    await this.#end();
  }

  #candidate(): LeaderElection {
    const { client, clock, dialect, onError } = this.#options;
    return new LeaderElection({
      client,
      clock,
      leases: `/apis/${apiGroup(dialect, 'coordination')}/v1/namespaces/${dialect.systemNamespace}/leases`,
      name: leaseName,
      identity: `${hostname()}_${randomUUID()}`,
      onElected: () => this.#begin(),
      onDeposed: () => this.#end(),
      onError: (error) => onError({ err: error }, 'the lease of the controllers could not be held'),
    });
  }

  #begin(): void {
    const { store, resources, clock, selection, parts, onError } = this.#options;
    const feed = new StoreFeed({
      ...{ store, resources, clock },
      onError: (error) => onError({ err: error }, 'controllers lost sight of the store'),
    });
    const context = this.#context(feed);
    const own = new Set(builtInGroups(context.dialect).map(formatApiVersion));
    const served = resources.groupVersions.filter((gv) => own.has(formatApiVersion(gv)));
    this.#feed = feed;
    this.#controllers = catalog
      .filter((entry) => isSelected(entry, selection))
      .map((entry) => entry.make(context, { ...parts, served }));
    feed.start();
  }

  async #end(): Promise<void> {
    await this.#feed?.close();
    await Promise.all(this.#controllers.map((controller) => controller.close()));
    this.#feed = undefined;
    this.#controllers = [];
  }

  #context(feed: StoreFeed): ControllerContext {
    const { client, clock, dialect, onError } = this.#options;
    const queue = (spec: QueueSpec) => this.#queue(spec);
    return { client, clock, dialect, feed, kinds: feed.kinds, queue, onError };
  }

  #queue({ name, workers = 1, work }: QueueSpec): WorkQueue {
    const { clock, onError } = this.#options;
    const queue = new WorkQueue({
      ...{ clock, workers, work },
      onError: (key, error) => onError({ queue: name, key, err: error }, 'a controller failed and will try again'),
    });
    this.#queues.set(name, queue);
    return queue;
  }
}
