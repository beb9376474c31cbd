// Columns that many tables share.

import type { ApiObject, ObjectMeta } from '../meta/object.ts';
import { formatAge } from '../meta/time.ts';
import type { Column } from '../schema/resource.ts';

/** A column of text; `wide` ones are shown on request only. */
export function textColumn(
  name: string,
  about: string,
  cell: (object: ApiObject, now: number) => unknown,
  wide?: 'wide',
): Column {
  return column('string', name, about, cell, wide);
}

export function numberColumn(name: string, about: string, cell: (object: ApiObject) => number): Column {
  return column('integer', name, about, cell);
}

export function column(
  type: Column['type'],
  name: string,
  about: string,
  cell: (object: ApiObject, now: number) => unknown,
  wide?: 'wide',
): Column {
  const priority = wide === 'wide' ? 1 : 0;
  return { name, type, about, priority, cell: (object, { clock }) => cell(object, clock.now()) };
}

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  about: 'Time since the object was created.',
  priority: 0,
  cell: (object, { clock }) => ageOf(object.metadata, clock.now()),
};

export function ageOf(metadata: ObjectMeta, now: number): string {
  return metadata.creationTimestamp === undefined ? '<unknown>' : since(metadata.creationTimestamp, now);
}

export function since(time: string | undefined | null, now: number): string {
  return time === undefined || time === null ? '<unknown>' : formatAge(now - Date.parse(time));
}
