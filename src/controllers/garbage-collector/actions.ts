// What the collector does to objects. Every change names the version it was decided on.

import { type Client, isConflict, isNotFound } from '../../client/client.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import type { Dependent } from './graph.ts';

/** Whether it was done, or another client was faster and it has to be decided again. */
type Done = 'done' | 'again';

async function attempt(work: () => Promise<void>): Promise<Done> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (isNotFound(error)) return 'done';
    if (isConflict(error)) return 'again';
    throw error;
  }
}

export function deleteDependent(
  client: Client,
  { path, uid, revision }: Dependent,
  propagationPolicy: Dependent['policy'],
): Promise<Done> {
  // other servers may have versions that are no numbers
  const preconditions = { uid, ...(Number.isNaN(revision) ? {} : { resourceVersion: String(revision) }) };
  return attempt(() => client.delete(path, { propagationPolicy, preconditions }));
}

/** Changes the owners that an object names; nothing is written when that changes nothing. */
export function changeOwners(
  client: Client,
  { path, uid }: Pick<Dependent, 'path' | 'uid'>,
  change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
): Promise<Done> {
  return attempt(async () => {
    const { metadata } = await client.get<ApiObject>(path);
    const { ownerReferences = [], resourceVersion } = metadata;
    if (metadata.uid !== uid) return;
    const next = change(ownerReferences);
    if (next.length === ownerReferences.length && next.every((owner, index) => owner === ownerReferences[index]))
      return;
    await client.merge(path, { metadata: { uid, resourceVersion, ownerReferences: next.length === 0 ? null : next } });
  });
}

export const withoutOwners =
  (uids: ReadonlySet<string>) =>
  (owners: readonly OwnerReference[]): readonly OwnerReference[] =>
    owners.filter((owner) => !uids.has(owner.uid));

/** References that keep no owner waiting. */
export function unblocked(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  return owners.map((owner) => (owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner));
}

/** Takes a finalizer from an object that is being deleted. */
export function removeFinalizer(client: Client, path: string, uid: string, finalizer: string): Promise<Done> {
  return attempt(async () => {
    const { metadata } = await client.get<ApiObject>(path);
    const { finalizers = [], resourceVersion, deletionTimestamp } = metadata;
    if (metadata.uid !== uid || deletionTimestamp === undefined || !finalizers.includes(finalizer)) return;
    const left = finalizers.filter((name) => name !== finalizer);
    await client.merge(path, { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left } });
  });
}
