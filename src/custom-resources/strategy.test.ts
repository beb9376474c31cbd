import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
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

test('the rules of an object stop when its request has ended', async () => {
  const { strategy, status } = customStrategy({ schema });
  const object = { apiVersion: 'v1', kind: 'X', metadata: {}, list: Array<number>(100_000).fill(1) };
  const ended = () => {
    throw new Error('the request has ended');
  };
  const context = { dialect: kubernetes, clock: { now: () => 0 } } as never;
  for (const { validateExpressions } of [strategy, status]) {
    await expect(validateExpressions?.(object, undefined, context, { throwIfEnded: ended })).rejects.toThrow(
      'the request has ended',
    );
  }
});
