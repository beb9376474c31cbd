import { describe, expect, test } from 'vitest';
import { OptionError } from '../config/option-error.ts';
import { FakeClock } from './fake-clock.ts';
import { TestClock } from './test-clock.ts';

const clocks = () => {
  const real = new FakeClock(1_000_000);
  return { real, clock: new TestClock(real) };
};

describe('the clock of a test server', () => {
  test('the test clock follows the real one, and runs due timers in order', () => {
    const { real, clock } = clocks();
    const ran: string[] = [];
    clock.after(20, () => ran.push('second'));
    clock.after(10, () => ran.push('first'));
    clock.after(15, () => ran.push('never')).cancel();
    real.advance(12);
    expect([clock.now(), ran]).toEqual([1_000_012, ['first']]);
    real.advance(12);
    expect(ran).toEqual(['first', 'second']);
  });

  test.each([Number.NaN, -1, 1e300, Number.POSITIVE_INFINITY, '5' as unknown as number])('is not moved by %s', (ms) => {
    const { real, clock } = clocks();
    expect(() => clock.advance(ms)).toThrow(OptionError);
    real.advance(5);
    expect([clock.now(), clock.isPaused]).toEqual([1_000_005, false]);
  });

  test('is not moved beyond the last time that can be written', () => {
    const real = new FakeClock('9999-12-31T00:00:00Z');
    const clock = new TestClock(real);
    expect(() => clock.advance(48 * 3600 * 1000)).toThrow('beyond the year 9999');
    clock.advance(3600 * 1000);
    expect(new Date(clock.now()).toISOString()).toBe('9999-12-31T01:00:00.000Z');
  });

  test('the test clock stands still while paused, and continues from there', () => {
    const { real, clock } = clocks();
    const ran: string[] = [];
    clock.after(10, () => ran.push('due'));
    clock.pause();
    real.advance(100);
    expect([clock.now(), ran, clock.isPaused]).toEqual([1_000_000, [], true]);
    clock.resume();
    real.advance(9);
    expect(ran).toEqual([]);
    real.advance(1);
    expect([clock.now(), ran]).toEqual([1_000_010, ['due']]);
  });

  test('is set forward, with what falls due on the way at its own time', () => {
    const { real, clock } = clocks();
    const at: number[] = [];
    const again = () => {
      at.push(clock.now());
      if (at.length < 3) clock.after(10, again);
    };
    clock.after(10, again);
    clock.advance(25);
    expect(at).toEqual([1_000_010, 1_000_020]);
    expect(clock.now()).toBe(1_000_025);
    real.advance(5);
    expect(at).toEqual([1_000_010, 1_000_020, 1_000_030]);
    clock.pause();
    clock.advance(1000);
    expect([clock.now(), clock.isPaused]).toEqual([1_001_030, true]);
  });
});
