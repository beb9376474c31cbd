// What is wrong with each item of a list.

import { atOnce, type Steps } from '../base/steps.ts';
import type { FieldError } from './status.ts';

/** More than a client is told: who sends a list with so many faults does not want to know them all. */
const enough = 2000;

/** How many items are looked at in one step. */
const stepItems = 500;

/** The validation errors of all items in order; no further item is looked at once there are more than are told. */
export function findEach<T>(
  items: readonly T[],
  rule: (item: T, index: number) => readonly FieldError[],
): readonly FieldError[] {
  return atOnce(findingEach(items, rule));
}

/** The same for the entries of a map. By keys: of a large map V8 takes three times as long to list entries. */
export function findEachEntry<T>(
  map: Readonly<Record<string, T>>,
  rule: (key: string, value: T) => readonly FieldError[],
): readonly FieldError[] {
  return findEach(Object.keys(map), (key) => rule(key, map[key] as T));
}

/** The same in steps, for lists that may be long. */
export function* findingEach<T>(
  items: readonly T[],
  rule: (item: T, index: number) => readonly FieldError[],
): Steps<readonly FieldError[]> {
  const found: FieldError[] = [];
  for (let index = 0; index < items.length && found.length < enough; index++) {
    for (const validationError of rule(items[index] as T, index)) found.push(validationError);
    if (index % stepItems === stepItems - 1) yield;
  }
  return found;
}
