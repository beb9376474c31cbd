// Timestamps and durations: text forms as RFC 3339 and Go write them, ranges, calendar fields in any time zone.

import { DurationValue, EvaluationError, TimestampValue } from './values.ts';

const second = 1_000_000_000n;
const minTime = -62135596800n * second;
const maxTime = 253402300799n * second + 999_999_999n;
const maxInt = 2n ** 63n - 1n;

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/;

/** Undefined when the text is no RFC 3339 time. */
export function parseTimestamp(text: string): TimestampValue | undefined {
  const match = text.length > 64 ? null : rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, sec, fraction = '', zone = 'Z'] = match;
  const numbers = [year, month, day, hour, minute, sec].map(Number) as [number, number, number, number, number, number];
  const ms = utc(numbers);
  if (ms === undefined) return undefined;
  const offset = zoneOffset(zone);
  if (offset === undefined) return undefined;
  const ns = BigInt(ms - offset * 60_000) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  return isTime(ns) ? new TimestampValue(ns) : undefined;
}

function utc([year, month, day, hour, minute, sec]: readonly [number, number, number, number, number, number]):
  | number
  | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, sec);
  const fits = hour < 24 && minute < 60 && sec < 60;
  return fits && date.getUTCDate() === day && date.getUTCMonth() === month - 1 ? date.getTime() : undefined;
}

/** Minutes; `+02:00`, `-02:30`, `02:00` or `Z`. */
function zoneOffset(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const match = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (match === null) return undefined;
  const [, sign, hours, minutes] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Years 1 to 9999. */
export const isTime = (ns: bigint): boolean => ns >= minTime && ns <= maxTime;

export function checkedTimestamp(ns: bigint): TimestampValue {
  if (!isTime(ns)) throw new EvaluationError('timestamp overflow');
  return new TimestampValue(ns);
}

export function checkedDuration(ns: bigint): DurationValue {
  if (ns > maxInt || ns < -maxInt - 1n) throw new EvaluationError('integer overflow');
  return new DurationValue(ns);
}

/** Fraction digits only as far as they say something. */
export function formatTimestamp({ ns }: TimestampValue): string {
  const whole = floorDiv(ns, second);
  const text = new Date(Number(whole) * 1000).toISOString().slice(0, 19);
  const fraction = String(ns - whole * second)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${text}${fraction === '' ? '' : `.${fraction}`}Z`;
}

export const floorDiv = (value: bigint, by: bigint): bigint => {
  const quotient = value / by;
  return value % by !== 0n && value < 0n !== by < 0n ? quotient - 1n : quotient;
};

const units = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['m', 60n * second],
  ['h', 3600n * second],
]);

/** `1h30m`, `-1.5s`, `0`; undefined when the text is no duration or does not fit 64 bits. */
export function parseDuration(text: string): DurationValue | undefined {
  const match = text.length > 128 ? null : /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)[a-zµμ]+|0)+$/.exec(text);
  if (match === null) return undefined;
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return new DurationValue(0n);
  let total = 0n;
  let rest = unsigned;
  while (rest !== '') {
    const part = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (part === null) return undefined;
    const [whole, digits = '', fraction = '', unit = ''] = part;
    if (digits === '' && fraction === '') return undefined;
    const scale = units.get(unit) ?? 0n;
    total += BigInt(digits === '' ? '0' : digits) * scale + fractionOf(fraction, scale);
    rest = rest.slice(whole.length);
  }
  const ns = text.startsWith('-') ? -total : total;
  return ns > maxInt || ns < -maxInt - 1n ? undefined : new DurationValue(ns);
}

const fractionOf = (fraction: string, scale: bigint): bigint =>
  fraction === '' ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);

/** Seconds with as many fraction digits as needed: `90s`, `0.5s`. */
export function formatDuration({ ns }: DurationValue): string {
  const size = ns < 0n ? -ns : ns;
  const fraction = String(size % second)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${ns < 0n ? '-' : ''}${size / second}${fraction === '' ? '' : `.${fraction}`}s`;
}

export interface CalendarFields {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** From 0. */
  readonly dayOfYear: number;
  /** From Sunday, 0. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
}

/** What a calendar and a clock of a time zone show: a name such as `Europe/Berlin`, or an offset such as `-02:00`. */
export function calendar({ ns }: TimestampValue, zone = 'UTC'): CalendarFields {
  const ms = Number(floorDiv(ns, 1_000_000n));
  const local = new Date(ms + zoneMs(zone, ms));
  const year = local.getUTCFullYear();
  const first = new Date(0);
  first.setUTCFullYear(year, 0, 1);
  const midnight = Math.floor(local.getTime() / 86_400_000) * 86_400_000;
  return {
    year,
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    dayOfYear: (midnight - first.getTime()) / 86_400_000,
    weekday: local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    ms: local.getUTCMilliseconds(),
  };
}

function zoneMs(zone: string, at: number): number {
  if (zone === 'UTC' || zone === '') return 0;
  const minutes = zoneOffset(zone);
  if (minutes !== undefined) return minutes * 60_000;
  const parts = new Map(
    zoneFormat(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const localTime = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour') % 24,
    part('minute'),
    part('second'),
  );
  return localTime - Math.floor(at / 1000) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(zone);
  if (cachedFormat !== undefined) return cachedFormat;
  // there are some 600 zones; other names throw and are not kept
  const format = makeFormat(zone);
  formats.set(zone, format);
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    const numeric = 'numeric';
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch {
    throw new EvaluationError(`unknown time zone ${timeZone}`);
  }
}
