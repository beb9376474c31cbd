// What ConfigMap and Secret share: size limits and immutability of their data.

import { isSameJson } from '../../../base/json/json.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';

/** 1 MiB for all values together. */
export const maxDataBytes = 1024 * 1024;

/** Bytes of all values; a value that was given as null has none. */
export function sizeOf(data: Readonly<Record<string, string | null>>, encoding: 'utf8' | 'base64' = 'utf8'): number {
  let total = 0;
  for (const key in data) total += Buffer.byteLength(data[key] ?? '', encoding);
  return total;
}

/** What an update of an object marked immutable may not do. */
export function immutableErrors(
  next: ApiObject,
  old: ApiObject,
  fields: readonly string[],
  forbid: (field: string, detail: string) => FieldError,
): readonly FieldError[] {
  if (old['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !isSameJson(next[field], old[field]));
  return [...(next['immutable'] === true ? [] : ['immutable']), ...changed].map((field) => forbid(field, detail));
}
