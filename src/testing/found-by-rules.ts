// What rules of a kind find, whether they look at lists at once or in steps.

import { expect } from 'vitest';
import { atOnce } from '../base/steps.ts';
import { findEach, findingIn, type Rules } from '../meta/find-each.ts';
import type { FieldError } from '../meta/status.ts';

/** So long that all that comes after it is looked at in steps as well. */
const longList = new Array<undefined>(100).fill(undefined);

/** What is found at once; the test fails where it is something else in steps. */
export function foundBy(rules: () => readonly FieldError[] | undefined): readonly FieldError[] {
  const found = rules() ?? [];
  const inSteps: Rules = () => [...findEach(longList, () => []), ...(rules() ?? [])];
  expect(atOnce(findingIn(inSteps)), 'what is found in steps').toEqual(found);
  return found;
}
