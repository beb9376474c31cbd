// Columns that many tables share.

import type { ApiObject, Labels, ObjectMeta } from '../meta/object.ts';
import { formatAge } from '../meta/time.ts';
import type { Column } from '../schema/column.ts';

/** compat: a few columns have no description */
export const undescribed = '';

/** A column of text; `wide` ones are shown on request only. */
export function textColumn<T extends ApiObject>(
  name: string,
  about: string,
  cell: (object: T, now: number) => unknown,
  wide?: 'wide',
): Column<T> {
  return column('string', name, about, cell, wide);
}

export function numberColumn<T extends ApiObject>(name: string, about: string, cell: (object: T) => number): Column<T> {
  return column('integer', name, about, cell);
}

export function column<T extends ApiObject>(
  type: Column['type'],
  name: string,
  about: string,
  cell: (object: T, now: number) => unknown,
  wide?: 'wide',
): Column<T> {
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

function ageOf(metadata: ObjectMeta, now: number): string {
  return metadata.creationTimestamp === undefined ? '<unknown>' : since(metadata.creationTimestamp, now);
}

export function since(time: string | undefined | null, now: number): string {
  return time === undefined || time === null ? '<unknown>' : formatAge(now - Date.parse(time));
}

/** `a=b,c=d` in order, as tables show labels. */
export function formatLabels(labels: Labels | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || '<none>';
}

/** The first three of a list, and how many more there are. */
export function firstFew(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(',');
  if (texts.length > 3) return `${shown} + ${texts.length - 3} more...`;
  return shown === '' ? '<unset>' : shown;
}
