// What several sets of rules find wrong with an object, with a rest between them where one of them took long.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { YieldTimer } from '../base/yield-timer.ts';
import type { FieldError } from '../meta/status.ts';

type Phase = () => readonly FieldError[] | undefined;

/** At once for most objects: a promise only where other clients would wait. `pace` began with the work before. */
export function findInPhases(phases: readonly Phase[], pace = new YieldTimer()): MaybePromise<readonly FieldError[]> {
  let found: readonly FieldError[] = [];
  for (let i = 0; i < phases.length; i++) {
    if (pace.isDue) return goOn(phases, i, found, pace);
    found = together(found, phases[i]?.());
  }
  return pace.isDue ? goOn(phases, phases.length, found, pace) : found;
}

async function goOn(phases: readonly Phase[], from: number, before: readonly FieldError[], pace: YieldTimer) {
  let found = before;
  await pace.rest();
  for (let i = from; i < phases.length; i++) {
    found = together(found, phases[i]?.());
    if (pace.isDue) await pace.rest();
  }
  return found;
}

function together(some: readonly FieldError[], more: readonly FieldError[] = []): readonly FieldError[] {
  if (some.length === 0) return more;
  return more.length === 0 ? some : [...some, ...more];
}
