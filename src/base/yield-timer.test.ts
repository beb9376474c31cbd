import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StandingTime } from '../testing/standing-time.ts';
import { nextTurn, YieldTimer } from './yield-timer.ts';

let time: StandingTime;
beforeEach(async () => {
  time = await StandingTime.begin();
});
afterEach(() => time.end());

/** Turns of the event loop, until it is told to end. */
function countTurns(): { readonly end: () => number } {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  return {
    end() {
      clearImmediate(next);
      return turns;
    },
  };
}

/** Work that rests whenever it should, and tells how long each of its steps was preceded by others in the same turn. */
async function work(name: string, steps: number, done: string[]): Promise<void> {
  const pace = new YieldTimer();
  for (let step = 0; step < steps; step++) {
    time.pass(4);
    done.push(name);
    if (pace.isDue) await pace.rest();
  }
}

describe('long work', () => {
  test('is due by all that was done in the turn, not by its own part of it', async () => {
    time.pass(6);
    const first = new YieldTimer();
    expect(first.isDue).toBe(true);
    expect(new YieldTimer().isDue).toBe(true);
    await first.rest();
    expect(first.isDue).toBe(false);
  });

  test('of many is done in as many turns as it needs, each in its order', async () => {
    const done: string[] = [];
    const turns = countTurns();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => work(name, 4, done)));
    // two steps fill a turn, and there are sixteen
    expect(turns.end()).toBeGreaterThanOrEqual(6);
    for (const name of ['a', 'b', 'c', 'd']) expect(done.filter((one) => one === name)).toHaveLength(4);
    // none is done before the others have had a turn
    expect(done.lastIndexOf('a')).toBeGreaterThan(done.indexOf('d'));
  });

  test('is gone on with, though the turns are used up by others', async () => {
    let isOver = false;
    const busy = (): void => {
      new YieldTimer();
      time.pass(100);
      if (!isOver) setTimeout(busy);
    };
    busy();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    isOver = true;
  });
});
