import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAge, formatTime, normalizeMicroTime, normalizeTime, withAges } from './time.ts';

const notTimes = [
  '',
  'now',
  '2024-01-02',
  '2024-01-02T03:04:05',
  '2024-01-02 03:04:05Z',
  '2024-01-02t03:04:05z',
  '2024-1-2T03:04:05Z',
  '24-01-02T03:04:05Z',
  '2024-13-02T03:04:05Z',
  '2024-00-02T03:04:05Z',
  '2024-01-32T03:04:05Z',
  '2024-01-02T25:04:05Z',
  '2024-01-02T03:60:05Z',
  '2024-01-02T03:04:60Z',
  '2024-01-02T03:04:05+0100',
  '2024-01-02T03:04:05.Z',
  ' 2024-01-02T03:04:05Z',
  '2024-01-02T03:04:05Z\n',
];

/** Days and hours that Date takes for the next day; Go's time.Parse says "out of range". */
const impossibleTimes = [
  '2024-02-30T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2024-04-31T00:00:00Z',
  '2024-01-02T24:00:00Z',
];

describe('a time on the wire', () => {
  test.each([
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05+00:00', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05+05:30', '2024-01-01T21:34:05Z'],
    ['2024-01-02T03:04:05-08:00', '2024-01-02T11:04:05Z'],
    ['2024-01-02T03:04:05.999Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05.999999999Z', '2024-01-02T03:04:05Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ])('%s is kept as %s', (text, expected) => {
    expect(normalizeTime(text)).toBe(expected);
  });

  test.each(notTimes)('%j is none', (text) => {
    expect(normalizeTime(text)).toBeUndefined();
  });

  test.each(impossibleTimes)('%j is none, though Date makes one of it', (text) => {
    expect(normalizeTime(text)).toBeUndefined();
  });
});

describe('a time with microseconds', () => {
  test.each([
    ['2024-01-02T03:04:05.000000Z', '2024-01-02T03:04:05.000000Z'],
    ['2024-01-02T03:04:05.123456Z', '2024-01-02T03:04:05.123456Z'],
    ['2024-01-02T03:04:05.999999+01:00', '2024-01-02T02:04:05.999999Z'],
    ['1969-12-31T23:59:59.000001Z', '1969-12-31T23:59:59.000001Z'],
  ])('%s is kept as %s', (text, expected) => {
    expect(normalizeMicroTime(text)).toBe(expected);
  });

  test.each([
    ...notTimes,
    '2024-01-02T03:04:05Z',
    '2024-01-02T03:04:05.123Z',
    '2024-01-02T03:04:05.12345Z',
    '2024-01-02T03:04:05.1234567Z',
  ])('%j is none', (text) => {
    expect(normalizeMicroTime(text)).toBeUndefined();
  });

  test.each(impossibleTimes.map((text) => text.replace('Z', '.000000Z')))('%j is none', (text) => {
    expect(normalizeMicroTime(text)).toBeUndefined();
  });
});

describe('laws', () => {
  const instants = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });

  test('a formatted time is the second it lies in, and normal already', () => {
    fc.assert(
      fc.property(instants, (date) => {
        const text = formatTime(date.getTime());
        expect(Date.parse(text)).toBe(Math.floor(date.getTime() / 1000) * 1000);
        expect(normalizeTime(text)).toBe(text);
      }),
    );
  });

  test('the second that is remembered never answers for another', () => {
    const pair = fc.tuple(fc.nat(3000), fc.nat(3000));
    fc.assert(
      fc.property(pair, ([a, b]) => {
        formatTime(a);
        expect(formatTime(b)).toBe(`${new Date(b).toISOString().slice(0, 19)}Z`);
      }),
    );
  });

  test('normalizing twice changes nothing', () => {
    const offset = fc.constantFrom('Z', '+00:00', '-03:30', '+14:00');
    const micros = fc.nat(999_999).map((n) => String(n).padStart(6, '0'));
    fc.assert(
      fc.property(instants, offset, micros, (date, zone, fraction) => {
        const once = normalizeMicroTime(`${date.toISOString().slice(0, 19)}.${fraction}${zone}`) ?? '';
        fc.pre(/^\d{4}-/.test(once));
        expect(normalizeMicroTime(once)).toBe(once);
        expect(once).toContain(`.${fraction}Z`);
      }),
    );
  });
});

describe('an age', () => {
  const second = 1;
  const minute = 60;
  const hour = 60 * minute;
  const day = 24 * hour;
  const year = 365 * day;

  test.each([
    [-3600 * second, '<invalid>'],
    [-2 * second, '<invalid>'],
    [-1 * second, '0s'],
    [0, '0s'],
    [0.999, '0s'],
    [1 * second, '1s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 1, '2m1s'],
    [9 * minute + 59, '9m59s'],
    [10 * minute, '10m'],
    [10 * minute + 59, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [3 * hour + 30, '3h'],
    [3 * hour + minute, '3h1m'],
    [7 * hour + 59 * minute, '7h59m'],
    [8 * hour, '8h'],
    [8 * hour + 59 * minute, '8h'],
    [47 * hour, '47h'],
    [2 * day, '2d'],
    [2 * day + hour, '2d1h'],
    [7 * day + 23 * hour, '7d23h'],
    [8 * day, '8d'],
    [8 * day + 23 * hour, '8d'],
    [729 * day, '729d'],
    [2 * year, '2y'],
    [2 * year + day, '2y1d'],
    [7 * year + 364 * day, '7y364d'],
    [8 * year, '8y'],
    [8 * year + 364 * day, '8y'],
    [100 * year, '100y'],
  ])('of %d seconds is shown as %s', (seconds, expected) => {
    expect(formatAge(seconds * 1000)).toBe(expected);
  });

  // HumanDuration cuts towards zero: less than two seconds ahead is now
  test('of one and a half seconds ahead of the clock is shown as 0s', () => {
    expect(formatAge(-1500)).toBe('0s');
  });

  test('stays as it is for as long as is promised, and is another one then', () => {
    const ages = [10, 3 * 60, 10 * 60, 24 * 60, 20 * 24 * 60, 12 * 365 * 24 * 60].map((max) => max * 60_000);
    fc.assert(
      fc.property(fc.oneof(...ages.map((max) => fc.integer({ min: 0, max }))), (ms) => {
        const { value, lastMs } = withAges(() => formatAge(ms));
        expect(formatAge(ms + lastMs - 1)).toBe(value);
        expect(formatAge(ms + lastMs)).not.toBe(value);
      }),
    );
  });

  test('that ends first decides how long a text stays as it is; a text without ages stays', () => {
    expect(withAges(() => [formatAge(day * 20_000), formatAge(1500), formatAge(hour * 1000)]).lastMs).toBe(500);
    expect(withAges(() => 'text').lastMs).toBe(Number.POSITIVE_INFINITY);
    expect(withAges(() => formatAge(-5000)).lastMs).toBe(0);
  });
});
