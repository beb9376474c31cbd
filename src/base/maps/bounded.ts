// Many small jobs at once, but never more than a few, and in turns that let other work in between.

import { yieldTurn } from '../time/turns.ts';

/** Results in the order of the items. The first failure ends it, once the jobs under way are over. */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
      await yieldTurn();
    }
  };
  const lanes = Array.from({ length: Math.min(limit, items.length) }, lane);
  const settled = await Promise.allSettled(lanes);
  const broken = settled.find((outcome) => outcome.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return results;
}
