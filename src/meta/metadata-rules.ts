// The rules of the parts of metadata, wherever an object stands: by itself, or inside another one.

import { invalidValue, tooLong } from './field-errors.ts';
import { findEach } from './find-each.ts';
import { isPlainManager, validateManagerName } from './manager-name.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';
import { foregroundFinalizer, type OwnerReference, orphanFinalizer } from './object.ts';
import type { FieldError } from './status.ts';

type Texts = Readonly<Record<string, string>>;

export const maxAnnotationBytes = 256 * 1024;

export interface ManagerEntry {
  readonly operation?: string;
  readonly fieldsType?: string;
  readonly manager?: string;
  readonly subresource?: string;
}

const maxSubresourceBytes = 256;

export function validateManagers(entries: readonly ManagerEntry[], at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) validateManager(entry, `${at}[${index}]`, errors);
  return errors;
}

/** All that may be wrong with an entry, for those that are kept as they were sent. */
export function validateGivenManagers(entries: readonly ManagerEntry[], at: string): readonly FieldError[] {
  return entries.flatMap((entry, index) => {
    const { operation = '', fieldsType = '' } = entry;
    const place = `${at}[${index}]`;
    const errors: FieldError[] = [];
    if (operation !== 'Apply' && operation !== 'Update')
      errors.push(invalidValue(`${place}.operation`, operation, 'must be `Apply` or `Update`'));
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      errors.push(invalidValue(`${place}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    validateManager(entry, place, errors);
    return errors;
  });
}

/** What else may be wrong with an entry of the object itself is looked at when its owners are worked out. */
function validateManager({ manager = '', subresource = '' }: ManagerEntry, at: string, errors: FieldError[]): void {
  if (isPlainManager(manager) && subresource === '') return;
  errors.push(...validateManagerName(`${at}.manager`, manager));
  if (Buffer.byteLength(subresource) > maxSubresourceBytes)
    errors.push(tooLong(`${at}.subresource`, maxSubresourceBytes));
}

/** By keys: of a large map V8 takes three times as long to list entries. */
export const validateLabels = (labels: Texts, at: string): readonly FieldError[] =>
  findEach(Object.keys(labels), (key) => validateLabel(key, labels[key] as string, at));

function validateLabel(key: string, value: string, at: string): readonly FieldError[] {
  const ofKey = checkQualifiedName(key);
  const ofValue = checkLabelValue(value);
  if (ofKey.length === 0 && ofValue.length === 0) return [];
  return [...ofKey.map((why) => invalidValue(at, key, why)), ...ofValue.map((why) => invalidValue(at, value, why))];
}

export function validateAnnotations(annotations: Texts, at: string): readonly FieldError[] {
  const keys = Object.keys(annotations);
  const malformed = findEach(keys, (key) =>
    checkQualifiedName(key.toLowerCase()).map((why) => invalidValue(at, key, why)),
  );
  let total = 0;
  for (const key of keys) {
    total += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string);
  }
  return total > maxAnnotationBytes ? [...malformed, tooLong(at, maxAnnotationBytes)] : malformed;
}

/** compat: what is wrong with an owner is reported without its place in the list */
export function validateOwners(owners: readonly OwnerReference[], at: string): readonly FieldError[] {
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

/** Empty if it is unknown. */
function versionOf(apiVersion: string | undefined): string {
  const parts = (apiVersion ?? '').split('/');
  return parts.length > 2 ? '' : (parts.at(-1) as string);
}

export function validateFinalizers(names: readonly string[], at: string): readonly FieldError[] {
  const malformed = findEach(names, (name) => checkQualifiedName(name).map((e) => invalidValue(at, name, e)));
  if (![orphanFinalizer, foregroundFinalizer].every((name) => names.includes(name))) return malformed;
  const detail = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
  return [...malformed, invalidValue(at, names, detail)];
}
