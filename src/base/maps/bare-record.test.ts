import { expect, test } from 'vitest';
import { bareRecord } from './bare-record.ts';

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__', 'a'];

test('has no name that was not given to it', () => {
  const record = bareRecord<string>();
  for (const name of names) expect([record[name], name in record]).toEqual([undefined, false]);
});

test('keeps whatever it is given under the name that it has, for itself', () => {
  const record = bareRecord<string>();
  for (const name of names) record[name] = `value of ${name}`;
  const found: string[] = [];
  for (const name in record) found.push(name);
  expect(found).toEqual(names);
  expect(Object.keys(record)).toEqual(names);
  for (const name of names) expect([record[name], bareRecord<string>()[name]]).toEqual([`value of ${name}`, undefined]);
  expect(({} as Record<string, unknown>)['a']).toBeUndefined();
});
