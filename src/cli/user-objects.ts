// Which objects of a server were made by its users, and which by the server itself.

import type { Connection } from '../client/connect.ts';
import { automanagedLabel, type Dialect, labelKey } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';

/** By resource, such as `deployments.apps`. */
export type Counts = Readonly<Record<string, number>>;

type Metadata = ApiObject['metadata'];

/** Kinds of which the server makes objects, with the names or other marks of those. */
const ownKinds: Readonly<Record<string, (metadata: Metadata) => boolean>> = {
  'apiservices.apiregistration': () => false,
  'clusterroles.rbac.authorization': () => false,
  'clusterrolebindings.rbac.authorization': () => false,
  'roles.rbac.authorization': () => false,
  'rolebindings.rbac.authorization': () => false,
  'flowschemas.flowcontrol.apiserver': isUpdatedByServer,
  'prioritylevelconfigurations.flowcontrol.apiserver': isUpdatedByServer,
  'priorityclasses.scheduling': ({ name }) => name?.startsWith('system-') === true,
  'servicecidrs.networking': ({ name }) => name === 'kubernetes',
  'ipaddresses.networking': () => true,
  'leases.coordination': () => false,
  'endpointslices.discovery': ({ name }) => name === 'kubernetes',
  'events.events': () => true,
  namespaces: ({ name }) => name === 'default',
  configmaps: ({ name }) => name?.endsWith('-root-ca.crt') === true,
  serviceaccounts: ({ name }) => name === 'default',
  services: ({ name }) => name === 'kubernetes',
  endpoints: ({ name }) => name === 'kubernetes',
  events: () => true,
};

function isUpdatedByServer({ annotations = {} }: Metadata): boolean {
  return Object.keys(annotations).some((key) => key.endsWith('/autoupdate-spec'));
}

/** Without the domain of the dialect: `roles.rbac.authorization.k8s.io` is `roles.rbac.authorization`. */
function ownMark(resource: string, { apiDomain }: Dialect): ((metadata: Metadata) => boolean) | undefined {
  const suffix = `.${apiDomain}`;
  const name = resource.endsWith(suffix) ? resource.slice(0, -suffix.length) : resource;
  return Object.hasOwn(ownKinds, name) ? ownKinds[name] : undefined;
}

function isInSystemNamespace(namespace: string | undefined, { systemNamespace, publicNamespace }: Dialect): boolean {
  return namespace === systemNamespace || namespace === publicNamespace || namespace?.endsWith('-node-lease') === true;
}

/** Objects that are read to find those of users; kinds with more are counted as users' objects. */
const maxRead = 2000;

export class UserObjects {
  readonly #connection: Connection;
  readonly #dialect: Dialect;
  #groups: ReadonlyMap<string, string> | undefined;

  constructor(connection: Connection, dialect: Dialect) {
    this.#connection = connection;
    this.#dialect = dialect;
  }

  /** Those among all objects. */
  async among(objects: Counts): Promise<Counts> {
    const users: Record<string, number> = {};
    for (const [resource, count] of Object.entries(objects)) {
      const isMixed = ownMark(resource, this.#dialect) !== undefined && count <= maxRead;
      const made = isMixed ? await this.#countOfUsers(resource, '') : count;
      if (made > 0) users[resource] = made;
    }
    return users;
  }

  /** Objects of users in one namespace. Throws where there is no such namespace. */
  async inNamespace(namespace: string, objects: Counts): Promise<Counts> {
    await this.#connection.client.get(`/api/v1/namespaces/${encodeURIComponent(namespace)}`);
    const users: Record<string, number> = {};
    const namespaced = await this.#namespacedOf(Object.keys(objects));
    for (const resource of namespaced) {
      const isMixed = ownMark(resource, this.#dialect) !== undefined;
      const count = isMixed ? await this.#countOfUsers(resource, namespace) : await this.#countAll(resource, namespace);
      if (count > 0) users[resource] = count;
    }
    return users;
  }

  async #countAll(resource: string, namespace: string): Promise<number> {
    const { items, metadata } = await this.#connection.client.list(
      `${await this.#pathOf(resource, namespace)}?limit=1`,
    );
    return items.length + (metadata.remainingItemCount ?? 0);
  }

  async #countOfUsers(resource: string, namespace: string): Promise<number> {
    const isOwn = ownMark(resource, this.#dialect) ?? (() => false);
    let count = 0;
    for await (const { items } of this.#connection.client.pages(await this.#pathOf(resource, namespace)))
      count += items.filter(({ metadata }) => !isOwn(metadata) && !this.#isMarked(resource, metadata)).length;
    return count;
  }

  #isMarked(resource: string, { namespace, name, labels = {} }: Metadata): boolean {
    const placed = resource === 'namespaces' ? name : namespace;
    if (isInSystemNamespace(placed, this.#dialect)) return true;
    return [labelKey(this.#dialect, 'bootstrapping'), automanagedLabel(this.#dialect)].some((key) => key in labels);
  }

  async #namespacedOf(resources: readonly string[]): Promise<readonly string[]> {
    const lists = new Map<string, Promise<ResourceList>>();
    const all: string[] = [];
    for (const resource of resources) {
      const { plural, path } = await this.#placeOf(resource);
      if (path === undefined) continue;
      const list = lists.get(path) ?? this.#connection.client.get<ResourceList>(path);
      lists.set(path, list);
      if ((await list).resources.some(({ name, namespaced }) => name === plural && namespaced)) all.push(resource);
    }
    return all;
  }

  async #pathOf(resource: string, namespace: string): Promise<string> {
    const { plural, path } = await this.#placeOf(resource);
    return namespace === '' ? `${path}/${plural}` : `${path}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  }

  /** Without a path where the group is no longer served. */
  async #placeOf(resource: string): Promise<{ readonly plural: string; readonly path: string | undefined }> {
    const [plural = '', ...rest] = resource.split('.');
    if (rest.length === 0) return { plural, path: '/api/v1' };
    this.#groups ??= await this.#readGroups();
    const version = this.#groups.get(rest.join('.'));
    return { plural, path: version === undefined ? undefined : `/apis/${version}` };
  }

  async #readGroups(): Promise<ReadonlyMap<string, string>> {
    const { groups } = await this.#connection.client.get<GroupList>('/apis');
    return new Map(groups.map(({ name, preferredVersion }) => [name, preferredVersion.groupVersion]));
  }
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly groupVersion: string } }[];
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly namespaced: boolean }[];
}
