import { expect, test } from 'vitest';
import { formatIn, parseSchedule } from './schedule.ts';

test.each([
  ['every minute', '* * * * *', '2030-01-01T00:00:30Z', '2030-01-01T00:01:00Z'],
  ['every hour', '@hourly', '2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z'],
  ['in steps', '*/20 8-10 * * *', '2030-01-01T10:40:00Z', '2030-01-02T08:00:00Z'],
  ['a list', '5,35 0 * * *', '2030-01-01T00:05:00Z', '2030-01-01T00:35:00Z'],
  ['by name', '0 0 * feb mon', '2030-01-01T00:00:00Z', '2030-02-04T00:00:00Z'],
  ['either day where both are limited', '0 0 13 * fri', '2030-01-01T00:00:00Z', '2030-01-04T00:00:00Z'],
  ['from a start in steps', '10/25 * * * *', '2030-01-01T00:36:00Z', '2030-01-01T01:10:00Z'],
  ['on the 29th of February', '0 0 29 2 *', '2030-01-01T00:00:00Z', '2032-02-29T00:00:00Z'],
  ['every so long', '@every 90s', '2030-01-01T00:00:00Z', '2030-01-01T00:01:30Z'],
])('cron schedule: %s', (_, text, after, next) => {
  expect(parseSchedule(text, undefined).next(Date.parse(after))).toBe(Date.parse(next));
});

test('cron schedule: a day that does not exist never comes', () => {
  expect(parseSchedule('59 23 31 2 *', undefined).next(Date.parse('2030-01-01T00:00:00Z'))).toBeUndefined();
});

test.each([
  ['a zone', 'Asia/Kolkata', '0 9 * * *', '2030-01-01T00:00:00Z', '2030-01-01T03:30:00Z'],
  ['summer', 'Europe/Berlin', '0 9 * * *', '2030-07-01T00:00:00Z', '2030-07-01T07:00:00Z'],
  ['an hour that is skipped', 'Europe/Berlin', '30 2 * * *', '2030-03-31T00:00:00Z', '2030-04-01T00:30:00Z'],
])('cron schedule in %s', (_, zone, text, after, next) => {
  expect(parseSchedule(text, zone).next(Date.parse(after))).toBe(Date.parse(next));
});

test('cron schedule: times are written in their zone', () => {
  const time = Date.parse('2030-07-01T07:00:00Z');
  expect([formatIn(time, undefined), formatIn(time, 'Europe/Berlin'), formatIn(time, 'America/St_Johns')]).toEqual([
    '2030-07-01T07:00:00Z',
    '2030-07-01T09:00:00+02:00',
    '2030-07-01T04:30:00-02:30',
  ]);
});
