// Which group-versions other servers serve: a table that follows the APIServices that are stored.

import type { Follower } from '../admission/lookup.ts';
import { Listeners } from '../base/listeners.ts';
import type { Priority } from '../discovery/shown-apis.ts';
import type { APIService } from '../groups/apiregistration/v1/api-service.ts';
import type { ApiObject } from '../meta/object.ts';
import { type RemoteApi, remoteApiOf } from './remote-api.ts';
import { type BackendDeps, RemoteBackend } from './remote-backend.ts';

/** A group-version of another server. */
export interface RemoteEntry {
  readonly api: RemoteApi;
  readonly backend: RemoteBackend;
  readonly object: APIService;
  /** Whether requests may be passed on. */
  readonly isAvailable: boolean;
}

interface ApiServicesOptions extends BackendDeps {
  /** The group of the registrations themselves, which no other server may take over. */
  readonly ownGroup: string;
  /** Whether this server made an APIService when it started, which it does not do again before the next start. */
  isMadeAtStart(object: APIService): boolean;
}

export class ApiServices implements Follower {
  readonly #options: ApiServicesOptions;
  readonly #remote = new Map<string, RemoteEntry>();
  #local: ReadonlyMap<string, Priority> = new Map();
  #unlisted: ReadonlySet<string> = new Set();
  readonly #changes = new Listeners<string>();
  /** Names that were shown since the last reset; undefined once all are. */
  #shown: Set<string> | undefined;

  constructor(options: ApiServicesOptions) {
    this.#options = options;
  }

  /** Calls back with the name of an APIService that is new, changed or deleted. */
  onChange(listener: (name: string) => void): { close(): void } {
    return this.#changes.add(listener);
  }

  get isEmpty(): boolean {
    return this.#remote.size === 0;
  }

  /** Priorities of group-versions that this server itself serves, by the name of their APIService. */
  get localPriorities(): ReadonlyMap<string, Priority> {
    return this.#local;
  }

  /** Group-versions of this server whose APIService a client deleted, by its name. */
  get unlisted(): ReadonlySet<string> {
    return this.#unlisted;
  }

  get remote(): Iterable<RemoteEntry> {
    return this.#remote.values();
  }

  /** The server of a group-version, where that is another one. */
  find(group: string, version: string): RemoteEntry | undefined {
    return this.#remote.get(`${version}.${group}`);
  }

  /** The server of the APIService with this name. */
  named(name: string): RemoteEntry | undefined {
    return this.#remote.get(name);
  }

  onReset(): void {
    this.#shown = new Set();
  }

  onPut(object: ApiObject): void {
    const name = object.metadata.name ?? '';
    this.#shown?.add(name);
    this.#list(name, true);
    this.#put(name, object as APIService);
    this.#changes.call(name);
  }

  onRemove(object: ApiObject): void {
    const name = object.metadata.name ?? '';
    if (this.#options.isMadeAtStart(object as APIService)) this.#list(name, false);
    this.#remove(name);
  }

  onShown(): void {
    const removedNames = [...this.#remote.keys(), ...this.#local.keys()].filter((name) => !this.#shown?.has(name));
    this.#shown = undefined;
    for (const name of removedNames) this.#remove(name);
  }

  close(): void {
    for (const { backend } of this.#remote.values()) backend.retire();
    this.#remote.clear();
  }

  #put(name: string, object: APIService): void {
    const entry = this.#remote.get(name);
    const api = remoteApiOf(object);
    if (api === undefined || api.group === this.#options.ownGroup) {
      entry?.backend.retire();
      this.#remote.delete(name);
      this.#setLocal(name, object);
      return;
    }
    this.#setLocal(name, undefined);
    const isSame = entry !== undefined && JSON.stringify(entry.api) === JSON.stringify(api);
    if (!isSame) entry?.backend.retire();
    const backend = isSame ? entry.backend : new RemoteBackend(api, this.#options);
    this.#remote.set(name, { api, backend, object, isAvailable: isAvailable(object) });
  }

  #setLocal(name: string, object: APIService | undefined): void {
    if (object === undefined && !this.#local.has(name)) return;
    const next = new Map(this.#local);
    const { groupPriorityMinimum = 0, versionPriority = 0 } = object?.spec ?? {};
    if (object === undefined) next.delete(name);
    else next.set(name, { group: groupPriorityMinimum, version: versionPriority });
    this.#local = next;
  }

  #list(name: string, isListed: boolean): void {
    if (this.#unlisted.has(name) !== isListed) return;
    const next = new Set(this.#unlisted);
    if (isListed) next.delete(name);
    else next.add(name);
    this.#unlisted = next;
  }

  #remove(name: string): void {
    this.#setLocal(name, undefined);
    this.#remote.get(name)?.backend.retire();
    this.#remote.delete(name);
    this.#changes.call(name);
  }
}

const isAvailable = ({ status }: APIService): boolean =>
  (status?.conditions ?? []).some((one) => one.type === 'Available' && one.status === 'True');
