// What several sets of rules find wrong with an object, with a rest where they take long.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { inTurns, type Steps } from '../base/steps.ts';
import { YieldTimer } from '../base/yield-timer.ts';
import { findingIn, type Rules } from '../meta/find-each.ts';
import type { FieldError } from '../meta/status.ts';

/** At once for most objects: a promise only where other clients would wait. `pace` began with the work before. */
export function findInPhases(phases: readonly Rules[], pace = new YieldTimer()): MaybePromise<readonly FieldError[]> {
  return inTurns(finding(phases), pace);
}

function* finding(phases: readonly Rules[]): Steps<readonly FieldError[]> {
  let found: readonly FieldError[] = [];
  for (const phase of phases) {
    yield;
    found = together(found, yield* findingIn(phase));
  }
  yield;
  return found;
}

function together(some: readonly FieldError[], more: readonly FieldError[]): readonly FieldError[] {
  if (some.length === 0) return more;
  return more.length === 0 ? some : [...some, ...more];
}
