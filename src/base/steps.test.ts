import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StandingTime } from '../testing/standing-time.ts';
import { isPromise } from './maybe-promise.ts';
import { atOnce, inTurns, type Steps } from './steps.ts';
import { yieldTimerFor } from './yield-timer.ts';

let time: StandingTime;
beforeEach(async () => {
  time = await StandingTime.begin();
});
afterEach(() => time.end());

function* counting(steps: number, ms: number): Steps<number> {
  for (let step = 0; step < steps; step++) {
    time.pass(ms);
    yield;
  }
  return steps;
}

describe('steps', () => {
  test('that are quick are over at once', () => {
    expect(atOnce(counting(3, 0))).toBe(3);
    expect(inTurns(counting(3, 0))).toBe(3);
  });

  test('that take long let others have their turn', async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    const result = inTurns(counting(6, 6));
    expect(isPromise(result)).toBe(true);
    expect(await result).toBe(6);
    clearImmediate(immediate);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  test('wait for what they yield', async () => {
    const seen: string[] = [];
    function* waiting(): Steps<string> {
      yield Promise.resolve().then(() => void seen.push('waited'));
      seen.push('went on');
      return 'done';
    }
    expect(await inTurns(waiting())).toBe('done');
    expect(seen).toEqual(['waited', 'went on']);
    expect(() => atOnce(waiting())).toThrow('cannot be run at once');
  });

  test('rest after they waited, whatever was expected of them before', async () => {
    let immediates = 0;
    const count = () => {
      immediates++;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    function* waiting(): Steps<number> {
      yield Promise.resolve();
      return yield* counting(6, 6);
    }
    expect(await inTurns(waiting(), yieldTimerFor(10))).toBe(6);
    clearImmediate(immediate);
    expect(immediates).toBeGreaterThanOrEqual(4);
  });

  test('that fail do so at once or later', async () => {
    function* failing(ms: number): Steps<never> {
      yield* counting(1, ms);
      throw new Error('no');
    }
    expect(() => inTurns(failing(0))).toThrow('no');
    await expect(inTurns(failing(10))).rejects.toThrow('no');
  });
});
