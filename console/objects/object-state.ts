// An object as the console holds it, and how it is changed.

import { call, getJson, RequestFailure, type StatusCause } from '../api.ts';
import { type Kind, objectPath } from '../discovery.ts';
import { type EditPlan, mergeParts, ownedPart, removalPatch, withoutField } from './edit-plan.ts';
import type { ManagedFields } from './field-owners.ts';
import type { Schema } from './schema.ts';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: readonly ManagedFields[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const manager = 'keelson-console';

/** What users edit: who manages fields stands in the gutter instead. */
export function editable(object: ApiObject): Record<string, unknown> {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export interface Change {
  readonly kind: Kind;
  readonly object: ApiObject;
  readonly edited: Record<string, unknown>;
  readonly plan: EditPlan;
  readonly schema: Schema | undefined;
}

export interface Conflict {
  readonly field: string;
  readonly message: string;
}

export class Conflicts extends Error {
  readonly list: readonly Conflict[];

  constructor(list: readonly Conflict[]) {
    super('Other managers own these fields.');
    this.list = list;
  }
}

/** How the user decided about each conflict: true takes the field over, false leaves it as it is. */
export type Decisions = ReadonlyMap<string, boolean>;

/** Sends a change, or asks what it would do; gives the object after it. */
export async function send(change: Change, decisions: Decisions, isDryRun: boolean): Promise<ApiObject> {
  const { kind, object, plan } = change;
  const path = objectPath(kind, object.metadata.namespace ?? '', object.metadata.name);
  const query = new URLSearchParams({ fieldManager: manager, fieldValidation: 'Strict' });
  if (isDryRun) query.set('dryRun', 'All');
  let result = object;
  if (plan.removed.length > 0) {
    const body = JSON.stringify(removalPatch(plan.removed, object.metadata.resourceVersion ?? ''));
    const contentType = 'application/json-patch+json';
    result = await getJson<ApiObject>(`${path}?${query}`, { method: 'PATCH', contentType, body });
  }
  if (plan.applied === undefined) return result;
  if ([...decisions.values()].includes(true)) query.set('force', 'true');
  const body = JSON.stringify(applyBody(change, decisions));
  const contentType = 'application/apply-patch+yaml';
  try {
    const answer = await call(`${path}?${query}`, { method: 'PATCH', contentType, body });
    return (await answer.json()) as ApiObject;
  } catch (error) {
    throw conflictsIn(error) ?? error;
  }
}

function applyBody({ object, edited, plan, schema }: Change, decisions: Decisions): object {
  const own = object.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && entry.subresource === undefined,
  );
  const before = own?.fieldsV1 === undefined ? {} : ownedPart(edited, own.fieldsV1);
  let fields = mergeParts(before, plan.applied, schema) as Record<string, unknown>;
  for (const [field, takesOver] of decisions) if (!takesOver) fields = withoutField(fields, field);
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid } = metadata;
  const given = fields['metadata'] as object | undefined;
  return {
    ...fields,
    apiVersion,
    kind,
    metadata: { ...given, name, ...(namespace === undefined ? {} : { namespace }), uid },
  };
}

function conflictsIn(error: unknown): Conflicts | undefined {
  if (!(error instanceof RequestFailure) || error.status !== 409) return undefined;
  const causes: readonly StatusCause[] = error.body.details?.causes ?? [];
  const list = causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({ field, message }));
  return list.length === 0 ? undefined : new Conflicts(list);
}
