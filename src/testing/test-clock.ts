// The clock of a test server: runs normally until a test pauses it, and can be advanced.

import { type Clock, systemClock, type Timer } from '../base/time/clock.ts';
import { OptionError } from '../config/option-error.ts';

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/** Ten years: all timers that become due run in one tick. */
const maxAdvanceMs = 3_653 * 24 * 60 * 60 * 1000;
/** Times have a year of four digits. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

export class TestClock implements Clock {
  readonly #real: Clock;
  /** How far ahead of the real one it is while it runs. */
  #ahead = 0;
  /** Where it stands while it is stopped. */
  #stoppedAt: number | undefined;
  readonly #alarms = new Set<Alarm>();
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(real: Clock = systemClock) {
    this.#real = real;
  }

  get isPaused(): boolean {
    return this.#stoppedAt !== undefined;
  }

  now(): number {
    return this.#stoppedAt ?? this.#real.now() + this.#ahead;
  }

  after(ms: number, run: () => void): Timer {
    const alarm = { at: this.now() + Math.max(0, ms), run };
    this.#alarms.add(alarm);
    this.#armFor(alarm.at);
    return { cancel: () => this.#alarms.delete(alarm) };
  }

  /** Time stands still: nothing falls due. */
  pause(): void {
    this.#stoppedAt ??= this.now();
    this.#disarm();
  }

  /** Time continues from the current time of the clock. */
  resume(): void {
    if (this.#stoppedAt === undefined) return;
    this.#ahead = this.#stoppedAt - this.#real.now();
    this.#stoppedAt = undefined;
    this.#arm();
  }

  /** Moves time forward, running what falls due on the way, in order; a clock that is stopped stays so. */
  advance(ms: number): void {
    this.checkAdvance(ms);
    const end = this.now() + ms;
    const wasPaused = this.isPaused;
    this.pause();
    for (let due = this.#dueBy(end); due !== undefined; due = this.#dueBy(end)) {
      this.#stoppedAt = Math.max(this.now(), due.at);
      this.#run(due);
    }
    this.#stoppedAt = end;
    if (!wasPaused) this.resume();
  }

  /** Throws an OptionError where the clock cannot be moved so far. */
  checkAdvance(ms: number): void {
    if (!(typeof ms === 'number' && ms >= 0 && ms <= maxAdvanceMs))
      throw new OptionError(`the clock advances by 0 to ${maxAdvanceMs} ms at a time`);
    if (this.now() + ms > lastMs) throw new OptionError('the clock does not advance beyond the year 9999');
  }

  #arm(): void {
    const first = this.#dueBy(Number.POSITIVE_INFINITY);
    if (first !== undefined) this.#armFor(first.at);
  }

  /** One real timer, for the alarm that is due next. */
  #armFor(at: number): void {
    if (this.isPaused || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#disarm();
    const timer = this.#real.after(Math.max(0, at - this.now()), () => this.#ring());
    this.#timer = { at, timer };
  }

  #disarm(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #ring(): void {
    this.#timer = undefined;
    const now = this.now();
    for (let due = this.#dueBy(now); due !== undefined && !this.isPaused; due = this.#dueBy(now)) this.#run(due);
    this.#arm();
  }

  #run(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    alarm.run();
  }

  #dueBy(end: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms)
      if (alarm.at <= end && (first === undefined || alarm.at < first.at)) first = alarm;
    return first;
  }
}
