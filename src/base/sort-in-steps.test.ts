import { expect, test } from 'vitest';
import { sortInSteps } from './sort-in-steps.ts';
import { atOnce } from './steps.ts';

test.each([0, 1, 2000, 2001, 9999])('%i texts are sorted as at once', (count) => {
  const texts = Array.from({ length: count }, (_, i) => `t${(i * 7919) % 5003}`);
  expect(atOnce(sortInSteps(texts))).toEqual([...texts].sort());
});

test('many texts are sorted in many steps', () => {
  const steps = sortInSteps(Array.from({ length: 20_000 }, (_, i) => `t${i}`));
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(30);
});
