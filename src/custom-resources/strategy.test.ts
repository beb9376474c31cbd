import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { moveToLane } from '../meta/move-to-lane.ts';
import type { Schema } from '../schema/structural/schema.ts';
import { customStrategy } from './strategy.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    list: {
      type: 'array',
      items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
    },
  },
};

test('rules that take long are reported, and remembered for the next object', async () => {
  const { strategy, status } = customStrategy({ schema });
  const object = { apiVersion: 'v1', kind: 'X', metadata: {}, list: Array<number>(100_000).fill(1) };
  const moveIfPossible = () => {
    throw moveToLane;
  };
  const context = { dialect: kubernetes, clock: { now: () => 0 } } as never;
  expect(strategy.hasExpensiveExpressions?.()).toBe(false);
  for (const { validateExpressions } of [strategy, status])
    await expect(validateExpressions?.(object, undefined, context, { moveIfPossible })).rejects.toBe(moveToLane);
  expect(strategy.hasExpensiveExpressions?.()).toBe(true);
});

test('short rules are not reported', async () => {
  const { strategy } = customStrategy({ schema });
  const object = { apiVersion: 'v1', kind: 'X', metadata: {}, list: [1, 2, 0] };
  const context = { dialect: kubernetes, clock: { now: () => 0 } } as never;
  expect(await strategy.validateExpressions?.(object, undefined, context)).toHaveLength(1);
  expect(strategy.hasExpensiveExpressions?.()).toBe(false);
});
