// Columns that many tables share.

import type { ApiObject, Labels, ObjectMeta } from '../meta/object.ts';
import { formatAge } from '../meta/time.ts';
import type { Column } from '../schema/resource.ts';

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

/** A column of text about objects of one kind. */
export function textColumn<T extends ApiObject>(
  name: string,
  about: string,
  cell: (object: T) => string | number | boolean,
  priority = 0,
): Column {
  return { name, type: 'string', about, priority, cell: (object) => cell(object as T) };
}

/** `a=b,c=d` in order of keys, as tables show labels. */
export function formatLabels(labels: Labels | undefined): string {
  const keys = Object.keys(labels ?? {}).sort();
  return keys.map((key) => `${key}=${labels?.[key]}`).join(',') || '<none>';
}

/** The first three of a list, and how many more there are. */
export function firstFew(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(',');
  if (texts.length > 3) return `${shown} + ${texts.length - 3} more...`;
  return shown === '' ? '<unset>' : shown;
}
