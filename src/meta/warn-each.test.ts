// Warnings about long lists: all of them in order, up to a limit.

import { expect, test } from 'vitest';
import { warnEach } from './warn-each.ts';

const list = (length: number) => Array.from({ length }, (_, i) => i);

test('every item is looked at in order', () => {
  const rule = (item: number, index: number) => (item % 2 === 0 ? [] : [`${index}: ${item} is odd`]);
  expect(warnEach(list(100), rule)).toEqual(list(50).map((i) => `${2 * i + 1}: ${2 * i + 1} is odd`));
});

test('no item is looked at once there are 200 warnings', () => {
  const seen: number[] = [];
  const warnings = warnEach(list(10_000), (item) => {
    seen.push(item);
    return [`${item}`];
  });
  expect(warnings).toEqual(list(200).map(String));
  expect(seen).toEqual(list(200));
});
