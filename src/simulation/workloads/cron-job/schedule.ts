// When a cron schedule is due next, in a time zone.

import { parseDuration } from '../../../meta/duration.ts';

export interface Schedule {
  /** The first time after this one, in milliseconds since the epoch; undefined for a schedule that never comes. */
  next(after: number): number | undefined;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A schedule that does not come within five years never does. */
const horizonMs = 5 * 366 * dayMs;

const words: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A schedule that was checked when it was written; the zone is UTC when not given. */
export function parseSchedule(text: string, zone: string | undefined): Schedule {
  const [, ownZone, rest = text] = /^(?:CRON_)?TZ=(\S*)\s*(.*)$/.exec(text) ?? [];
  const every = /^@every (.*)$/.exec(rest)?.[1];
  if (every !== undefined) return everySchedule(every);
  const fields = (words[rest] ?? rest).split(/\s+/).filter((field) => field !== '');
  return new FieldSchedule(fields, wallClock(zone ?? ownZone ?? 'UTC'));
}

function everySchedule(text: string): Schedule {
  const seconds = Math.max(Math.floor(parseDuration(text) ?? 0), 1);
  return { next: (after) => Math.floor(after / 1000 + seconds) * 1000 };
}

interface FieldValues {
  readonly values: ReadonlySet<number>;
  /** Every value: of two days of which one is any, the other one decides. */
  readonly isAny: boolean;
}

function parseField(text: string, min: number, max: number, names: readonly string[] = []): FieldValues {
  const values = new Set<number>();
  let isAny = false;
  const numberOf = (word: string) => {
    const index = names.indexOf(word.toLowerCase());
    return index < 0 ? Number(word) : index + min;
  };
  for (const range of text.split(',').filter((part) => part !== '')) {
    const [span = '', step] = range.split('/');
    const [from = '', to] = span.split('-');
    const isStar = from === '*' || from === '?';
    const first = isStar ? min : numberOf(from);
    const open = isStar || (step !== undefined && to === undefined);
    const last = open ? max : to === undefined ? first : numberOf(to);
    const stride = Math.max(Number(step ?? 1), 1);
    if (isStar && stride === 1) isAny = true;
    for (let value = first; value <= last; value += stride) values.add(value);
  }
  return { values, isAny };
}

class FieldSchedule implements Schedule {
  readonly #minutes: FieldValues;
  readonly #hours: FieldValues;
  readonly #days: FieldValues;
  readonly #months: FieldValues;
  readonly #weekdays: FieldValues;
  readonly #clock: WallClock;

  constructor([minute = '*', hour = '*', day = '*', month = '*', weekday = '*']: readonly string[], clock: WallClock) {
    this.#minutes = parseField(minute, 0, 59);
    this.#hours = parseField(hour, 0, 23);
    this.#days = parseField(day, 1, 31);
    this.#months = parseField(month, 1, 12, months);
    this.#weekdays = parseField(weekday, 0, 6, weekdays);
    this.#clock = clock;
  }

  next(after: number): number | undefined {
    let wall = Math.floor(this.#clock.wallOf(after) / minuteMs) * minuteMs + minuteMs;
    const end = wall + horizonMs;
    while (wall < end) {
      const later = this.#advance(wall);
      if (later !== wall) {
        wall = later;
        continue;
      }
      const time = this.#clock.timeOf(wall);
      // a time that the zone skips does not come
      if (time > after && this.#clock.wallOf(time) === wall) return time;
      wall += minuteMs;
    }
    return undefined;
  }

  /** The time itself where it fits, else one that is later and not later than the next that fits. */
  #advance(wall: number): number {
    const date = new Date(wall);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    if (!this.#months.values.has(month + 1)) return Date.UTC(year, month + 1, 1);
    if (!this.#isDay(date)) return Date.UTC(year, month, day + 1);
    if (!this.#hours.values.has(date.getUTCHours())) return Date.UTC(year, month, day, date.getUTCHours() + 1);
    return this.#minutes.values.has(date.getUTCMinutes()) ? wall : wall + minuteMs;
  }

  #isDay(date: Date): boolean {
    const isDay = this.#days.values.has(date.getUTCDate());
    const isWeekday = this.#weekdays.values.has(date.getUTCDay());
    return this.#days.isAny || this.#weekdays.isAny ? isDay && isWeekday : isDay || isWeekday;
  }
}

/** Times as clocks on the wall show them, as if those were UTC. */
interface WallClock {
  wallOf(time: number): number;
  timeOf(wall: number): number;
}

function wallClock(zone: string): WallClock {
  if (zone === 'UTC') return { wallOf: (time) => time, timeOf: (wall) => wall };
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const wallOf = (time: number) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type as string, Number(value)]));
    const part = (name: string) => parts.get(name) as number;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  };
  const timeOf = (wall: number) => {
    const guess = wall - (wallOf(wall) - wall);
    return wall - (wallOf(guess) - guess);
  };
  return { wallOf, timeOf };
}

/** A time as RFC 3339 writes it in a zone. */
export function formatIn(time: number, zone: string | undefined): string {
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  const offset = (wallClock(zone ?? 'UTC').wallOf(time) - time) / minuteMs;
  if (offset === 0) return `${iso(time)}Z`;
  const two = (value: number) => String(Math.trunc(value)).padStart(2, '0');
  const minutes = Math.abs(offset);
  return `${iso(time + offset * minuteMs)}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
