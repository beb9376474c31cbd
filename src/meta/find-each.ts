// What is wrong with each item of a list.

import type { FieldError } from './status.ts';

/** More than a client is told: who sends a list with so many faults does not want to know them all. */
const enough = 2000;

/** The validation errors of all items in order; no further item is looked at once there are more than are told. */
export function findEach<T>(
  items: readonly T[],
  rule: (item: T, index: number) => readonly FieldError[],
): readonly FieldError[] {
  const found: FieldError[] = [];
  for (let index = 0; index < items.length && found.length < enough; index++)
    for (const validationError of rule(items[index] as T, index)) found.push(validationError);
  return found;
}
