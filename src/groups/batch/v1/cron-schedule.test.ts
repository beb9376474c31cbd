import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../../../testing/processor-time.ts';
import { scheduleProblem, timeZoneProblems } from './cron-schedule.ts';

describe('a schedule', () => {
  test.each([
    '* * * * *',
    '*/5 0-6 1,15 jan-MAR mon',
    '0 0 31 12 6',
    '5/15 * ? * *',
    '  1 2 3 4 5 ',
    '@hourly',
    '@midnight',
    '@every 1h30m',
    '@every 1.5s',
    'TZ=UTC 0 0 * * *',
    'CRON_TZ=Europe/Berlin @daily',
  ])('%j can be read', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  test.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
    ['* 5-3 * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['* * * * someday', 'failed to parse int from someday: strconv.Atoi: parsing "someday": invalid syntax'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ])('%j cannot: %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });

  test('of any length is answered at once', async () => {
    await expectProcessorTime(1000, () => {
      scheduleProblem(`@every ${'1'.repeat(9000)}`);
      scheduleProblem('1,'.repeat(1_000_000));
    });
  });
});

test.each([
  ['UTC'],
  ['Europe/Berlin'],
  ['Etc/GMT+1'],
  ['America/Argentina/Buenos_Aires'],
  ['', 'timeZone must be nil or non-empty string'],
  ['Local', 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'],
  [
    'LOCAL',
    'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    'unknown time zone LOCAL',
  ],
  ['Mars/Olympus', 'unknown time zone Mars/Olympus'],
  ['../etc/passwd', 'unknown time zone ../etc/passwd'],
  ['/UTC', 'unknown time zone /UTC'],
  ['+01', 'unknown time zone +01'],
  ['europe/berlin', 'unknown time zone europe/berlin'],
  ['a name with spaces', 'unknown time zone a name with spaces'],
])('the time zone %j: %s', (zone = '', ...problems) => {
  expect(timeZoneProblems(zone)).toEqual(problems);
});
