// What every API object has in common.

import { shallowCopy } from '../base/maps/with-fields.ts';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly selfLink?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly unknown[];
}

/** A decoded object of any kind. Changing one means making another. */
export interface ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The object with some metadata changed; `undefined` removes a field. The same object when nothing differs. */
export function withMeta<T extends ApiObject>(
  object: T,
  changes: { readonly [K in keyof ObjectMeta]: ObjectMeta[K] | undefined },
): T {
  const before = object.metadata as Readonly<Record<string, unknown>>;
  const after = changes as Readonly<Record<string, unknown>>;
  let metadata: Record<string, unknown> | undefined;
  let removes = false;
  for (const key in after) {
    if (before[key] === after[key]) continue;
    metadata ??= shallowCopy(before);
    metadata[key] = after[key];
    removes ||= after[key] === undefined;
  }
  if (metadata === undefined) return object;
  return withMetadata(object, removes ? withoutUndefined(metadata) : metadata);
}

/** The object with other metadata. Copied, then set: a literal that overrides a spread field takes V8 twice as long, and every write does it. */
export function withMetadata<T extends ApiObject>(object: T, metadata: ObjectMeta): T {
  const copy: { -readonly [K in keyof T]: T[K] } = { ...object };
  copy.metadata = metadata;
  return copy;
}

/** The object with one field of its metadata set; JSON leaves out undefined fields. */
export function withMetaField<T extends ApiObject, K extends keyof ObjectMeta>(
  object: T,
  field: K,
  value: ObjectMeta[K] | undefined,
): T {
  const metadata: { -readonly [F in keyof ObjectMeta]: ObjectMeta[F] | undefined } = shallowCopy(object.metadata);
  metadata[field] = value;
  return withMetadata(object, metadata as ObjectMeta);
}

/** A copy: an object that properties are deleted from is slow ever after. */
function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key in fields) if (fields[key] !== undefined) result[key] = fields[key];
  return result;
}

/** Set on an owner that waits for its dependents to go. */
export const foregroundFinalizer = 'foregroundDeletion';
/** Set on an owner whose dependents are to stay without it. */
export const orphanFinalizer = 'orphan';

/** Names one object; `namespace` is empty for cluster-scoped ones. */
export interface ObjectRef {
  readonly namespace: string;
  readonly name: string;
}

export type Labels = Readonly<Record<string, string>>;
