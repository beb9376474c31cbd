// The rules of metadata that hold for every kind.

import { isJsonObject, isSameJson } from '../base/json/json.ts';
import { withFields, withoutField } from '../base/maps/with-fields.ts';
import type { DialectNames } from '../meta/dialect.ts';
import { forbiddenField, invalidValue, required } from '../meta/field-errors.ts';
import { findEach } from '../meta/find-each.ts';
import {
  type ManagerEntry,
  validateAnnotations,
  validateFinalizers,
  validateLabels,
  validateManagers,
  validateOwners,
} from '../meta/metadata-rules.ts';
import { checkPathSegment, maxNameLength, type NameCheck } from '../meta/names.ts';
import {
  type ApiObject,
  foregroundFinalizer,
  type ObjectMeta,
  orphanFinalizer,
  withMeta,
  withMetadata,
} from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import { formatTime } from '../meta/time.ts';
import { holdsGivenEmpty } from '../schema/given-empty.ts';
import { emptyStatus, hasStatusField } from '../schema/object-type.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { fieldMeansSame } from '../schema/same-meaning.ts';
import type { UpdateChecks } from '../schema/strategy.ts';

const standardFinalizers = new Set([orphanFinalizer, foregroundFinalizer]);

/** Fills in what the server owns on a new object, in the declared field order; the name is settled already. */
export function ownMetaOnCreate(
  object: ApiObject,
  owned: { readonly uid: string; readonly now: number; readonly hasGeneration: boolean },
): ApiObject {
  const given = object.metadata;
  const metadata: Record<string, unknown> = {};
  const keep = (field: keyof ObjectMeta) => {
    if (given[field] !== undefined) metadata[field] = given[field];
  };
  keep('name');
  keep('generateName');
  keep('namespace');
  metadata['uid'] = owned.uid;
  if (owned.hasGeneration) metadata['generation'] = 1;
  // compat: kinds without a generation keep the one that a client gives to a new object.
  else keep('generation');
  metadata['creationTimestamp'] = formatTime(owned.now);
  keep('labels');
  keep('annotations');
  keep('ownerReferences');
  keep('finalizers');
  keep('managedFields');
  return withMetadata(object, metadata);
}

/**
 * Keeps what a client may leave out, and what it cannot take away.
 * compat: a dry run does not come as far as the store, which takes a selfLink away
 */
export function ownMetaOnUpdate(next: ApiObject, old: ApiObject, dryRun = false): ApiObject {
  const was = old.metadata;
  const is = next.metadata;
  if (saysNothing(is, was)) return next;
  return withMeta(next, {
    selfLink: dryRun ? is.selfLink : undefined,
    resourceVersion: was.resourceVersion,
    name: is.name ?? was.name,
    namespace: is.namespace ?? was.namespace,
    uid: is.uid ?? was.uid,
    generateName: is.generateName,
    generation: was.generation,
    creationTimestamp: was.creationTimestamp ?? is.creationTimestamp,
    deletionTimestamp: was.deletionTimestamp ?? is.deletionTimestamp,
    deletionGracePeriodSeconds: is.deletionGracePeriodSeconds ?? was.deletionGracePeriodSeconds,
  });
}

/** The common case, made cheap: nothing that the server owns was left out or changed. */
function saysNothing(is: ObjectMeta, was: ObjectMeta): boolean {
  return (
    is.selfLink === undefined &&
    is.resourceVersion === was.resourceVersion &&
    is.name === was.name &&
    is.namespace === was.namespace &&
    is.uid === was.uid &&
    is.generation === was.generation &&
    is.creationTimestamp === was.creationTimestamp &&
    is.deletionTimestamp === was.deletionTimestamp &&
    is.deletionGracePeriodSeconds === was.deletionGracePeriodSeconds
  );
}

export function validateMeta(
  meta: ObjectMeta,
  definition: ResourceDefinition,
  dialect?: DialectNames,
): readonly FieldError[] {
  const { finalizers = [] } = meta;
  return [
    ...validateNames(meta, definition),
    ...validateCommon(meta, noMeta),
    ...validateFinalizers(finalizers, 'metadata.finalizers'),
    ...validateManaged(meta, noMeta),
    ...(definition.quirks?.plainFinalizers ? [] : unclearFinalizers(finalizers, dialect)),
  ];
}

function validateNames(meta: ObjectMeta, definition: ResourceDefinition): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', namespace = '', generation = 0 } = meta;
  errors.push(...validatePrefix(meta, definition.checkName));
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else {
    const found = definition.checkName(name);
    const least = found.length > 0 ? found : [...checkPathSegment(name), ...checkLength(name)];
    errors.push(...least.map((e) => invalidValue('metadata.name', name, e)));
  }
  if (definition.namespaced && namespace === '') errors.push(required('metadata.namespace'));
  if (!definition.namespaced && namespace !== '') {
    errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  }
  if (generation < 0)
    errors.push(invalidValue('metadata.generation', generation, 'must be greater than or equal to 0'));
  return errors;
}

function validatePrefix({ generateName = '' }: ObjectMeta, checkName: NameCheck): readonly FieldError[] {
  if (generateName === '') return [];
  return checkName(generateName, true).map((e) => invalidValue('metadata.generateName', generateName, e));
}

const checkLength = (name: string) =>
  name.length > maxNameLength ? [`must be no more than ${maxNameLength} characters`] : [];

const noMeta: ObjectMeta = {};

/** What is still the very part of `old` was found to be in order when that was written. */
function validateCommon(next: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const { labels, annotations, ownerReferences } = next;
  return [
    ...(labels !== undefined && labels !== old.labels ? validateLabels(labels, 'metadata.labels') : []),
    ...(annotations !== undefined && annotations !== old.annotations
      ? validateAnnotations(annotations, 'metadata.annotations')
      : []),
    ...(ownerReferences !== undefined && ownerReferences !== old.ownerReferences
      ? validateOwners(ownerReferences, 'metadata.ownerReferences')
      : []),
  ];
}

function validateManaged({ managedFields }: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  if (managedFields === undefined || managedFields === old.managedFields) return [];
  return validateManagers(managedFields as readonly ManagerEntry[], 'metadata.managedFields');
}

/** The finalizer of namespaces may stand in any object. */
function unclearFinalizers(names: readonly string[], dialect?: DialectNames): readonly FieldError[] {
  const isClear = (name: string) => name.includes('/') || standardFinalizers.has(name) || name === dialect?.vendor;
  const unclear = 'name is neither a standard finalizer name nor is it fully qualified';
  return findEach(names, (name, i) =>
    isClear(name) ? [] : [invalidValue(`metadata.finalizers[${i}]`, name, unclear)],
  );
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

// compat: validation errors about metadata are listed more than once on update, by the generic and by the kind's validation
export function validateMetaUpdate(
  next: ObjectMeta,
  old: ObjectMeta,
  checks: UpdateChecks = {},
  { quirks, checkName }: Partial<Pick<ResourceDefinition, 'quirks' | 'checkName'>> = {},
  dialect?: DialectNames,
): readonly FieldError[] {
  if (next === old) return [];
  const { meta = 1, metaChange = 1 } = checks;
  const { finalizers = [] } = next;
  const changed: FieldError[] = [];
  for (const field of immutableFields) {
    if (next[field] !== old[field]) changed.push(invalidValue(`metadata.${field}`, next[field], 'field is immutable'));
  }
  const renamed = finalizers !== old.finalizers && finalizers.length > 0;
  const common = validateCommon(next, old);
  const managed = validateManaged(next, old);
  const named = renamed ? validateFinalizers(finalizers, 'metadata.finalizers') : [];
  const unclear = renamed && !quirks?.plainFinalizers ? unclearFinalizers(finalizers, dialect) : [];
  const asNew = [...common, ...named, ...managed];
  const asChange = [...validateAddedFinalizers(next, old), ...changed, ...common, ...managed];
  const prefix = checkName === undefined ? [] : validatePrefix(next, checkName);
  const ofChange = times(metaChange, [...asChange, ...unclear]);
  const ofNew = times(meta, [...prefix, ...asNew, ...unclear]);
  return [
    ...validatePrefix(next, checkPathSegment),
    ...asNew,
    ...asChange,
    ...(checks.newFirst ? [...ofNew, ...ofChange] : [...ofChange, ...ofNew]),
  ];
}

/** The same validation errors again, as often as they were made. */
export function times(count: number, validationErrors: readonly FieldError[]): readonly FieldError[] {
  return validationErrors.length === 0 || count === 1
    ? validationErrors
    : Array.from({ length: count }, () => validationErrors).flat();
}

function validateAddedFinalizers(next: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const before = new Set(old.finalizers);
  const added = (next.finalizers ?? []).filter((name) => !before.has(name));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbiddenField('metadata.finalizers', detail)];
}

/** The generation after a change, of `part` or of all: one more when anything but metadata and the ignored fields differs. */
export function nextGeneration(
  definition: ResourceDefinition,
  { next, old, part }: { readonly next: ApiObject; readonly old: ApiObject; readonly part?: string | undefined },
): number | undefined {
  const ignored = definition.generationIgnores;
  if (ignored === undefined) return old.metadata.generation;
  const fields = new Set([...Object.keys(next), ...Object.keys(old)]);
  for (const field of ['metadata', ...ignored]) fields.delete(field);
  const follows = definition.quirks?.generationFollows;
  const changed =
    [...fields].some(
      (field) => !fieldMeansSame(definition.type, field, counted(next, field, ignored), counted(old, field, ignored)),
    ) ||
    (definition.quirks?.generationCountsEmpty === true && holdsGivenEmpty({ ...next, metadata: {} })) ||
    (follows === 'annotations' && !part && differ(next.metadata.annotations, old.metadata.annotations)) ||
    (follows === 'labels' && differ(next.metadata.labels, old.metadata.labels));
  return (old.metadata.generation ?? 0) + (changed ? 1 : 0) || undefined;
}

const differ = (next: unknown, old: unknown) => !isSameJson(next, old);

/** A field without those of its members that do not count. */
function counted(object: ApiObject, field: string, ignored: readonly string[]): unknown {
  const value = object[field];
  const members = ignored.filter((name) => name.startsWith(`${field}.`)).map((name) => name.slice(field.length + 1));
  if (members.length === 0 || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !members.includes(name)));
}

const hasStatus = ({ subresources = [] }: ResourceDefinition) => subresources.some(({ name }) => name === 'status');

/** Status is written through its subresource: a new object has none yet. */
export function withoutStatus(definition: ResourceDefinition, object: ApiObject): ApiObject {
  if (!hasStatus(definition) || !hasStatusField(definition.type)) return object;
  const status = emptyStatus(definition.type);
  const rest = withoutField<ApiObject>(object, 'status');
  return status === undefined ? rest : withFields(rest, { status });
}

/** The next object with the status that the old one has. */
export function withStatusOf(definition: ResourceDefinition, next: ApiObject, old: ApiObject): ApiObject {
  if (!hasStatus(definition)) return next;
  return withFields<ApiObject>(withoutField(next, 'status'), { status: old['status'] });
}
