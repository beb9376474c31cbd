import { expect, test } from 'vitest';
import { required } from '../meta/field-errors.ts';
import { findInTurns, type Steps } from './rules-in-turns.ts';

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function* steps(took: number[]): Steps {
  for (const at of ['a', 'b', 'c']) {
    took.push(0);
    busy(8);
    yield [required(at)];
  }
}

test('other work has its turn between steps that take long', async () => {
  const took: number[] = [];
  const seen: number[] = [];
  let isOver = false;
  const look = () => {
    seen.push(took.length);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const found = await findInTurns(steps(took));
  isOver = true;
  expect(found.map(({ field }) => field)).toEqual(['a', 'b', 'c']);
  expect(new Set(seen)).toEqual(new Set([1, 2, 3]));
});
