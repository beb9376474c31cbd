import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { Deadlines } from './deadlines.ts';

/** A clock moved by hand that counts the timers it was asked for. */
class HandClock implements Clock {
  time = 0;
  timers: { at: number; run: () => void }[] = [];
  now = () => this.time;
  after(ms: number, run: () => void) {
    const timer = { at: this.time + ms, run };
    this.timers.push(timer);
    return {
      cancel: () => {
        this.timers = this.timers.filter((other) => other !== timer);
      },
    };
  }
  advanceTo(time: number) {
    for (;;) {
      const due = this.timers.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((other) => other !== due);
      this.time = Math.max(this.time, due.at);
      due.run();
    }
    this.time = time;
  }
}

const calling = (run: () => unknown) => ({ onDeadline: () => void run() });

describe('deadlines', () => {
  test('run in order of time, on one timer', () => {
    const clock = new HandClock();
    const deadlines = new Deadlines(clock);
    const seen: string[] = [];
    deadlines.after(
      30,
      calling(() => seen.push('c')),
    );
    deadlines.after(
      10,
      calling(() => seen.push('a')),
    );
    deadlines.after(
      20,
      calling(() => seen.push('b')),
    );
    expect(clock.timers).toHaveLength(1);
    clock.advanceTo(19);
    expect(seen).toEqual(['a']);
    clock.advanceTo(30);
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(clock.timers).toHaveLength(0);
  });

  test('can be set again by what they run', () => {
    const clock = new HandClock();
    const deadlines = new Deadlines(clock);
    let count = 0;
    const tick = () => {
      count++;
      deadlines.after(10, calling(tick));
    };
    deadlines.after(10, calling(tick));
    clock.advanceTo(55);
    expect(count).toBe(5);
  });

  test('leave no timer behind when all are cancelled', () => {
    const clock = new HandClock();
    const deadlines = new Deadlines(clock);
    const first = deadlines.after(
      10,
      calling(() => {}),
    );
    const second = deadlines.after(
      20,
      calling(() => {}),
    );
    deadlines.cancel(first);
    deadlines.cancel(first);
    deadlines.cancel(second);
    expect([deadlines.size, clock.timers.length]).toEqual([0, 0]);
  });

  test('fire like a sorted list whatever is set and cancelled', () => {
    const steps = fc.array(fc.record({ ms: fc.nat(100), cancels: fc.option(fc.nat(50)) }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (given) => {
        const clock = new HandClock();
        const deadlines = new Deadlines(clock);
        const fired: number[] = [];
        const expected = new Map<number, number>();
        const made = given.map(({ ms, cancels }, index) => {
          expected.set(index, ms);
          const deadline = deadlines.after(
            ms,
            calling(() => fired.push(index)),
          );
          return { deadline, cancels };
        });
        for (const { cancels } of made) {
          const target = cancels === null ? undefined : made[cancels];
          if (target === undefined) continue;
          deadlines.cancel(target.deadline);
          expected.delete(cancels as number);
        }
        clock.advanceTo(1000);
        expect(fired.map((index) => expected.get(index))).toEqual([...expected.values()].sort((a, b) => a - b));
      }),
    );
  });
});
