// Warnings about long lists: all of them in order, with pauses between.

import { expect, test } from 'vitest';
import { type Warnings, warnEach } from './warn-each.ts';

const list = (length: number) => Array.from({ length }, (_, i) => i);
const texts = (warnings: Warnings) => [...warnings].filter((text) => text !== undefined);

test('every item is looked at in order', () => {
  const rule = (item: number, index: number) => (item % 2 === 0 ? [] : [`${index}: ${item} is odd`]);
  expect(texts(warnEach(list(100), rule))).toEqual(list(50).map((i) => `${2 * i + 1}: ${2 * i + 1} is odd`));
});

test('a short list has no pause', () => {
  expect([...warnEach(list(31), () => [])]).toEqual([]);
});

test('a long list has pauses, however little is said about it', () => {
  expect([...warnEach(list(100), () => [])]).toEqual([undefined, undefined, undefined]);
});

test('a list of long lists has the pauses of each', () => {
  expect([...warnEach([list(100), list(100)], (inner) => warnEach(inner, () => []))]).toHaveLength(6);
});

test('nothing is looked at before it is asked for', () => {
  const seen: number[] = [];
  const warnings = warnEach(list(100), (item) => {
    seen.push(item);
    return [`${item}`];
  });
  expect(warnings[Symbol.iterator]().next().value).toBe('0');
  expect(seen).toEqual([0]);
});
