import { expect, test } from 'vitest';
import { countValues, KnownKeys } from './count-values.ts';

test('values are counted, themselves included, up to a limit', () => {
  expect(countValues(1, 10)).toBe(1);
  expect(countValues({ a: [1, 2, {}], b: null }, 100)).toBe(6);
  expect(countValues(new Array(1000).fill(0), 10)).toBe(10);
});

test('the keys of a large object are listed once, however often it is counted', () => {
  let listed = 0;
  const large = new Proxy(Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, i])), {
    ownKeys(target) {
      listed++;
      return Reflect.ownKeys(target);
    },
  });
  const known = new KnownKeys();
  expect(countValues([[large]], 400, known)).toBe(400);
  expect(countValues([large], 5000, known)).toBe(2002);
  expect(known.of(large)).toHaveLength(2000);
  expect(listed).toBe(1);
});
