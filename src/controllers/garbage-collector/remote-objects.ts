// Objects that other servers keep, for the graph of owners: each kind that can be listed, watched and deleted is followed
// through the API, as clients do. The other servers are not trusted: of an object only its metadata counts.

import { apiGroup } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ControllerContext } from '../controller.ts';
import { only, type StoredChange, type StoredResource, specOf } from '../object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../work-queue.ts';
import { RemoteFollower } from './remote-follower.ts';

interface ApiServiceParts extends ApiObject {
  readonly spec?: { readonly group?: string; readonly version?: string; readonly service?: unknown };
}

interface ListedResource {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly namespaced?: unknown;
  readonly verbs?: unknown;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** How often other servers are asked what they serve. */
const lookMs = 30_000;
/** Kinds of one group-version that are followed. */
const maxKinds = 200;
const needed = ['list', 'watch', 'delete'];
const plainName = /^[a-z0-9.-]{1,253}$/;

export class RemoteObjects {
  readonly #context: ControllerContext;
  readonly #take: (change: StoredChange) => void;
  readonly #versions = new Map<string, GroupVersion>();
  readonly #followers = new Map<string, RemoteFollower[]>();
  readonly #queue: WorkQueue;
  #timer: { cancel(): void } | undefined;

  constructor(context: ControllerContext, take: (change: StoredChange) => void) {
    this.#context = context;
    this.#take = take;
    this.#queue = context.queue({
      name: 'garbage_collector_remote_kinds',
      work: (name) => this.#lookAt(name),
    });
    context.feed.subscribe({
      wants: only(apiGroup(context.dialect, 'apiregistration'), 'apiservices'),
      onChange: ({ name, json }) => this.#onApiService(name, json),
    });
  }

  /** Kinds of other servers that are followed now. */
  byKind(apiVersion: string, kind: string): StoredResource | undefined {
    for (const followers of this.#followers.values())
      for (const { resource } of followers)
        if (resource.kind === kind && `${resource.group}/${resource.version}` === apiVersion) return resource;
    return undefined;
  }

  /** The graph was emptied: everything is told again. */
  restart(): void {
    for (const name of [...this.#followers.keys()]) this.#leave(name);
    for (const name of this.#versions.keys()) this.#queue.add(name);
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    for (const name of [...this.#followers.keys()]) this.#leave(name);
    await this.#queue.close();
  }

  #onApiService(name: string, json: Uint8Array | undefined): void {
    const spec = json && specOf<ApiServiceParts>(json);
    if (spec?.service === undefined || spec.service === null) this.#versions.delete(name);
    else this.#versions.set(name, { group: spec.group ?? '', version: spec.version ?? '' });
    if (this.#versions.has(name) || this.#followers.has(name)) this.#queue.add(name);
    this.#lookAgain();
  }

  /** What other servers serve may change without a sign. */
  #lookAgain(): void {
    if (this.#timer !== undefined || this.#versions.size === 0) return;
    this.#timer = this.#context.clock.after(lookMs, () => {
      this.#timer = undefined;
      for (const name of this.#versions.keys()) this.#queue.add(name);
      this.#lookAgain();
    });
  }

  async #lookAt(name: string): Promise<WorkOutcome> {
    const version = this.#versions.get(name);
    if (version === undefined) {
      this.#leave(name);
      return 'done';
    }
    const path = `/apis/${version.group}/${version.version}`;
    const { resources } = await this.#context.client.get<{ readonly resources?: readonly ListedResource[] }>(path);
    // it may be gone by now
    if (this.#versions.get(name) === version) this.#follow(name, followed(resources, version));
    return 'done';
  }

  #follow(name: string, resources: readonly StoredResource[]): void {
    const before = this.#followers.get(name) ?? [];
    const wanted = new Map(resources.map((resource) => [keyOf(resource), resource]));
    const kept = before.filter(({ resource }) => wanted.delete(keyOf(resource)));
    for (const follower of before) if (!kept.includes(follower)) follower.close();
    const added = [...wanted.values()].map((resource) => new RemoteFollower(this.#context, resource, this.#take));
    this.#followers.set(name, [...kept, ...added]);
  }

  #leave(name: string): void {
    for (const follower of this.#followers.get(name) ?? []) follower.close();
    this.#followers.delete(name);
  }
}

const keyOf = ({ plural, kind, namespaced }: StoredResource): string => `${plural} ${kind} ${namespaced}`;

/** Kinds that owners and dependents can be of. */
function followed(listed: unknown, { group, version }: GroupVersion): readonly StoredResource[] {
  const found = Array.isArray(listed) ? (listed as readonly ListedResource[]).slice(0, maxKinds) : [];
  return found.flatMap(({ name, kind, namespaced, verbs }) => {
    const isUsable = Array.isArray(verbs) && needed.every((verb) => verbs.includes(verb));
    if (!isUsable || typeof name !== 'string' || !plainName.test(name) || typeof kind !== 'string') return [];
    return [{ group, version, plural: name, kind, namespaced: namespaced === true }];
  });
}
