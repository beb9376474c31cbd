// The faults of a test server, as tests ask for them.

import { OptionError } from '../config/option-error.ts';
import { endWatches } from '../handlers/long-running.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServerParts } from '../server/start/server-hooks.ts';
import type { WatchConnections } from './answer-faults.ts';
import type { BreakableStore } from './breakable-store.ts';
import type { ExpiringTokens } from './expiring-tokens.ts';
import {
  type DropOptions,
  type FailOptions,
  type Fault,
  type FaultTurns,
  faultTypes,
  type RequestFaults,
  type SlowOptions,
  type ThrottleOptions,
} from './faults.ts';
import { checkGiven, flag, number, text } from './given-options.ts';
import { checkFilter, type RequestFilter, type SeenRequest } from './request-filter.ts';

interface FaultParts {
  readonly requests: RequestFaults;
  readonly watches: WatchConnections;
  readonly server: Pick<ServerParts, 'resources' | 'store'>;
  readonly store: BreakableStore;
  readonly tokens: ExpiringTokens;
}

/** Watches of one resource. */
export interface WatchFilter {
  /** The plural, such as `pods`; all resources when not given. */
  readonly resource?: string;
}

const watchTypes = { resource: text } satisfies Record<keyof WatchFilter, unknown>;
const storeTypes = { writesOnly: flag };

export class ServerFaults {
  readonly #parts: FaultParts;

  constructor(parts: FaultParts) {
    this.#parts = parts;
  }

  /** Requests fail before anything is done. */
  fail(filter: RequestFilter, options: FailOptions = {}): Fault {
    checkFilter(filter);
    checkGiven('options', options, faultTypes.fail);
    const { status: code = 500, reason, message, retryAfterSeconds, ...limits } = options;
    return this.#parts.requests.plan(
      filter,
      { kind: 'fail', failure: { code, reason, message, retryAfterSeconds } },
      limits,
    );
  }

  /** Requests wait, in real time, before anything is done. */
  delay(filter: RequestFilter, ms: number, limits: FaultTurns = {}): Fault {
    checkFilter(filter);
    if (!number.check(ms)) throw new OptionError(`ms must be ${number.is}`);
    checkGiven('options', limits, faultTypes.delay);
    return this.#parts.requests.plan(filter, { kind: 'delay', ms }, limits);
  }

  /** Requests get no answer: their connection, or with HTTP/2 their stream, ends. */
  drop(filter: RequestFilter, options: DropOptions = {}): Fault {
    checkFilter(filter);
    checkGiven('options', options, faultTypes.drop);
    const { what = 'request', ...limits } = options;
    return this.#parts.requests.plan(filter, { kind: 'drop', what }, limits);
  }

  /** Requests get 429 with `Retry-After`, as from a server with too many of them. */
  throttle(filter: RequestFilter, options: ThrottleOptions = {}): Fault {
    checkFilter(filter);
    checkGiven('options', options, faultTypes.throttle);
    const { retryAfterSeconds = 1, ...limits } = options;
    return this.fail(filter, { ...limits, status: 429, reason: 'TooManyRequests', retryAfterSeconds });
  }

  /** Lists and watches that continue from an earlier version get 410, as after an etcd compaction: clients have to list again. */
  expireLists(filter: Omit<RequestFilter, 'verb' | 'where'> = {}, limits: FaultTurns = {}): Fault {
    checkFilter(filter);
    checkGiven('options', limits, faultTypes.expireLists);
    const where = ({ path }: SeenRequest) => /[?&](?:continue=.|resourceVersion=[1-9])/.test(path);
    return this.fail(
      { ...filter, verb: ['list', 'watch'], where },
      { ...limits, status: 410, reason: 'Expired', message: 'too old resource version' },
    );
  }

  /** Answers arrive slowly, as over a bad network. */
  slowBodies(filter: RequestFilter, options: SlowOptions = {}): Fault {
    checkFilter(filter);
    checkGiven('options', options, faultTypes.slowBodies);
    const { bytesPerSecond = 1024, ...limits } = options;
    return this.#parts.requests.plan(filter, { kind: 'slow', bytesPerSecond }, limits);
  }

  /** The connections of open watches are lost in the middle, as by a proxy or a balancer. Returns how many there were. */
  dropWatches(filter: WatchFilter = {}): number {
    checkGiven('filter', filter, watchTypes);
    return this.#parts.watches.drop(filter.resource);
  }

  /** Open watches end as they do when their time is over. */
  endWatches(filter: WatchFilter = {}): void {
    for (const registry of this.#registries(filter)) endWatches(registry, 'closed');
  }

  /** Open watches receive 410 Expired, and end: clients have to list again. */
  expireWatches(filter: WatchFilter = {}): void {
    for (const registry of this.#registries(filter)) endWatches(registry, 'gone');
  }

  /** Deletes the history: watches from an older version, later pages of lists and exact reads get 410 Expired. */
  async compact(): Promise<void> {
    const { store } = this.#parts.server;
    await store.compact(await store.currentRevision());
    for (const { cache } of this.#registries({})) cache.forgetHistory();
  }

  /** Tokens that service accounts were issued until now get 401 Unauthorized. */
  expireTokens(): void {
    this.#parts.tokens.expireAll();
  }

  /** The store fails, or only its writes, until `mendStore`. */
  breakStore(options: { readonly writesOnly?: boolean } = {}): void {
    checkGiven('options', options, storeTypes);
    const { writesOnly = false } = options;
    this.#parts.store.break(writesOnly ? 'writes' : 'everything');
  }

  mendStore(): void {
    this.#parts.store.break('nothing');
  }

  /** Faults of requests are forgotten, and the store works again. */
  clear(): void {
    this.#parts.requests.clear();
    this.mendStore();
  }

  #registries(filter: WatchFilter): readonly Registry[] {
    checkGiven('filter', filter, watchTypes);
    const { resource } = filter;
    const open = [...this.#parts.server.resources.openRegistries()];
    return open.filter(({ definition: { plural } }) => resource === undefined || plural === resource);
  }
}
