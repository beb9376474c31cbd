import { expect, test } from 'vitest';
import { type JsonValue, withSortedKeys } from './json.ts';
import { sortingKeys } from './sort-keys.ts';
import { atOnce } from './steps.ts';

test('large values are sorted as small ones are, in steps', () => {
  const value = JSON.parse(
    JSON.stringify({
      z: [{ b: 1, a: [null, true, { d: 1, c: 'x' }] }],
      many: Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`k${index}`, { b: index, a: [] }])),
    }).replace('"z"', '"__proto__"'),
  ) as JsonValue;
  expect(JSON.stringify(atOnce(sortingKeys(value)))).toBe(JSON.stringify(withSortedKeys(value)));
  let steps = 0;
  for (const step of sortingKeys(value)) steps += step === undefined ? 1 : 0;
  expect(steps).toBeGreaterThan(10);
});
