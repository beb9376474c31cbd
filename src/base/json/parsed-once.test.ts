import { expect, test } from 'vitest';
import { ParsedOnce } from './parsed-once.ts';

test('a value is parsed when it is first needed, and once', () => {
  let runs = 0;
  const once = new ParsedOnce(() => `parsed ${++runs}`);
  expect(runs).toBe(0);
  expect([once.value, once.value]).toEqual(['parsed 1', 'parsed 1']);
});

test('a value that cannot be parsed throws each time, and is parsed once', () => {
  let runs = 0;
  const once = new ParsedOnce(() => {
    runs++;
    throw new Error('malformed');
  });
  expect(() => once.value).toThrow('malformed');
  expect(() => once.value).toThrow('malformed');
  expect(runs).toBe(1);
});
