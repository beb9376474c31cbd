import { expect, test } from 'vitest';
import { KeyPlans } from './key-plans.ts';

const joined = () => {
  const made: string[] = [];
  const plans = new KeyPlans((keys) => {
    made.push(keys.join());
    return { keys: keys.join() };
  });
  return { plans, made };
};

test('plans by keys: one is made for each sequence of keys', () => {
  const { plans, made } = joined();
  const of = (object: object) => plans.of(object).keys;
  expect(
    [{ a: 1, b: 2 }, { a: 3 }, {}, { b: 1, a: 1 }, { a: 4, b: 5 }, { a: 1, c: 1 }, { a: 1, b: 1 }].map(of),
  ).toEqual(['a,b', 'a', '', 'b,a', 'a,b', 'a,c', 'a,b']);
  expect(made).toEqual(['a,b', 'a', '', 'b,a', 'a,c']);
});

test('plans by keys: a key may be named as what objects inherit', () => {
  const { plans } = joined();
  const object = JSON.parse('{"__proto__":1,"constructor":2}') as object;
  expect([plans.of(object).keys, plans.of(object).keys]).toEqual(['__proto__,constructor', '__proto__,constructor']);
});

test('plans by keys: the plans of many keys and of long ones are right and not kept', () => {
  const { plans, made } = joined();
  const long = 'x'.repeat(100);
  expect([plans.of({ [long]: 1 }).keys, plans.of({ [long]: 1 }).keys]).toEqual([long, long]);
  expect(made).toHaveLength(2);
  for (let i = 0; i < 2000; i++) expect(plans.of({ [`k${i}`]: 1, same: 2 }).keys).toBe(`k${i},same`);
  expect(plans.of({ k0: 1, same: 2 }).keys).toBe('k0,same');
});
