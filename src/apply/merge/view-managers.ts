// A subresource may show one field of an object as an object of another kind, as a scale shows replicas. Who owns that
// field owns the one of the view, and back.

import { difference, emptySet, type FieldSet, intersection, isEmpty, leaf } from '../fields/field-set.ts';
import { isSameManager, type Manager, type ManagerName, ownerOf, readManagers, writeManagers } from './managers.ts';

/** Where the field stands in the view, and in the versions of its parent. */
export interface ViewField {
  readonly apiVersion: string;
  readonly fields: FieldSet;
  /** The version of the parent that is written. */
  readonly parentVersion: string;
  /** Empty in a version without the view, undefined for one that is gone. */
  fieldsIn(parentVersion: string): FieldSet | undefined;
}

/** The field at a path of names. */
export const fieldAt = (path: readonly string[]): FieldSet =>
  path.reduceRight<FieldSet>((inner, name) => ({ [`f:${name}`]: inner }), leaf);

const owns = ({ fields }: Manager, wanted: FieldSet = emptySet): boolean => !isEmpty(intersection(fields, wanted));

type ManagedFields = readonly unknown[] | undefined;

/**
 * managedFields of the view.
 * compat: what is written through a view is recorded where a manager owns it already
 */
export function viewManagers(parent: ManagedFields, { apiVersion, fields, fieldsIn }: ViewField): ManagedFields {
  const owners = (readManagers(parent) ?? []).filter((entry) => owns(entry, fieldsIn(entry.apiVersion)));
  return writeManagers(owners.map((entry) => ownerOf({ ...nameOf(entry), apiVersion }, entry.time, fields)));
}

/**
 * managedFields of the parent, after those of the view have changed.
 * compat: what is written through another kind, such as a scale, is recorded without a time
 */
export function parentManagers(
  { parent, view }: { readonly parent: ManagedFields; readonly view: ManagedFields },
  field: ViewField,
): ManagedFields {
  const { fields, parentVersion, fieldsIn } = field;
  const result: Manager[] = [];
  const changed = new Set(readManagers(view) ?? []);
  for (const entry of readManagers(parent) ?? []) {
    const shown = fieldsIn(entry.apiVersion);
    if (shown === undefined) continue;
    // who updates does so in a version, and is not the same manager in that of the view
    const same = [...changed].find((one) => isSameManager(one, entry));
    if (same !== undefined && owns(entry, shown)) changed.delete(same);
    if (same !== undefined || !owns(entry, shown)) result.push(entry);
    else result.push(ownerOf(entry, entry.time, difference(entry.fields, shown)));
  }
  const taken = fieldsIn(parentVersion) ?? emptySet;
  for (const entry of changed)
    if (owns(entry, fields)) result.push(ownerOf({ ...nameOf(entry), apiVersion: parentVersion }, undefined, taken));
  return writeManagers(result, parent);
}

const nameOf = ({ manager, operation, apiVersion, subresource }: Manager): ManagerName => ({
  ...{ manager, operation, apiVersion, subresource },
});
