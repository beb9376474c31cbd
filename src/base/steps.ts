// Long work as steps: all at once where that is quick, in turns where it is not.

import type { MaybePromise } from './maybe-promise.ts';
import { Pace } from './pace.ts';

/** Yields between its steps, none of which is long. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** For those who cannot wait. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Lets others have their turn as soon as the steps so far have taken one; most work is over before. */
export function inTurns<T>(steps: Steps<T>): MaybePromise<T> {
  const pace = new Pace();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (pace.isDue) return restAndGoOn(steps, pace);
  }
}

async function restAndGoOn<T>(steps: Steps<T>, pace: Pace): Promise<T> {
  for (;;) {
    await pace.rest();
    while (!pace.isDue) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }
}
