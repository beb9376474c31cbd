// Memory of clients without credentials: the connection that holds most is ended first.

import { expect, test } from 'vitest';
import { StrangerMemory } from './stranger-memory.ts';

test('strangers: the connection that holds most is ended, and its bytes are free again', () => {
  const memory = new StrangerMemory(1000);
  const ended: string[] = [];
  const stranger = (name: string) => ({ giveUp: () => ended.push(name) });
  const [small, large, late] = ['small', 'large', 'late'].map(stranger) as [never, never, never];
  memory.set(small, 100);
  memory.set(large, 500);
  memory.set(large, 800);
  expect([memory.bytes, ended]).toEqual([900, []]);
  memory.set(late, 300);
  expect([memory.bytes, ended]).toEqual([400, ['large']]);
  memory.set(small, 0);
  memory.forget(late);
  expect([memory.bytes, ended]).toEqual([0, ['large']]);
});

test('strangers: a connection that holds more than the limit by itself is ended', () => {
  const memory = new StrangerMemory(1000);
  const ended: number[] = [];
  memory.set({ giveUp: () => ended.push(1) }, 1001);
  expect([memory.bytes, ended]).toEqual([0, [1]]);
});
