// Columns that many tables share.

import type { ObjectMeta } from '../meta/object.ts';
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
