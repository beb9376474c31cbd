// The validation errors of all items of a list.

import type { FieldError } from './status.ts';

type Found = readonly FieldError[];

/** More than a client is told: who sends a list with so many faults does not want to know them all. */
const enough = 2000;

/** The validation errors of all items in order; no further item is looked at once there are more than are told. */
export function findEach<T>(items: readonly T[], rule: (item: T, index: number) => Found): Found {
  const found: FieldError[] = [];
  for (let index = 0; index < items.length && found.length < enough; index++)
    for (const validationError of rule(items[index] as T, index)) found.push(validationError);
  return found;
}

/** By keys: of a large map V8 takes three times as long to list entries. */
export function findEachEntry<T>(map: Readonly<Record<string, T>>, rule: (key: string, value: T) => Found): Found {
  return findEach(Object.keys(map), (key) => rule(key, map[key] as T));
}

/** Rules about an object. */
export type Rules = () => Found | undefined;

/** The validation errors of several sets of rules, in order. */
export function findAll(rules: readonly Rules[]): Found {
  let found: Found = [];
  for (const rule of rules) {
    const more = rule() ?? [];
    if (more.length > 0) found = found.length === 0 ? more : [...found, ...more];
  }
  return found;
}
