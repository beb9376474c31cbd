// The rules of metadata that hold for every kind.

import { isJsonObject, isSameJson } from '../base/json.ts';
import { forbiddenField, invalidValue, required, tooLong } from '../meta/field-errors.ts';
import { findEach } from '../meta/find-each.ts';
import { isPlainManager, validateManagerName } from '../meta/manager-name.ts';
import { checkLabelValue, checkPathSegment, checkQualifiedName, maxNameLength } from '../meta/names.ts';
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
import { emptyStatus, hasStatusField } from '../schema/object-type.ts';
import type { ResourceDefinition, UpdateChecks } from '../schema/resource.ts';

const maxAnnotationBytes = 256 * 1024;
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

/** Keeps what a client may leave out, and what it cannot take away. */
export function ownMetaOnUpdate(next: ApiObject, old: ApiObject): ApiObject {
  const was = old.metadata;
  const is = next.metadata;
  if (saysNothing(is, was)) return next;
  return withMeta(next, {
    selfLink: undefined,
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

export function validateMeta(meta: ObjectMeta, definition: ResourceDefinition): readonly FieldError[] {
  const { finalizers = [] } = meta;
  return [
    ...validateNames(meta, definition),
    ...validateCommon(meta, noMeta),
    ...validateFinalizers(finalizers),
    ...(definition.quirks?.plainFinalizers ? [] : unclearFinalizers(finalizers)),
  ];
}

function validateNames(meta: ObjectMeta, definition: ResourceDefinition): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', generateName = '', namespace = '', generation = 0 } = meta;
  if (generateName !== '') {
    const found = definition.checkName(generateName, true);
    errors.push(...found.map((e) => invalidValue('metadata.generateName', generateName, e)));
  }
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

const checkLength = (name: string) =>
  name.length > maxNameLength ? [`must be no more than ${maxNameLength} characters`] : [];

const noMeta: ObjectMeta = {};

/** What is still the very part of `old` was found to be in order when that was written. */
function validateCommon(next: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const { labels, annotations, ownerReferences, managedFields } = next;
  return [
    ...(labels !== undefined && labels !== old.labels ? validateLabels(labels) : []),
    ...(annotations !== undefined && annotations !== old.annotations ? validateAnnotations(annotations) : []),
    ...(ownerReferences !== undefined && ownerReferences !== old.ownerReferences
      ? validateOwners(ownerReferences)
      : []),
    ...(managedFields !== undefined && managedFields !== old.managedFields
      ? validateManagers(managedFields as readonly ManagerEntry[])
      : []),
  ];
}

interface ManagerEntry {
  readonly manager?: string;
  readonly subresource?: string;
}

const maxSubresourceBytes = 256;

function validateManagers(entries: readonly ManagerEntry[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) validateManager(entry, index, errors);
  return errors;
}

/** Whatever else may be wrong with an entry that a client sent, it is not taken over then. */
function validateManager({ manager = '', subresource = '' }: ManagerEntry, index: number, errors: FieldError[]): void {
  if (isPlainManager(manager) && subresource === '') return;
  const at = `metadata.managedFields[${index}]`;
  errors.push(...validateManagerName(`${at}.manager`, manager));
  if (Buffer.byteLength(subresource) > maxSubresourceBytes)
    errors.push(tooLong(`${at}.subresource`, maxSubresourceBytes));
}

export function validateLabels(labels: Readonly<Record<string, string>>): readonly FieldError[] {
  return findEach(Object.entries(labels), ([key, value]) => [
    ...checkQualifiedName(key).map((why) => invalidValue('metadata.labels', key, why)),
    ...checkLabelValue(value).map((why) => invalidValue('metadata.labels', value, why)),
  ]);
}

export function validateAnnotations(annotations: Readonly<Record<string, string>>): readonly FieldError[] {
  const malformed = findEach(Object.keys(annotations), (key) =>
    checkQualifiedName(key.toLowerCase()).map((why) => invalidValue('metadata.annotations', key, why)),
  );
  let total = 0;
  for (const key of Object.keys(annotations))
    total += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string);
  return total > maxAnnotationBytes ? [...malformed, tooLong('metadata.annotations', maxAnnotationBytes)] : malformed;
}

/** compat: what is wrong with an owner is reported without its place in the list */
function validateOwners(owners: NonNullable<ObjectMeta['ownerReferences']>): readonly FieldError[] {
  const at = 'metadata.ownerReferences';
  const errors: FieldError[] = [];
  for (const owner of owners) {
    if (!versionOf(owner.apiVersion))
      errors.push(invalidValue(`${at}.apiVersion`, owner.apiVersion, 'version must not be empty'));
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (!owner[field]) errors.push(invalidValue(`${at}.${field}`, '', 'must not be empty'));
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.push(invalidValue(at, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  const [first, ...others] = owners
    .filter(({ controller }) => controller === true)
    .map(({ kind, name }) => `${kind}/${name}`);
  const only = 'Only one reference can have Controller set to true. Found "true" in references for';
  return [...errors, ...others.map((other) => invalidValue(at, owners, `${only} ${first} and ${other}`))];
}

/** Empty where it cannot be told. */
function versionOf(apiVersion: string | undefined): string {
  const parts = (apiVersion ?? '').split('/');
  return parts.length > 2 ? '' : (parts.at(-1) as string);
}

function validateFinalizers(names: readonly string[]): readonly FieldError[] {
  const malformed = findEach(names, (name) =>
    checkQualifiedName(name).map((e) => invalidValue('metadata.finalizers', name, e)),
  );
  if (![orphanFinalizer, foregroundFinalizer].every((name) => names.includes(name))) return malformed;
  const detail = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
  return [...malformed, invalidValue('metadata.finalizers', names, detail)];
}

function unclearFinalizers(names: readonly string[]): readonly FieldError[] {
  const isClear = (name: string) => name.includes('/') || standardFinalizers.has(name);
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
  { quirks }: Pick<ResourceDefinition, 'quirks'> = {},
): readonly FieldError[] {
  if (next === old) return [];
  const { meta = 1, metaChange = 1 } = checks;
  const { finalizers = [] } = next;
  const changed: FieldError[] = [];
  for (const field of immutableFields) {
    if (next[field] !== old[field]) changed.push(invalidValue(`metadata.${field}`, next[field], 'field is immutable'));
  }
  const renamed = finalizers !== old.finalizers && finalizers.length > 0;
  return [
    ...times(1 + metaChange, [...changed, ...validateAddedFinalizers(next, old)]),
    ...times(2 + meta + metaChange, validateCommon(next, old)),
    ...(renamed ? times(1 + meta, validateFinalizers(finalizers)) : []),
    ...(renamed && !quirks?.plainFinalizers ? times(meta + metaChange, unclearFinalizers(finalizers)) : []),
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
    [...fields].some((field) => differ(counted(next, field, ignored), counted(old, field, ignored))) ||
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
  const { status: _, ...rest } = object;
  const status = emptyStatus(definition.type);
  return status === undefined ? rest : { ...rest, status };
}

/** The next object with the status that the old one has. */
export function withStatusOf(definition: ResourceDefinition, next: ApiObject, old: ApiObject): ApiObject {
  if (definition.quirks?.statusComesWith?.includes('update') || !hasStatus(definition)) return next;
  const { status: _, ...rest } = next;
  return old['status'] === undefined ? rest : { ...rest, status: old['status'] };
}
