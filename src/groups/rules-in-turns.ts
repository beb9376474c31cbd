// Rules that take long, such as those about expressions, in turns with other work.

import { YieldTimer } from '../base/yield-timer.ts';
import type { FieldError } from '../meta/status.ts';
import type { Findings } from './rules.ts';

/** What is found, step by step; each step is made when the one before is over. */
export type Steps = Iterable<Findings>;

export async function findInTurns(steps: Steps): Promise<Findings> {
  const pace = new YieldTimer();
  const found: FieldError[] = [];
  for (const findings of steps) {
    // one by one: as arguments of one call there may be too many of them
    for (const finding of findings) found.push(finding);
    if (pace.isDue) await pace.rest();
  }
  return found;
}
