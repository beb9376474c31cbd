// A client whose resources are known by name and by type: `client.pods('default').get('web')`.

import type { Client, WatchEvent } from '../client/client.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import { checkGiven, number, text } from './given-options.ts';
import type { ClusterKinds, NamespacedKinds } from './kinds/built-in-kinds.ts';

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const listTypes = { labelSelector: text, fieldSelector: text } satisfies Record<keyof ListOptions, unknown>;
const deleteTypes = { gracePeriodSeconds: number };

export interface TypedWatchEvent<T> {
  /** `ERROR` comes last, with a Status as its object. */
  readonly type: Exclude<WatchEvent['type'], 'BOOKMARK'>;
  readonly object: T;
}

/** An object, or a part of one, to any depth. */
export type Change<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Change<T[K]> | null }
    : T;

/** The objects of one resource, in one namespace or in all. Every method throws a RequestError for an answer that is no success. */
export class ResourceClient<T> {
  readonly #client: Client;
  readonly #path: string;
  readonly #type: { readonly apiVersion: string; readonly kind: string };

  constructor(client: Client, path: string, type: { readonly apiVersion: string; readonly kind: string }) {
    this.#client = client;
    this.#path = path;
    this.#type = type;
  }

  async get(name: string): Promise<T> {
    return this.#client.get<T>(this.#of(name));
  }

  /** Undefined where there is no such object. */
  async find(name: string): Promise<T | undefined> {
    return this.#client.find<T>(this.#of(name));
  }

  async list(options: ListOptions = {}): Promise<readonly T[]> {
    checkGiven('options', options, listTypes);
    const { items } = await this.#client.get<{ items: readonly T[] }>(`${this.#path}${queryOf(options)}`);
    return items;
  }

  /** `apiVersion` and `kind` may be left out. */
  async create(object: T): Promise<T> {
    return (await this.#client.create(this.#path, { ...this.#type, ...object })) as T;
  }

  /** Puts an object in the place of the one with its name. */
  async replace(object: T): Promise<T> {
    return (await this.#client.replace(this.#of(nameOf(object)), { ...this.#type, ...object })) as T;
  }

  /** Puts the status of an object in the place of the one it has. */
  async replaceStatus(object: T): Promise<T> {
    const path = `${this.#of(nameOf(object))}/status`;
    return (await this.#client.replace(path, { ...this.#type, ...object })) as T;
  }

  /** A merge patch: fields of `change` replace those of the object, null removes them. */
  async merge(name: string, change: Change<T>): Promise<void> {
    await this.#client.merge(this.#of(name), change as object);
  }

  async mergeStatus(name: string, change: Change<T>): Promise<void> {
    await this.#client.merge(`${this.#of(name)}/status`, change as object);
  }

  /** Server-side apply; takes over fields of other managers. */
  async apply(object: T, fieldManager = 'keelson-testing'): Promise<void> {
    const path = this.#of(nameOf(object));
    await this.#client.apply(path, { ...this.#type, ...object }, fieldManager, { force: true });
  }

  async delete(name: string, options?: { readonly gracePeriodSeconds?: number }): Promise<void> {
    if (options !== undefined) checkGiven('options', options, deleteTypes);
    await this.#client.delete(this.#of(name), options);
  }

  /** What happens after a version, `0` for what there is now first, until the signal is aborted or the server ends it. */
  async *watch(resourceVersion: string, signal: AbortSignal): AsyncIterable<TypedWatchEvent<T>> {
    for await (const { type, object } of this.#client.watch(this.#path, resourceVersion, signal))
      if (type !== 'BOOKMARK') yield { type, object: object as unknown as T };
  }

  #of(name: string): string {
    return `${this.#path}/${encodeURIComponent(name)}`;
  }
}

const nameOf = (object: unknown) => (object as { metadata?: { name?: string } }).metadata?.name ?? '';

function queryOf(options: ListOptions): string {
  const query = new URLSearchParams(Object.entries(options)).toString();
  return query === '' ? '' : `?${query}`;
}

/** The type of the objects of a built-in resource: `KindOf<'pods'>`. */
export type KindOf<P extends keyof NamespacedKinds | keyof ClusterKinds> = (NamespacedKinds & ClusterKinds)[P];

type NamespacedResources = {
  /** In a namespace, or in all of them where none is named. */
  readonly [P in keyof NamespacedKinds]: (namespace?: string) => ResourceClient<NamespacedKinds[P]>;
};
type ClusterResources = { readonly [P in keyof ClusterKinds]: () => ResourceClient<ClusterKinds[P]> };

export interface TypedClient extends NamespacedResources, ClusterResources {
  /** Requests by path. */
  readonly raw: Client;
  /** Objects of any resource, such as a custom one: `resource<Widget>('example.com/v1', 'widgets', 'default')`. */
  resource<T = Readonly<Record<string, unknown>>>(
    apiVersion: string,
    plural: string,
    namespace?: string,
  ): ResourceClient<T>;
}

/** The served group-versions, the preferred version of a group first. */
type Served = () => readonly GroupVersionDefinition[];

export function typedClient(raw: Client, served: Served): TypedClient {
  const resource = (apiVersion: string, plural: string, namespace = '') => {
    const version = served().find((one) => formatApiVersion(one) === apiVersion);
    const definition = version?.resources.find((one) => one.plural === plural);
    return new ResourceClient(raw, collectionPath(apiVersion, plural, namespace), {
      apiVersion,
      kind: definition?.kind ?? '',
    });
  };
  const ownMembers: Readonly<Record<string, unknown>> = { raw, resource };
  const builtIn = (plural: string) => {
    const servedGroup = served().find(({ resources }) => resources.some((one) => one.plural === plural));
    return servedGroup === undefined
      ? undefined
      : (namespace?: string) => resource(formatApiVersion(servedGroup), plural, namespace);
  };
  return new Proxy(ownMembers, {
    get: (target, name) => (typeof name !== 'string' ? undefined : (target[name] ?? builtIn(name))),
    // the compiler knows every name that is found this way
  }) as unknown as TypedClient;
}

function collectionPath(apiVersion: string, plural: string, namespace: string): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === '' ? `${base}/${plural}` : `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

/** Where an object of a served kind is; undefined where its kind is not served. */
export function objectPath(
  served: readonly GroupVersionDefinition[],
  { apiVersion, kind, metadata: { namespace = 'default', name = '' } }: Identified,
): { readonly collection: string; readonly object: string } | undefined {
  const definition = served
    .find((one) => formatApiVersion(one) === apiVersion)
    ?.resources.find((one: ResourceDefinition) => one.kind === kind);
  if (definition === undefined) return undefined;
  const collection = collectionPath(apiVersion, definition.plural, definition.namespaced ? namespace : '');
  return { collection, object: `${collection}/${encodeURIComponent(name)}` };
}

export interface Identified {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name?: string; readonly generateName?: string };
}
