import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { ApiError } from '../../../meta/status.ts';
import type { ActionCall } from '../../../schema/action.ts';
import { reviewSelf, reviewSubject } from './access-review.ts';

const call = {
  dialect: kubernetes,
  user: { name: 'u', groups: [] },
  access: { decide: async () => ({ kind: 'allow' }) },
} as unknown as ActionCall;

/** `Reason field` of what is wrong with a question about lists of pods. */
async function found(attributes: object): Promise<readonly string[]> {
  const spec = { resourceAttributes: { verb: 'list', resource: 'pods', ...attributes } };
  const review = { kind: 'SelfSubjectAccessReview', apiVersion: 'v1', metadata: {}, spec };
  try {
    await reviewSelf.run(review, call);
    return [];
  } catch (error) {
    const causes = error instanceof ApiError ? (error.details?.causes ?? []) : [];
    return causes.map(({ reason, field = '' }) => `${reason} ${field.replace('spec.resourceAttributes.', '')}`);
  }
}

test.each<[string, object, readonly string[]]>([
  ['all', {}, []],
  ['a label', { labelSelector: { requirements: [{ key: 'a', operator: 'Exists' }] } }, []],
  ['a label by a newer operator', { labelSelector: { requirements: [{ key: 'a', operator: 'New' }] } }, []],
  [
    'a label without a value',
    { labelSelector: { requirements: [{ key: 'a', operator: 'In' }] } },
    ['FieldValueRequired labelSelector.requirements[0].values'],
  ],
  [
    'a malformed label',
    { labelSelector: { requirements: [{ key: 'a b', operator: 'Exists', values: ['c'] }] } },
    ['FieldValueForbidden labelSelector.requirements[0].values', 'FieldValueInvalid labelSelector.requirements[0].key'],
  ],
  [
    'an unnamed field',
    { fieldSelector: { requirements: [{ operator: 'Exists', values: ['c'] }] } },
    [
      'FieldValueRequired fieldSelector.requirements[0].key',
      'FieldValueForbidden fieldSelector.requirements[0].values',
    ],
  ],
  ['nothing', { fieldSelector: {} }, ['FieldValueRequired fieldSelector.requirements']],
])('a question about %s', async (_, attributes, expected) => {
  expect(await found(attributes)).toEqual(expected);
});

test('keys of what a user is besides are asked about in small letters', async () => {
  const asked: unknown[] = [];
  const decide = async ({ user }: { user: unknown }) => {
    asked.push(user);
    return { kind: 'allow' };
  };
  const spec = { user: 'a', groups: ['g'], extra: { 'Example.com/A': ['1'] }, nonResourceAttributes: { path: '/' } };
  const review = { kind: 'SubjectAccessReview', apiVersion: 'v1', metadata: {}, spec };
  await reviewSubject.run(review, { ...call, access: { decide } } as unknown as ActionCall);
  expect(asked).toEqual([{ name: 'a', groups: ['g'], extra: { 'example.com/a': ['1'] } }]);
});
