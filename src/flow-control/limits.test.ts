// How seats are divided among priority levels.

import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { adjust, type LevelDemand, seatLimits } from './limits.ts';
import { SeatDemand, smoothed } from './seat-demand.ts';

describe('limits by shares', () => {
  test('a level has its part of the seats, rounded up', () => {
    const level = { shares: 30, lendable: 33, borrowing: undefined };
    expect(seatLimits(level, 245, 600)).toEqual({ nominal: 74, lower: 50, upper: 674 });
  });

  test('a level borrows as much as its limit of borrowing allows', () => {
    expect(seatLimits({ shares: 1, lendable: 0, borrowing: 50 }, 4, 400)).toEqual({
      nominal: 100,
      lower: 100,
      upper: 150,
    });
  });

  test('no shares at all mean no seats', () => {
    expect(seatLimits({ shares: 0, lendable: 0, borrowing: undefined }, 0, 600).nominal).toBe(0);
  });
});

describe('adjustment of limits', () => {
  const level = (parts: Partial<LevelDemand>): LevelDemand => ({
    ...{ nominal: 100, lower: 50, upper: 700, isExempt: false, highest: 0, smoothed: 0 },
    ...parts,
  });

  test('seats of a level that needs few go to a level that needs many', () => {
    const { limits } = adjust([level({ smoothed: 500, highest: 600 }), level({ smoothed: 1, highest: 2 })]);
    expect(limits).toEqual([150, 50]);
  });

  test('a level that needs its nominal seats keeps them whatever others need', () => {
    const { limits } = adjust([level({ smoothed: 500, highest: 600 }), level({ smoothed: 100, highest: 100 })]);
    expect(limits).toEqual([100, 100]);
  });

  test('a level gets no more than its upper limit', () => {
    const greedy = level({ smoothed: 500, highest: 600, upper: 120 });
    expect(adjust([greedy, level({})]).limits).toEqual([120, 80]);
  });

  test('levels without demand share everything by what they keep', () => {
    const { limits, fairFraction } = adjust([level({ lower: 25 }), level({ lower: 75 })]);
    expect(limits).toEqual([50, 150]);
    expect(fairFraction).toBeCloseTo(2);
  });

  test('what exempt requests use is taken from what can be lent', () => {
    const exempt = level({ nominal: 0, lower: 0, upper: 600, isExempt: true, highest: 50 });
    const busy = level({ smoothed: 100, highest: 100 });
    expect(adjust([exempt, busy, busy]).limits).toEqual([50, 75, 75]);
    expect(adjust([{ ...exempt, highest: 500 }, busy, busy]).limits).toEqual([500, 50, 50]);
  });

  test('the limits add up to the seats of the server', () => {
    for (let seed = 1; seed < 200; seed++) {
      const random = (most: number) => (Math.abs(Math.sin(seed * (most + 1))) * 1000) % most;
      const levels = [1, 2, 3, 4].map((at) => {
        const highest = Math.round(random(90 + at));
        return level({ lower: Math.round(random(50 + at)), highest, smoothed: random(highest + at) });
      });
      const sum = adjust(levels).limits.reduce((total, limit) => total + limit, 0);
      expect(Math.abs(sum - 400)).toBeLessThanOrEqual(2);
    }
  });
});

describe('demand of seats', () => {
  test('is averaged over time', () => {
    const clock = new FakeClock();
    const demand = new SeatDemand(clock);
    demand.add(10, clock.now());
    clock.advance(3000);
    demand.add(-6, clock.now());
    clock.advance(1000);
    expect(demand.take()).toEqual({ seconds: 4, average: 8.5, variance: 6.75, max: 10 });
    clock.advance(1000);
    expect(demand.take()).toEqual({ seconds: 1, average: 4, variance: 0, max: 4 });
  });

  test('a rise shows at once, half of a fall after five minutes', () => {
    expect(smoothed(0, 100, 0)).toBe(100);
    let demand = 100;
    for (let period = 0; period < 30; period++) demand = smoothed(demand, 0, 0);
    expect(demand).toBeCloseTo(50, 0);
  });
});
