// What several sets of rules find wrong with an object, with a rest where they take long.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { inTurns, type Steps } from '../base/steps.ts';
import { YieldTimer } from '../base/yield-timer.ts';
import type { FieldError } from '../meta/status.ts';

/** All at once, or in steps where what it looks at may be long. */
type Phase = () => readonly FieldError[] | Steps<readonly FieldError[]> | undefined;

/** At once for most objects: a promise only where other clients would wait. `pace` began with the work before. */
export function findInPhases(phases: readonly Phase[], pace = new YieldTimer()): MaybePromise<readonly FieldError[]> {
  return inTurns(finding(phases), pace);
}

function* finding(phases: readonly Phase[]): Steps<readonly FieldError[]> {
  let found: readonly FieldError[] = [];
  for (const phase of phases) {
    yield;
    const more = phase() ?? [];
    found = together(found, isSteps(more) ? yield* more : more);
  }
  yield;
  return found;
}

const isSteps = <T>(found: readonly T[] | Steps<readonly T[]>): found is Steps<readonly T[]> => !Array.isArray(found);

function together(some: readonly FieldError[], more: readonly FieldError[]): readonly FieldError[] {
  if (some.length === 0) return more;
  return more.length === 0 ? some : [...some, ...more];
}
