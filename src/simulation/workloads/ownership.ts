// Owners and what they control: references, adoption of orphans, release of objects that are no longer selected.

import { type Client, isNotFound } from '../../client/client.ts';
import type { WorkQueue } from '../../controllers/work-queue.ts';
import type { ApiObject, Labels, OwnerReference } from '../../meta/object.ts';
import type { ObjectCache } from '../object-cache.ts';

/** A kind whose objects control others. */
export interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
}

/** `/apis/apps/v1/namespaces/default/replicasets/web`. */
export function pathOfOwner({ apiVersion, plural }: OwnerKind, { metadata }: ApiObject): string {
  return `${collectionPath(apiVersion, metadata.namespace ?? '', plural)}/${metadata.name}`;
}

export function collectionPath(apiVersion: string, namespace: string, plural: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === '' ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

export function controllerReference({ apiVersion, kind }: OwnerKind, { metadata }: ApiObject): OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export const isControlledBy = (object: ApiObject, owner: ApiObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid;

interface ClaimPlan<T> {
  /** Objects that the owner controls, and that it selects. */
  readonly owned: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
}

/** An owner that is being deleted neither adopts nor releases. */
export function planClaims<T extends ApiObject>(
  owner: ApiObject,
  isSelected: (labels?: Labels) => boolean,
  candidates: Iterable<T>,
): ClaimPlan<T> {
  const plan = { owned: [] as T[], adopted: [] as T[], released: [] as T[] };
  const isDeleted = owner.metadata.deletionTimestamp !== undefined;
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = isSelected(object.metadata.labels);
    if (controller !== undefined && controller.uid !== owner.metadata.uid) continue;
    if (controller !== undefined && matches) plan.owned.push(object);
    else if (isDeleted) continue;
    else if (controller !== undefined) plan.released.push(object);
    else if (matches && object.metadata.deletionTimestamp === undefined) plan.adopted.push(object);
  }
  return plan;
}

interface ClaimParts {
  readonly client: Client;
  readonly ownerKind: OwnerKind;
  /** Path of the collection of the claimed objects. */
  readonly collection: string;
  /** What adopted objects get besides a controller, and released ones lose. */
  readonly finalizer?: string;
}

/** The objects that the owner controls once the plan is carried out. */
export async function claim<T extends ApiObject>(
  { client, ownerKind, collection, finalizer }: ClaimParts,
  owner: ApiObject,
  plan: ClaimPlan<T>,
): Promise<readonly T[]> {
  const adopted: T[] = [];
  const canAdopt = plan.adopted.length > 0 && (await isStillThere(client, pathOfOwner(ownerKind, owner), owner));
  for (const object of canAdopt ? plan.adopted : []) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(ownerKind, owner)];
    if (await patchOwners(client, collection, object, { ownerReferences, ...withFinalizer(object, finalizer) }))
      adopted.push(object);
  }
  for (const object of plan.released) {
    const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
    await patchOwners(client, collection, object, { ownerReferences, ...withoutFinalizer(object, finalizer) });
  }
  return [...plan.owned, ...adopted];
}

/** Read from the server and not from a cache: an owner that is being deleted adopts nothing. */
async function isStillThere(client: Client, path: string, { metadata }: ApiObject): Promise<boolean> {
  const current = await client.find(path);
  return current?.metadata.uid === metadata.uid && current?.metadata.deletionTimestamp === undefined;
}

const withFinalizer = ({ metadata: { finalizers = [] } }: ApiObject, finalizer: string | undefined): object =>
  finalizer === undefined || finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] };

const withoutFinalizer = ({ metadata: { finalizers = [] } }: ApiObject, finalizer: string | undefined): object =>
  finalizer === undefined ? {} : { finalizers: finalizers.filter((one) => one !== finalizer) };

async function patchOwners(client: Client, collection: string, { metadata }: ApiObject, change: object) {
  const { name, uid, resourceVersion } = metadata;
  try {
    await client.merge(`${collection}/${name}`, { metadata: { uid, resourceVersion, ...change } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

interface OwnerWatch<Owner extends ApiObject, T extends ApiObject> {
  readonly queue: WorkQueue;
  readonly owners: ObjectCache<Owner>;
  readonly kind: string;
  readonly dependents: ObjectCache<T>;
  /** Whether an owner would adopt an orphan with these labels; without it there is no adoption. */
  selects?(owner: Owner, labels: Labels | undefined): boolean;
}

/** Queues the owners of what changes: before and after the change, and for an orphan all that select it. */
export function watchDependents<Owner extends ApiObject, T extends ApiObject>(watch: OwnerWatch<Owner, T>): void {
  const { queue, owners, kind, dependents, selects } = watch;
  const queueOwner = (object: T | undefined) => {
    const reference = object && controllerOf(object);
    if (object === undefined || reference?.kind !== kind) return;
    const key = `${object.metadata.namespace}/${reference.name}`;
    if (owners.get(key)?.metadata.uid === reference.uid) queue.add(key);
  };
  dependents.subscribe({
    onChange(current, previous) {
      queueOwner(previous);
      queueOwner(current);
      if (selects === undefined || current === undefined || controllerOf(current) !== undefined) return;
      const { namespace = '', labels } = current.metadata;
      for (const owner of owners.inNamespace(namespace))
        if (selects(owner, labels)) queue.add(`${namespace}/${owner.metadata.name}`);
    },
  });
}

/** Queues what changes in a cache, and everything once it is complete. */
export function watchOwners<T extends ApiObject>(queue: WorkQueue, owners: ObjectCache<T>): void {
  const keyed = ({ metadata: { namespace, name } }: T) => `${namespace}/${name}`;
  owners.subscribe({
    onChange(current, previous) {
      const object = current ?? previous;
      if (object !== undefined) queue.add(keyed(object));
    },
    onSynced() {
      for (const object of owners.all()) queue.add(keyed(object));
    },
  });
}
