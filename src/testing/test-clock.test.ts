import { describe, expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { TestClock } from './test-clock.ts';

const clocks = () => {
  const real = new FakeClock(1_000_000);
  return { real, clock: new TestClock(real) };
};

describe('the clock of a test server', () => {
  test('goes as the real one does, and runs what falls due in its order', () => {
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

  test('stands still while it is paused, and goes on from there', () => {
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
