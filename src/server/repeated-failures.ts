// Failures that go on: told once, then as a count at growing distances, and once more when they are over.

import type { Clock, Timer } from '../base/time/clock.ts';
import type { Log } from '../config/options.ts';

type Level = 'warn' | 'error';

interface Failure {
  readonly level: Level;
  readonly message: string;
  readonly fields: object;
  readonly since: number;
  lastAt: number;
  /** The longest time between two of them. */
  gap: number;
  /** In all, and since the last line about it. */
  count: number;
  untold: number;
  wait: number;
  tellAt: number;
}

const firstWaitMs = 60_000;
const longestWaitMs = 60 * 60_000;
const lookEveryMs = 30_000;
/** A failure that did not come again for this long, and for twice its usual distance, is over. */
const quietMs = 60_000;
/** What clients send may be part of a message. */
const maxKept = 500;
/** Fields that differ from one time to the next. */
const passing = new Set(['err', 'key', 'path', 'requestId', 'verb', 'why', 'events']);

export class RepeatedFailures {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failure>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  tell(level: Level, fields: object, message: string): void {
    const key = keyOf(fields, message);
    const known = this.#failures.get(key);
    if (known !== undefined) {
      this.#again(known, fields);
      return;
    }
    this.#log[level](fields, message);
    const now = this.#clock.now();
    if (this.#failures.size >= maxKept) this.#failures.delete(this.#failures.keys().next().value as string);
    const counts = { gap: 0, count: 1, untold: 0, wait: firstWaitMs, tellAt: now + firstWaitMs };
    this.#failures.set(key, { level, message, fields, since: now, lastAt: now, ...counts });
    this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #again(failure: Failure, fields: object): void {
    const now = this.#clock.now();
    failure.gap = Math.max(failure.gap, now - failure.lastAt);
    failure.lastAt = now;
    failure.count++;
    failure.untold++;
    if (now < failure.tellAt) return;
    this.#log[failure.level]({ ...fields, repeated: failure.untold, seconds: secondsOf(failure) }, failure.message);
    failure.untold = 0;
    failure.wait = Math.min(failure.wait * 2, longestWaitMs);
    failure.tellAt = now + failure.wait;
  }

  #look(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.#clock.after(lookEveryMs, () => {
      this.#timer = undefined;
      this.#forgetEnded();
      if (this.#failures.size > 0) this.#look();
    });
  }

  /** One that happened once needs no second line. */
  #forgetEnded(): void {
    const now = this.#clock.now();
    for (const [key, failure] of this.#failures) {
      if (now - failure.lastAt < Math.max(quietMs, Math.min(failure.gap * 2, longestWaitMs))) continue;
      this.#failures.delete(key);
      const { err: _, ...fields } = failure.fields as { readonly err?: unknown };
      const counted = { ...fields, failures: failure.count, seconds: secondsOf(failure) };
      if (failure.count > 1) this.#log.info(counted, `over: ${failure.message}`);
    }
  }
}

const secondsOf = ({ since, lastAt }: Failure) => Math.round((lastAt - since) / 1000);

/** The same failure of the same thing; numbers, such as ports and revisions, make no difference. */
function keyOf(fields: object, message: string): string {
  const { err } = fields as { readonly err?: unknown };
  const cause = err instanceof Error ? err.message : String(err ?? '');
  const lasting = Object.entries(fields).filter(([name]) => !passing.has(name));
  return `${message}|${JSON.stringify(lasting)}|${cause.slice(0, 200)}`.replace(/\d+/g, '#');
}
