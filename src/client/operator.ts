// What operators do in each reconcile: finalizers, owners, conditions and a status that is written again after a conflict.

import type { ApiObject, OwnerReference } from '../meta/object.ts';
import { type Client, isConflict } from './client.ts';

/** One of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export function findCondition(object: object, type: string): Condition | undefined {
  return (object as WithConditions).status?.conditions?.find((condition) => condition.type === type);
}

/** The list with this condition; `lastTransitionTime` changes only with `status`. */
export function withCondition(
  conditions: readonly Condition[] = [],
  condition: Condition,
  now = Date.now(),
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const next = { lastTransitionTime, ...condition };
  return before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
}

/** The entry of `ownerReferences` for objects that are deleted with `owner`. */
export function ownerReference({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  const { name = '', uid } = metadata;
  if (uid === undefined) throw new Error(`${kind} ${name} has no uid: take the object that the server answered`);
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Attempts of a change that other clients are faster than. */
const maxAttempts = 5;

/** Reads the object and writes a change of it; again where another client was faster. Undefined changes nothing. */
async function update(
  client: Client,
  path: string,
  target: string,
  change: (object: ApiObject) => ApiObject | undefined,
): Promise<ApiObject> {
  for (let attempt = 1; ; attempt++) {
    const object = await client.get(path);
    const changed = change(object);
    if (changed === undefined) return object;
    try {
      return await client.replace(target, changed);
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
    }
  }
}

/** Adds the finalizer to the object at `path`, if it is not being deleted; returns the object. */
export function addFinalizer(client: Client, path: string, finalizer: string): Promise<ApiObject> {
  return update(client, path, path, (object) => {
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined || finalizers.includes(finalizer)) return undefined;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
  });
}

/** Removes the finalizer; the last one of an object that is being deleted lets it be removed. */
export function removeFinalizer(client: Client, path: string, finalizer: string): Promise<ApiObject> {
  return update(client, path, path, (object) => {
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(finalizer)) return undefined;
    return { ...object, metadata: { ...object.metadata, finalizers: finalizers.filter((one) => one !== finalizer) } };
  });
}

/** Writes the status that `change` makes of the newest object. `undefined`, or an equal status, writes nothing. */
export function updateStatus<S extends object>(
  client: Client,
  path: string,
  change: (status: Partial<S>, object: ApiObject) => S | undefined,
): Promise<ApiObject> {
  return update(client, path, `${path}/status`, (object) => {
    const before = (object['status'] ?? {}) as Partial<S>;
    const status = change(before, object);
    if (status === undefined || JSON.stringify(status) === JSON.stringify(before)) return undefined;
    return { ...object, status };
  });
}
