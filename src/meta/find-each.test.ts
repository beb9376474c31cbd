import { expect, test } from 'vitest';
import { required } from './field-errors.ts';
import { findAll, findEach } from './find-each.ts';

test('the validation errors of all items, in order', () => {
  const errors = findEach(['a', '', 'b', ''], (item, index) => (item === '' ? [required(`at[${index}]`)] : []));
  expect(errors.map(({ field }) => field)).toEqual(['at[1]', 'at[3]']);
});

test('a list with more faults than are told is not looked at to its end', () => {
  let seen = 0;
  const errors = findEach(new Array(100_000).fill(0), (_, index) => {
    seen++;
    return [required(`at[${index}]`), required(`at[${index}].name`)];
  });
  expect(errors.length).toBe(2000);
  expect(seen).toBe(1000);
});

test('the validation errors of several sets of rules, in order', () => {
  const errors = findAll([() => [required('a')], () => undefined, () => [], () => [required('b'), required('c')]]);
  expect(errors.map(({ field }) => field)).toEqual(['a', 'b', 'c']);
});
