// The content of one namespace: what kinds there may be, and how they are emptied.

import { mapBounded } from '../../base/maps/bounded.ts';
import { type Client, isNotFound, RequestError } from '../../client/client.ts';
import { apiPath, formatApiVersion, type GroupVersion } from '../../meta/group-version.ts';
import type { DeletionState, Remaining } from './conditions.ts';

interface Collection {
  readonly group: string;
  readonly resource: string;
  /** Below the namespace. */
  readonly path: string;
  readonly verbs: readonly string[];
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly preferredVersion: { readonly version: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

/** Kinds looked at side by side. */
const atOnce = 8;

/** All collections of a namespace that can be emptied, asked for again each time: kinds come and go. */
export async function discover(client: Client, namespace: string) {
  const failures: string[] = [];
  const { groups } = await client.get<GroupList>('/apis');
  const all = [{ group: '', version: 'v1' }, ...groups.flatMap(versionsOf)];
  const lists = await mapBounded(all, atOnce, async (groupVersion) => {
    try {
      return collectionsOf(groupVersion, await client.get<ResourceList>(apiPath(groupVersion)), namespace);
    } catch (error) {
      // a definition was deleted since: there is nothing of it left
      if (!isNotFound(error)) failures.push(discoveryFailure(groupVersion, error));
      return [];
    }
  });
  return { collections: onePerResource(lists.flat()), failures: failures.sort() };
}

/** The preferred one first: most kinds are in it, and some are not. */
function versionsOf({ name, preferredVersion, versions }: GroupList['groups'][number]): GroupVersion[] {
  const others = versions.filter(({ version }) => version !== preferredVersion.version);
  return [preferredVersion, ...others].map(({ version }) => ({ group: name, version }));
}

/** A server of another API that is not available is told of as clients of aggregated discovery do. */
function discoveryFailure(groupVersion: GroupVersion, error: unknown): string {
  const name = formatApiVersion(groupVersion);
  const isStale = error instanceof RequestError && error.code === 503;
  return `${name}: ${isStale ? `stale GroupVersion discovery: ${name}` : (error as Error).message}`;
}

function onePerResource(collections: readonly Collection[]): readonly Collection[] {
  const found = new Map<string, Collection>();
  for (const collection of collections) {
    const key = `${collection.resource}.${collection.group}`;
    if (!found.has(key)) found.set(key, collection);
  }
  return [...found.values()];
}

function collectionsOf(groupVersion: GroupVersion, { resources }: ResourceList, namespace: string): Collection[] {
  return (
    resources
      .filter(({ namespaced, verbs }) => namespaced && verbs.includes('list') && verbs.includes('delete'))
      // documents of other servers may say anything; what they say becomes part of a path
      .filter(({ name }) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i.test(name))
      .map(({ name, verbs }) => ({
        group: groupVersion.group,
        resource: name,
        path: `${apiPath(groupVersion)}/namespaces/${namespace}/${name}`,
        verbs,
      }))
  );
}

/** Empties a namespace. Pods go first, so that what guards or serves them outlives them. */
export async function emptyNamespace(client: Client, collections: readonly Collection[]) {
  const isPods = ({ group, resource }: Collection) => group === '' && resource === 'pods';
  const pods = await emptyAll(client, collections.filter(isPods));
  if (pods.remaining.length > 0 || pods.deletionFailures.length > 0) return pods;
  return emptyAll(
    client,
    collections.filter((collection) => !isPods(collection)),
  );
}

type Emptied = Pick<DeletionState, 'deletionFailures' | 'remaining'>;

async function emptyAll(client: Client, collections: readonly Collection[]): Promise<Emptied> {
  const deletionFailures: string[] = [];
  const remaining = await mapBounded(collections, atOnce, async (collection) => {
    try {
      return await empty(client, collection);
    } catch (error) {
      // the kind is no longer there, and its objects with it
      if (!isNotFound(error)) deletionFailures.push((error as Error).message);
      return undefined;
    }
  });
  return { deletionFailures, remaining: remaining.filter((left) => left !== undefined) };
}

/** What is left of a collection after everything in it was deleted; undefined for nothing. */
async function empty(client: Client, collection: Collection): Promise<Remaining | undefined> {
  const { path } = collection;
  if ((await client.list(`${path}?limit=1`)).items.length === 0) return undefined;
  await deleteAll(client, collection);
  return countRemaining(client, collection);
}

async function deleteAll(client: Client, { path, verbs }: Collection): Promise<void> {
  const options = { propagationPolicy: 'Background' };
  if (verbs.includes('deletecollection')) return client.delete(path, options);
  for await (const { items } of client.pages(path))
    await mapBounded(items, atOnce, ({ metadata }) => client.delete(`${path}/${metadata.name}`, options));
}

async function countRemaining(client: Client, { group, resource, path }: Collection): Promise<Remaining | undefined> {
  const finalizers = new Map<string, number>();
  let count = 0;
  for await (const { items } of client.pages(path)) {
    count += items.length;
    for (const { metadata } of items)
      for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  return count === 0 ? undefined : { group, resource, count, finalizers };
}
