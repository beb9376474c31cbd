// Rules that take long, such as those about expressions, in turns with other work.

import type { Steps as Work } from '../base/steps.ts';
import { YieldTimer } from '../base/yield-timer.ts';
import type { FieldError } from '../meta/status.ts';
import type { ValidationErrors } from './rules.ts';

/** What is found, step by step; each step is made when the one before is over. */
export type Steps<T = void> = Generator<ValidationErrors, T, undefined>;

/** Steps of other work, in which nothing is found until it is over. */
export function* findingNothing<T>(steps: Work<T>): Steps<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield [];
  }
}

export async function findInTurns(steps: Iterable<ValidationErrors>): Promise<ValidationErrors> {
  const pace = new YieldTimer();
  const found: FieldError[] = [];
  for (const validationErrors of steps) {
    // one by one: as arguments of one call there may be too many of them
    for (const validationError of validationErrors) found.push(validationError);
    if (pace.isDue) await pace.rest();
  }
  return found;
}
