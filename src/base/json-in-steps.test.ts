import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringifyJson } from './json.ts';
import { writingJson } from './json-in-steps.ts';
import { atOnce } from './steps.ts';

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const record = (count: number, make: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(many(count, make));

test.each<readonly [string, unknown]>([
  ['a small value', { a: [1, 'x', null, true] }],
  ['a text', 'x'],
  ['null', null],
  ['nothing in it', { a: {}, b: [], c: '' }],
  ['a long list', { list: many(3000, (i) => ({ i, name: `n${i}` })) }],
  ['a large map', { map: record(3000, (i) => [`k"${i}`, `v\n${i}`]) }],
  ['members that are undefined', { gone: undefined, map: record(900, (i) => [`k${i}`, i % 3 === 0 ? undefined : i]) }],
  ['long lists in a long list', many(30, () => many(900, (i) => [i, many(3, String)]))],
  ['large and small ones in turn', { a: 1, b: many(900, (i) => i), c: 2, d: record(900, (i) => [`${i}`, {}]), e: 3 }],
  ['integers that are no numbers', { many: many(900, () => 2n ** 60n), one: 2n ** 60n }],
  ['halves of characters', { text: '\ud800', many: many(900, () => '\udfff') }],
  [
    'a key that could be a prototype',
    JSON.parse(`{"__proto__":${JSON.stringify(many(900, (i) => i))},"a":1}`) as unknown,
  ],
])('%s is written as at once', (_title, value) => {
  expect(atOnce(writingJson(value))).toBe(stringifyJson(value));
  expect(atOnce(writingJson(value, 2))).toBe(stringifyJson(value, 2));
});

test('whatever the value, the text is that of writing it at once', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(fc.array(value), fc.integer({ min: 1, max: 900 }), (values, times) => {
      const large = { values: many(times, () => values), value: values[0] };
      expect(atOnce(writingJson(large))).toBe(stringifyJson(large));
      expect(atOnce(writingJson(large, 2))).toBe(stringifyJson(large, 2));
    }),
    { numRuns: 50 },
  );
});

test('a large value is written in many steps', () => {
  const steps = writingJson({ map: record(20_000, (i) => [`k${i}`, 'v']) });
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(30);
});
