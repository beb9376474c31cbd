// A clock that stands still until a test moves it.

import type { Clock, Timer } from '../base/time/clock.ts';

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

export class FakeClock implements Clock {
  #now: number;
  #alarms: Alarm[] = [];

  constructor(now: number | string = '2030-01-01T00:00:00Z') {
    this.#now = typeof now === 'number' ? now : Date.parse(now);
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Timer {
    const alarm = { at: this.#now + ms, run };
    this.#alarms.push(alarm);
    return {
      cancel: () => {
        this.#alarms = this.#alarms.filter((other) => other !== alarm);
      },
    };
  }

  /** How many calls are still to come. */
  get alarmCount(): number {
    return this.#alarms.length;
  }

  /** Moves time forward, running what falls due on the way, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#dueBy(end); next !== undefined; next = this.#dueBy(end)) {
      const due = next;
      this.#alarms = this.#alarms.filter((alarm) => alarm !== due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }

  #dueBy(end: number): Alarm | undefined {
    return this.#alarms.filter((alarm) => alarm.at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
