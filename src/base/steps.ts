// Long work as steps: all at once where that is quick, in turns where it is not.

import { isPromise, type MaybePromise } from './maybe-promise.ts';
import { YieldTimer } from './yield-timer.ts';

/** Yields between its steps, none of which is long; a promise it yields is waited for before the next step. */
export type Steps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** For those who cannot wait. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value !== undefined) throw new Error('steps that wait cannot be run at once');
  }
}

/** Lets others have their turn as soon as the steps so far have taken one; most work is over before. */
export function inTurns<T>(steps: Steps<T>, pace = new YieldTimer()): MaybePromise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value !== undefined || pace.isDue) return goOn(steps, pace, value);
  }
}

async function goOn<T>(steps: Steps<T>, first: YieldTimer, awaitedFirst: Promise<void> | undefined): Promise<T> {
  let pace = first;
  let waits = awaitedFirst;
  for (;;) {
    if (waits !== undefined) {
      await waits;
      // another server's answer may be large, however small the work was before
      if (!pace.mayRest) pace = new YieldTimer();
    }
    if (pace.isDue) await pace.rest();
    const { done, value } = steps.next();
    if (done) return value;
    waits = value;
  }
}

/** A value that may have to be waited for, as a step. An error of it is thrown where the steps can catch it. */
export function* awaited<T>(value: MaybePromise<T>): Steps<T> {
  if (!isPromise(value)) return value;
  let settled: (() => T) | undefined;
  yield value.then(
    (result) => {
      settled = () => result;
    },
    (error: unknown) => {
      settled = () => {
        throw error;
      };
    },
  );
  return (settled as unknown as () => T)();
}
