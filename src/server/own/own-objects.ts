// Objects by which this server is known in the cluster, kept on every server: its service, where it listens, and what
// aggregated servers have to trust.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type AuthenticationTrust,
  authenticationTrustRef,
  publishTrust,
} from '../../bootstrap/authentication-trust.ts';
import { soleLease, storedLeases } from '../../bootstrap/endpoint-leases.ts';
import { type EndpointReconciler, endpointReconciler } from '../../bootstrap/endpoint-reconciler.ts';
import { Keeper } from '../../bootstrap/keeper.ts';
import { advertisedAddress } from '../../bootstrap/own-endpoints.ts';
import { collectIdentities, renewIdentity } from '../../bootstrap/server-identity.ts';
import { ensureDefaultRange, ensureOwnService, isAsConfigured } from '../../bootstrap/service-network.ts';
import { TokenTracking, tokenTrackingRef } from '../../bootstrap/token-tracking.ts';
import { type Client, isConflict } from '../../client/client.ts';
import type { ServerConfig } from '../../config/options.ts';
import { EventRecorder } from '../../controllers/event-recorder.ts';
import { apiGroup } from '../../meta/dialect.ts';
import type { ObjectRef } from '../../meta/object.ts';
import type { ClientTrust } from '../../pki/client-trust.ts';
import type { FrontProxy } from '../../pki/front-proxy.ts';
import type { Resources } from '../../registry/resources.ts';
import type { Store } from '../../storage/store.ts';

interface OwnObjectsParts {
  readonly config: ServerConfig;
  readonly store: Store;
  readonly client: Client;
  readonly resources: Resources;
  readonly trust: ClientTrust;
  readonly frontProxy: FrontProxy;
  /** PEM of the server's own CA for clients. */
  ownCa(): string;
}

/** A certificate that is renewed is published within this time, without being told. */
const trustEveryMs = 60_000;
/** How often the lease of this server is renewed. */
const serviceEveryMs = 10_000;
/** The same for the Lease of its identity; a server alone on its store need not write to the disk as often. */
const identityEveryMs = 10_000;
const soleIdentityEveryMs = 15 * 60_000;
const collectEveryMs = 3_600_000;
const trackingEveryMs = 30 * 60_000;

/** Told to the cluster where the port is not known yet. */
export const usualPort = 6443;

export class OwnObjects {
  readonly #parts: OwnObjectsParts;
  readonly #trust: Keeper;
  readonly #service: Keeper;
  readonly #others: readonly Keeper[];
  #isStarted = false;
  #port: number | undefined;
  #endpoints: EndpointReconciler | undefined;
  #isPublished = false;

  constructor(parts: OwnObjectsParts) {
    this.#parts = parts;
    const { config, client, resources } = parts;
    const { clock, dialect } = config;
    this.#trust = this.#keeper({
      keys: keysOf(resources, authenticationTrustRef(dialect), [['', 'configmaps']]),
      everyMs: trustEveryMs,
      reconcile: () => publishTrust(client, dialect, trustOf(parts), clock.now()),
      failure: 'what aggregated servers have to trust could not be published',
    });
    const kinds = [['', 'services'] as const, ['', 'endpoints'] as const];
    const slices = [apiGroup(dialect, 'discovery'), 'endpointslices'] as const;
    this.#service = this.#keeper({
      keys: keysOf(resources, { namespace: 'default', name: dialect.vendor }, [...kinds, slices]),
      everyMs: serviceEveryMs,
      reconcile: () => this.#reconcileService(),
      failure: 'the service of the API servers and its endpoints could not be reconciled',
    });
    const gates = config.featureGates;
    this.#others = [
      this.#defaultRange(),
      this.#tokenTracking(),
      ...(gates.APIServerIdentity ? this.#identities() : []),
    ];
  }

  #defaultRange(): Keeper {
    const { config, client, resources } = this.#parts;
    const { clock, dialect, log, serviceRanges: ranges } = config;
    const onError = (fields: object, message: string) => log.warn(fields, message);
    const events = new EventRecorder({ client, clock, onError }, `${dialect.vendor}-service-cidr-controller`);
    let isReported = false;
    return this.#keeper({
      keys: keysOf(resources, { namespace: '', name: dialect.vendor }, [
        [apiGroup(dialect, 'networking'), 'servicecidrs'],
      ]),
      everyMs: serviceEveryMs,
      reconcile: async () => {
        const range = await ensureDefaultRange(client, { dialect, ranges, clock });
        if (range === undefined || isAsConfigured(range, ranges) || isReported) return;
        isReported = true;
        const message = `The default range ${shownRanges(range.spec?.cidrs)} is not what --service-cluster-ip-range names: ${shownRanges(ranges)}`;
        log.warn({}, message);
        await events.tell(range, { type: 'Warning', reason: 'KubernetesDefaultServiceCIDRInconsistent', message });
      },
      failure: 'the default range of service addresses could not be reconciled',
    });
  }

  #tokenTracking(): Keeper {
    const { config, client, resources } = this.#parts;
    const { clock, dialect } = config;
    const tracking = new TokenTracking(client, dialect);
    return this.#keeper({
      keys: keysOf(resources, tokenTrackingRef(dialect), [['', 'configmaps']]),
      everyMs: trackingEveryMs,
      reconcile: () => tracking.reconcile(clock.now()),
      failure: 'the record since when uses of tokens are recorded could not be written',
    });
  }

  /** This server's own Lease, and the end of those whose servers are gone. */
  #identities(): readonly Keeper[] {
    const { config, client } = this.#parts;
    const { clock, dialect, store } = config;
    const about = { hostname: hostname(), run: randomUUID() };
    return [
      this.#keeper({
        keys: [],
        everyMs: store.kind === 'etcd' ? identityEveryMs : soleIdentityEveryMs,
        reconcile: () => renewIdentity(client, dialect, { ...about, address: this.#address() }, clock.now()),
        failure: 'the identity lease of this server could not be renewed',
      }),
      this.#keeper({
        keys: [],
        everyMs: collectEveryMs,
        reconcile: () => collectIdentities(client, dialect, clock.now()),
        failure: 'identity leases of servers that are gone could not be deleted',
      }),
    ];
  }

  #address(): string | undefined {
    const address = ownAddress(this.#parts.config);
    return this.#port === undefined ? undefined : `${address.includes(':') ? `[${address}]` : address}:${this.#port}`;
  }

  /** Nothing is written before this. */
  start(): void {
    this.#isStarted = true;
    this.#trust.start();
    this.#service.start();
    for (const keeper of this.#others) keeper.start();
  }

  /** The server listens: it becomes one of the endpoints of the service. */
  listensAt(port: number): void {
    const { config, client, store } = this.#parts;
    const { dialect, advertisement } = config;
    this.#port = port;
    this.#endpoints = endpointReconciler(advertisement.reconciler, {
      ...{ client, dialect, count: advertisement.apiserverCount },
      reached: { address: ownAddress(config), port },
      leases: config.store.kind === 'etcd' ? storedLeases(store) : soleLease(),
    });
    if (this.#isStarted) this.#service.look();
  }

  /** A file of CAs is another now. */
  trustChanged(): void {
    this.#trust.look();
  }

  /** Clients are sent here no more; a store that fails does not keep the server from closing. */
  async withdraw(): Promise<void> {
    await this.#service.close();
    if (!this.#isPublished) return;
    try {
      await this.#endpoints?.remove();
    } catch (error) {
      this.#parts.config.log.warn({ err: error }, 'the endpoints of this server could not be removed');
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#trust, this.#service, ...this.#others].map((keeper) => keeper.close()));
  }

  async #reconcileService(): Promise<void> {
    const { client, config } = this.#parts;
    const { dialect, serviceRanges: ranges, securePort, ownNodePort } = config;
    const told = this.#port ?? (securePort || usualPort);
    await ensureOwnService(client, { dialect, ranges, ownNodePort, securePort: told });
    if (this.#endpoints === undefined) return;
    this.#isPublished = true;
    await this.#endpoints.reconcile();
  }

  #keeper({ failure, ...options }: KeptSpec): Keeper {
    const { store, config } = this.#parts;
    const { clock, log } = config;
    const onError = (error: unknown) => {
      // another server writes at the same time: the next look is soon
      if (!isConflict(error)) log.warn({ err: error }, failure);
    };
    return new Keeper({ store, clock, onError, ...options });
  }
}

const shownRanges = (ranges: readonly string[] = []): string => ranges.join(',');

interface KeptSpec {
  readonly keys: readonly string[];
  readonly everyMs: number;
  readonly failure: string;
  reconcile(): Promise<void>;
}

/** Where an object of that name is stored, of each resource that is served. */
function keysOf(resources: Resources, ref: ObjectRef, kinds: readonly (readonly [string, string])[]): string[] {
  return kinds
    .map(([group, plural]) => resources.find(group, 'v1', plural)?.registry.key(ref))
    .filter((key) => key !== undefined);
}

/** The address that the cluster is told. */
export const ownAddress = ({ advertisement, bindAddress }: ServerConfig): string =>
  advertisement.address ?? advertisedAddress(bindAddress);

function trustOf({ config, trust, frontProxy, ownCa }: OwnObjectsParts): AuthenticationTrust {
  const { requestHeader } = config.authentication;
  const ca = `${frontProxy.authority ?? ''}${trust.proxiesPem}`;
  return {
    clientCa: `${ownCa()}${trust.usersPem}`,
    proxies: requestHeader && { ...requestHeader.asGiven, ca },
  };
}
