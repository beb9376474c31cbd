// The validation errors of all items of a list.

import type { FieldError } from './status.ts';

type Found = readonly FieldError[];

/** More errors than a client receives: a list with so many faults needs no complete report. */
const enough = 2000;

const none: Found = [];

/** The validation errors of all items in order; stops once there are more than are reported. */
export function findEach<T>(items: readonly T[], rule: (item: T, index: number) => Found): Found {
  let errors: FieldError[] | undefined;
  for (let index = 0; index < items.length && (errors === undefined || errors.length < enough); index++) {
    const more = rule(items[index] as T, index);
    if (more.length === 0) continue;
    errors ??= [];
    for (const validationError of more) errors.push(validationError);
  }
  return errors ?? none;
}

/** By keys: of a large map V8 takes three times as long to list entries. */
export function findEachEntry<T>(map: Readonly<Record<string, T>>, rule: (key: string, value: T) => Found): Found {
  return findEach(Object.keys(map), (key) => rule(key, map[key] as T));
}

/** Rules about an object. */
export type Rules = () => Found | undefined;

/** The validation errors of several sets of rules, in order. */
export function findAll(rules: readonly Rules[]): Found {
  let errors: Found = [];
  for (const rule of rules) {
    const more = rule() ?? [];
    if (more.length > 0) errors = errors.length === 0 ? more : [...errors, ...more];
  }
  return errors;
}
