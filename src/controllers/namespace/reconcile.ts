// What is to be done about one namespace that is being deleted: empty it, then let it go.

import { type Client, isConflict, isNotFound } from '../../client/client.ts';
import type { Namespace } from '../../groups/core/v1/namespace.ts';
import { apiPath } from '../../meta/group-version.ts';

/** `again` while something in the namespace is still there. */
export async function reconcileNamespace(client: Client, name: string, finalizer: string): Promise<'done' | 'again'> {
  const path = `/api/v1/namespaces/${name}`;
  const namespace = await findNamespace(client, path);
  if (namespace?.metadata.deletionTimestamp === undefined) return 'done';
  const finalizers = namespace.spec?.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return 'done';
  if (!(await emptyNamespace(client, name))) return 'again';
  const spec = { finalizers: finalizers.filter((other) => other !== finalizer) };
  try {
    await client.replace(`${path}/finalize`, { ...namespace, spec });
  } catch (error) {
    if (isConflict(error)) return 'again';
    if (!isNotFound(error)) throw error;
  }
  return 'done';
}

async function findNamespace(client: Client, path: string): Promise<Namespace | undefined> {
  try {
    return await client.get<Namespace>(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Deletes all content; true when none is left. */
async function emptyNamespace(client: Client, name: string): Promise<boolean> {
  let empty = true;
  for (const collection of await namespacedCollections(client, name)) {
    await client.delete(collection);
    // finalizers may hold what was deleted
    if ((await client.list(`${collection}?limit=1`)).items.length > 0) empty = false;
  }
  return empty;
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly version: string } }[];
}

/** Paths of all collections that can be emptied, asked for anew each time: kinds come and go. */
async function namespacedCollections(client: Client, name: string): Promise<string[]> {
  const { groups } = await client.get<GroupList>('/apis');
  const preferred = groups.map((group) => ({ group: group.name, version: group.preferredVersion.version }));
  const bases = [{ group: '', version: 'v1' }, ...preferred].map(apiPath);
  const lists = await Promise.all(bases.map((base) => client.get<ResourceList>(base)));
  return lists.flatMap(({ resources }, index) =>
    resources
      .filter(({ namespaced, verbs }) => namespaced && verbs.includes('deletecollection') && verbs.includes('list'))
      .map((resource) => `${bases[index]}/namespaces/${name}/${resource.name}`),
  );
}
