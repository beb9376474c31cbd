import { expect, test } from 'vitest';
import { kubernetes } from '../../meta/dialect.ts';
import { conditionsAfter } from './conditions.ts';

const at = (now: string) => ({ now, dialect: kubernetes });
const fine = { discoveryFailures: [], deletionFailures: [], remaining: [] };
const left = (resource: string, group: string, count: number, finalizers: [string, number][] = []) => ({
  ...{ resource, group, count },
  finalizers: new Map(finalizers),
});

test('all is well at first, and nothing changes when it stays so', () => {
  const first = conditionsAfter([], fine, at('t1')) ?? [];
  expect(first.map(({ status }) => status)).toEqual(['False', 'False', 'False', 'False', 'False']);
  expect(conditionsAfter(first, fine, at('t2'))).toBeUndefined();
});

test('trouble is told, sorted, and the time is that of the last change of status', () => {
  const first = conditionsAfter([], fine, at('t1')) ?? [];
  const remaining = [left('pods', '', 3, [['b/f', 1]]), left('deployments', 'apps', 2, [['a/f', 2]])];
  const second = conditionsAfter(first, { ...fine, remaining, deletionFailures: ['no', 'never'] }, at('t2')) ?? [];
  const of = (type: string) => second.find((condition) => condition.type === type);
  expect(of('NamespaceContentRemaining')).toMatchObject({
    status: 'True',
    lastTransitionTime: 't2',
    message: 'Some resources are remaining: deployments.apps has 2 resource instances, pods. has 3 resource instances',
  });
  expect(of('NamespaceFinalizersRemaining')?.message).toBe(
    'Some content in the namespace has finalizers remaining: a/f in 2 resource instances, b/f in 1 resource instances',
  );
  expect(of('NamespaceDeletionContentFailure')?.message).toBe(
    'Failed to delete all resource types, 2 remaining: no, never',
  );
  expect(of('NamespaceDeletionDiscoveryFailure')?.lastTransitionTime).toBe('t1');
  const third = conditionsAfter(second, { ...fine, remaining: [left('pods', '', 1)] }, at('t3')) ?? [];
  expect(third.find(({ type }) => type === 'NamespaceContentRemaining')).toMatchObject({
    lastTransitionTime: 't2',
    message: 'Some resources are remaining: pods. has 1 resource instances',
  });
});

test('conditions of others are left alone', () => {
  const other = { type: 'Blessed', status: 'True', lastTransitionTime: 't0' };
  expect(conditionsAfter([other], fine, at('t1'))).toContainEqual(other);
});
