// What calendars and clocks show of timestamps, and parts of durations.

import { type Library, member, type Overload } from '../declarations.ts';
import { type CalendarFields, calendar } from '../time.ts';
import { duration, int, string, timestamp } from '../types.ts';
import type { DurationValue, TimestampValue } from '../values.ts';

/** In UTC, or in the time zone that is given. */
const ofTimestamp = (name: string, read: (fields: CalendarFields) => number): Overload[] => [
  member(`timestamp_to_${name}`, [timestamp], int, (time: TimestampValue) => BigInt(read(calendar(time)))),
  member(`timestamp_to_${name}_with_tz`, [timestamp, string], int, (time: TimestampValue, zone: string) =>
    BigInt(read(calendar(time, zone))),
  ),
];

const ofDuration = (name: string, read: (ns: bigint) => bigint): Overload =>
  member(`duration_to_${name}`, [duration], int, ({ ns }: DurationValue) => read(ns));

const second = 1_000_000_000n;

export const times: Library = {
  functions: {
    getFullYear: ofTimestamp('year', (fields) => fields.year),
    getMonth: ofTimestamp('month', (fields) => fields.month),
    getDate: ofTimestamp('day_of_month_1_based', (fields) => fields.day),
    getDayOfMonth: ofTimestamp('day_of_month', (fields) => fields.day - 1),
    getDayOfYear: ofTimestamp('day_of_year', (fields) => fields.dayOfYear),
    getDayOfWeek: ofTimestamp('day_of_week', (fields) => fields.weekday),
    getHours: [...ofTimestamp('hours', (fields) => fields.hour), ofDuration('hours', (ns) => ns / (3600n * second))],
    getMinutes: [
      ...ofTimestamp('minutes', (fields) => fields.minute),
      ofDuration('minutes', (ns) => ns / (60n * second)),
    ],
    getSeconds: [...ofTimestamp('seconds', (fields) => fields.second), ofDuration('seconds', (ns) => ns / second)],
    getMilliseconds: [
      ...ofTimestamp('milliseconds', (fields) => fields.ms),
      ofDuration('milliseconds', (ns) => ns / 1_000_000n),
    ],
  },
};
