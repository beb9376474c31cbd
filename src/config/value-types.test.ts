import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { ValueError } from './value-error.ts';
import { duration, integer, listOrNone, oneOf, text } from './value-types.ts';

describe('a duration', () => {
  test.each([
    ['0s', 0],
    ['1s', 1],
    ['90s', 90],
    ['1m', 60],
    ['1h', 3600],
    ['1h30m', 5400],
    ['1h30m15s', 5415],
    ['1.5h', 5400],
    ['0.5s', 0.5],
    ['250ms', 0.25],
    ['1s500ms', 1.5],
    ['100h', 360_000],
    ['30m1h', 5400],
  ])('%s is %d seconds', (value, seconds) => {
    expect(duration.parse(value)).toBeCloseTo(seconds, 9);
  });

  test.each(['', '1', '90', 's', '1x', '1 s', ' 1s', '1s ', '-1s', '1d', '1,5h', '1h30', 'h1', 'five minutes', '1S'])(
    '%j is none',
    (value) => {
      expect(() => duration.parse(value)).toThrow(ValueError);
    },
  );

  test('is read in no time, whatever it is', async () => {
    await expectProcessorTime(1000, () => {
      expect(() => duration.parse(`${'1'.repeat(50_000)}x`)).toThrow(ValueError);
      expect(() => duration.parse(`${'1s'.repeat(20_000)}x`)).toThrow(ValueError);
    });
  });

  // Go's time.ParseDuration, as kube-apiserver's flags take it
  test.each([
    ['0', 0],
    ['.5s', 0.5],
    ['1.s', 1],
    ['100us', 0.0001],
    ['100µs', 0.0001],
    ['5ns', 5e-9],
  ])('%s is %d seconds', (value, seconds) => {
    expect(duration.parse(value)).toBeCloseTo(seconds, 12);
  });
});

describe('an integer', () => {
  test.each([
    ['0', 0],
    ['65535', 65535],
    ['007', 7],
  ])('%s is %d', (value, expected) => {
    expect(integer(0, 65535).parse(value)).toBe(expected);
  });

  test.each(['', ' ', '-1', '65536', '1.5', '1e3', '0x10', 'abc', ' 1', '1\n', '9'.repeat(400)])(
    '%j is none',
    (value) => {
      expect(() => integer(0, 65535).parse(value)).toThrow(ValueError);
    },
  );

  test('may be negative where that is allowed', () => {
    expect(integer(-5, 5).parse('-5')).toBe(-5);
  });

  test('that is none is quoted with its bounds', () => {
    expect(() => integer(1, 9).parse('ten')).toThrow('"ten" is not a whole number from 1 to 9');
  });
});

describe('a choice', () => {
  const colours = oneOf('red', 'green');

  test('is one of those offered', () => {
    expect(colours.parse('green')).toBe('green');
    expect(colours.placeholder).toBe('red|green');
  });

  test.each(['', 'Red', 'red ', 'blue', 'constructor'])('is not %j', (value) => {
    expect(() => colours.parse(value)).toThrow('is not one of red, green');
  });
});

test('a text is anything but nothing', () => {
  expect(text.parse(' ')).toBe(' ');
  expect(() => text.parse('')).toThrow(ValueError);
});

test('a list may be empty, its entries may not', () => {
  expect(listOrNone(text).parse('')).toEqual([]);
  expect(listOrNone(text).parse('a,b')).toEqual(['a', 'b']);
  expect(() => listOrNone(text).parse('a,,b')).toThrow(ValueError);
});
