import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { maxResources } from './pod/resource-names.ts';
import { validateResources } from './pod/resource-rules.ts';
import { validateLimits } from './quota/limit-range-rules.ts';
import { validateQuota } from './quota/resource-quota-rules.ts';

const amounts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`example.com/r${i}`, '1']));
const few = amounts(maxResources);
const many = amounts(maxResources + 1);
const told = (at: string) => [`${at}: Too many: ${maxResources + 1}: must have at most ${maxResources} items`];
const words = (validationErrors: readonly { field: string; message: string }[]) =>
  validationErrors.map(({ field, message }) => `${field}: ${message}`);

test('a quota has an end', () => {
  const quota = (hard: object) => validateQuota({ spec: { hard } } as never, kubernetes);
  expect(words(quota(few))).toEqual([]);
  expect(words(quota(many))).toEqual(told('spec.hard'));
});

test('so have the limits of a range', () => {
  const range = (max: object) => validateLimits([{ type: 'Container', max }] as never, kubernetes);
  expect(words(range(few))).toEqual([]);
  expect(words(range(many))).toEqual(told('spec.limits[0].max'));
});

test('and what a container asks for', () => {
  const asks = (limits: object) => validateResources({ limits } as never, 'r', new Set(), kubernetes);
  expect(words(asks(few))).toEqual([]);
  expect(words(asks(many))).toEqual(told('r.limits'));
});
