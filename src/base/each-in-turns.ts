// The same work for each of many items, in turns with other work.

import { isPromise, type MaybePromise } from './maybe-promise.ts';
import { YieldTimer } from './yield-timer.ts';

/** One after the other; at once where there are few and none of them waits. The first failure ends it. Items may be added meanwhile. */
export function forEachInTurns<T>(items: readonly T[], work: (item: T) => MaybePromise<void>): MaybePromise<void> {
  const pace = new YieldTimer();
  for (let i = 0; i < items.length; i++) {
    const done = work(items[i] as T);
    if (isPromise(done) || pace.isDue) return goOn(items, work, i + 1, done, pace);
  }
}

async function goOn<T>(
  items: readonly T[],
  work: (item: T) => MaybePromise<void>,
  from: number,
  before: MaybePromise<void>,
  pace: YieldTimer,
): Promise<void> {
  await before;
  for (let i = from; i < items.length; i++) {
    if (pace.isDue) await pace.rest();
    await work(items[i] as T);
  }
}
