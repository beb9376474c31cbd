// Writes that change nothing are not stored. Times in managedFields do not count: they say when something changed.

import { isJsonObject, isSameJson } from '../base/json/json.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';

/** Whether `next` differs from `old` in nothing but when its managers are said to have written. */
export function isUntouched(old: ApiObject, next: ApiObject): boolean {
  return (
    hasSameFields(old, next, 'metadata') &&
    hasSameFields(old.metadata, next.metadata, 'managedFields') &&
    hasSameManagers(old.metadata, next.metadata)
  );
}

/** Every field but one; the first that differs, most often far from metadata, decides. */
function hasSameFields(old: object, next: object, except: string): boolean {
  const was = old as Readonly<Record<string, unknown>>;
  const is = next as Readonly<Record<string, unknown>>;
  const keys = Object.keys(is);
  if (sizeWithout(Object.keys(was), except) !== sizeWithout(keys, except)) return false;
  return keys.every((key) => key === except || isSameJson(was[key], is[key]));
}

const sizeWithout = (keys: readonly string[], except: string) => keys.length - (keys.includes(except) ? 1 : 0);

function hasSameManagers(old: ObjectMeta, next: ObjectMeta): boolean {
  const was = old.managedFields ?? [];
  const is = next.managedFields ?? [];
  if (was.length !== is.length) return false;
  const known = new Map(was.map((entry) => [identityOf(entry), entry]));
  return is.every((entry) => isSameJson(fieldsOf(known.get(identityOf(entry))), fieldsOf(entry)));
}

/** Entries are ordered by time, so they are found by name. */
function identityOf(entry: unknown): string {
  if (!isJsonObject(entry)) return '';
  const { manager, operation, apiVersion, subresource } = entry;
  return JSON.stringify([manager, operation, apiVersion, subresource]);
}

const fieldsOf = (entry: unknown): unknown => (isJsonObject(entry) ? entry['fieldsV1'] : undefined);
