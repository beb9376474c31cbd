// The resources of other servers: fetched in the background, again when their APIService changes and every
// minute, so that no client ever waits for a server that does not answer.

import type { JsonValue } from '../base/json/json.ts';
import type { Clock } from '../base/time/clock.ts';
import { parseAccept } from '../codec/accept.ts';
import { parseJson } from '../codec/body.ts';
import { type WorkOutcome, WorkQueue } from '../controllers/work-queue.ts';
import type { RemoteVersion, RemoteVersions } from '../discovery/shown-apis.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiServices, RemoteEntry } from './api-services.ts';
import { type Fetched, fetchFrom } from './backend-fetch.ts';
import { type DiscoveredResource, fromAggregated, fromResourceList } from './discovered-resources.ts';
import { pathOf } from './probe.ts';
import { fetchOpenApi, type RemoteOpenApi } from './remote-open-api.ts';

interface RemoteDiscoveryOptions {
  readonly services: ApiServices;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Aborts when the server stops. */
  readonly stop: AbortSignal;
}

interface Known {
  readonly resources: readonly DiscoveredResource[];
  readonly freshness: RemoteVersion['freshness'];
  /** Of the whole aggregated document. */
  readonly etag?: string | undefined;
  /** The server that sent them. */
  readonly backend?: unknown;
  readonly openApi?: RemoteOpenApi | undefined;
}

/** A group-version of another server, with its known resources. */
interface DiscoveredVersion extends RemoteVersion {
  readonly discovered: readonly DiscoveredResource[];
}

const refreshMs = 60_000;
const firstPauseMs = 500;
const limits = { timeoutMs: 5000, maxBytes: 2 * 1024 * 1024 };
const workers = 2;
const nothingYet: Known = { resources: [], freshness: 'Stale' };
const none: readonly DiscoveredVersion[] = [];

export class RemoteDiscovery implements RemoteVersions {
  readonly #options: RemoteDiscoveryOptions;
  readonly #previousOpenApi = new Map<string, Known>();
  readonly #failures = new Map<string, number>();
  readonly #queue: WorkQueue;
  readonly #changes: { close(): void };
  #versions: readonly DiscoveredVersion[] | undefined = none;

  constructor(options: RemoteDiscoveryOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({
      clock: options.clock,
      workers,
      work: (name) => this.#refresh(name),
      onError: () => {},
    });
    this.#changes = options.services.onChange((name) => this.#onChange(name));
  }

  get versions(): readonly DiscoveredVersion[] {
    this.#versions ??= [...this.#options.services.remote].map((entry) => this.#shown(entry));
    return this.#versions;
  }

  find(api: { readonly group: string; readonly version: string }): DiscoveredVersion | undefined {
    return this.versions.find(({ group, version }) => group === api.group && version === api.version);
  }

  get localPriorities(): RemoteVersions['localPriorities'] {
    return this.#options.services.localPriorities;
  }

  get unlisted(): RemoteVersions['unlisted'] {
    return this.#options.services.unlisted;
  }

  async close(): Promise<void> {
    this.#changes.close();
    await this.#queue.close();
  }

  #shown({ api, object }: RemoteEntry): DiscoveredVersion {
    const { resources, freshness, openApi } = this.#previousOpenApi.get(api.name) ?? nothingYet;
    const { groupPriorityMinimum = 0, versionPriority = 0 } = object.spec ?? {};
    const priority = { group: groupPriorityMinimum, version: versionPriority };
    return {
      ...{ group: api.group, version: api.version, priority, freshness },
      discovered: resources,
      openApiHash: openApi?.converted?.hash ?? openApi?.hash,
      convertedOpenApi: openApi?.converted,
      openApi: openApi?.v2,
    };
  }

  #onChange(name: string): void {
    const entry = this.#options.services.named(name);
    const isKnown = this.#previousOpenApi.has(name);
    if (entry === undefined) {
      this.#previousOpenApi.delete(name);
      this.#failures.delete(name);
      if (!isKnown) return;
    } else {
      if (!isKnown) this.#previousOpenApi.set(name, nothingYet);
      this.#queue.add(name);
    }
    this.#versions = undefined;
  }

  async #refresh(name: string): Promise<WorkOutcome> {
    const entry = this.#options.services.named(name);
    if (entry === undefined) return 'done';
    const before = this.#previousOpenApi.get(name);
    try {
      const discovered = await this.#fetch(entry, before);
      this.#keep(entry, { ...discovered, openApi: before?.openApi });
      this.#failures.delete(name);
      const previousOpenApi = before?.backend === entry.backend ? before.openApi : undefined;
      const openApi = await fetchOpenApi(entry, previousOpenApi, this.#options.stop);
      this.#keep(entry, { ...discovered, openApi });
      return refreshMs;
    } catch {
      this.#keep(entry, nothingYet);
      return this.#pauseAfter(name);
    }
  }

  #pauseAfter(name: string): number {
    const before = this.#failures.get(name) ?? 0;
    this.#failures.set(name, before + 1);
    return Math.min(firstPauseMs * 2 ** before, refreshMs);
  }

  /** Unless the APIService means another server by now: that one is in the queue. */
  #keep({ api, backend }: RemoteEntry, next: Known): void {
    if (this.#options.services.named(api.name)?.backend !== backend) return;
    const before = this.#previousOpenApi.get(api.name);
    this.#previousOpenApi.set(api.name, next);
    const isSame =
      before?.freshness === next.freshness &&
      isEqual(before.resources, next.resources) &&
      before.openApi?.hash === next.openApi?.hash &&
      before.openApi?.converted?.hash === next.openApi?.converted?.hash &&
      before.openApi?.v2 === next.openApi?.v2;
    if (!isSame) this.#versions = undefined;
  }

  async #fetch({ api, backend }: RemoteEntry, before: Known | undefined): Promise<Known> {
    const { dialect, stop } = this.#options;
    const group = apiGroup(dialect, 'apidiscovery');
    const etag = before?.backend === backend ? before?.etag : undefined;
    const response = await fetchFrom(backend, '/apis', { accept: acceptOf(group), etag, stop, ...limits });
    if (response.status === 304 && before !== undefined) return before;
    if (response.status === 503) throw new Error('the server is not available');
    if (response.status === 200 && isAggregated(response, group)) {
      const resources = fromAggregated(parsed(response), api);
      return { resources, freshness: 'Current', etag: headerOf(response, 'etag'), backend };
    }
    const classic = await fetchFrom(backend, pathOf(api), { accept: 'application/json', stop, ...limits });
    if (classic.status !== 200) throw new Error(`status ${classic.status}`);
    return { resources: fromResourceList(parsed(classic)), freshness: 'Current', backend };
  }
}

const kind = 'APIGroupDiscoveryList';
const acceptOf = (group: string) =>
  ['v2', 'v2beta1'].map((version) => `application/json;g=${group};v=${version};as=${kind}`).join(',');

const headerOf = ({ headers }: Fetched, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function isAggregated(found: Fetched, group: string): boolean {
  const [type] = parseAccept(headerOf(found, 'content-type') ?? '');
  const { g, v, as } = type?.parameters ?? {};
  return g === group && as === kind && (v === 'v2' || v === 'v2beta1');
}

/** Within bounds for depth and number of values. */
function parsed({ bytes }: Fetched): JsonValue {
  return parseJson(bytes).value;
}

const isEqual = (a: readonly DiscoveredResource[], b: readonly DiscoveredResource[]) =>
  JSON.stringify(a) === JSON.stringify(b);
