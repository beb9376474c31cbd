import { describe, expect, test } from 'vitest';
import type { Deployment } from '../../../groups/apps/v1/deployment-type.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import { maxSurge, maxUnavailable, newSetReplicas, proportions, scaleDownOld } from './amounts.ts';

const deployment = (replicas: number, rollingUpdate: object = {}, type = 'RollingUpdate'): Deployment => ({
  ...{ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'd' } },
  spec: { replicas, strategy: { type, ...(type === 'RollingUpdate' ? { rollingUpdate } : {}) } },
});

const set = (name: string, replicas: number, availableReplicas = 0): ReplicaSet => ({
  ...{ kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { name } },
  ...{ spec: { replicas }, status: { availableReplicas } },
});

describe('limits of a rolling update', () => {
  test.each([
    ['shares: more pods rounded up, fewer rounded down', 10, { maxSurge: '25%', maxUnavailable: '25%' }, 3, 2],
    ['numbers as they are', 10, { maxSurge: 1, maxUnavailable: 4 }, 1, 4],
    ['one pod may be missing where both come to zero', 2, { maxSurge: 0, maxUnavailable: '1%' }, 0, 1],
    ['no more pods may be missing than there are', 2, { maxSurge: 0, maxUnavailable: 5 }, 0, 2],
    ['without replicas none may be missing', 0, { maxSurge: 1, maxUnavailable: 1 }, 1, 0],
  ])('%s', (_, replicas, rollingUpdate, surge, unavailable) => {
    const it = deployment(replicas, rollingUpdate);
    expect([maxSurge(it), maxUnavailable(it)]).toEqual([surge, unavailable]);
  });

  test('Recreate has neither', () => {
    const it = deployment(4, {}, 'Recreate');
    expect([maxSurge(it), maxUnavailable(it)]).toEqual([0, 0]);
  });
});

test.each([
  ['grows as far as the surge allows', 10, [set('old', 10)], 0, 3],
  ['grows no further than the deployment', 10, [set('old', 2), set('new', 9)], 9, 10],
  ['stays where there are too many pods', 10, [set('old', 10), set('new', 3)], 3, 3],
])('the new replica set %s', (_, replicas, all, current, expected) => {
  expect(newSetReplicas(deployment(replicas, { maxSurge: 3 }), all, current)).toBe(expected);
});

const rolling = { maxSurge: 3, maxUnavailable: 2 };

test.each([
  ['nothing before new pods are available', [set('a', 8, 8)], set('new', 5, 0), []],
  ['as many as new pods are available', [set('a', 8, 8)], set('new', 5, 3), [['a', 5]]],
  ['pods that do not work at once', [set('a', 8, 5)], set('new', 2, 2), [['a', 6]]],
  [
    'older replica sets first',
    [set('a', 2, 2), set('b', 6, 6)],
    set('new', 5, 3),
    [
      ['a', 0],
      ['b', 5],
    ],
  ],
])('old replica sets lose %s', (_, old, current, expected) => {
  const steps = scaleDownOld(deployment(10, rolling), { current, old });
  expect(steps.map(({ set: { metadata }, replicas }) => [metadata.name, replicas])).toEqual(expected);
});

test.each([
  ['up in proportion', 15, 5, [set('a', 8), set('b', 5)], [11, 7]],
  ['down in proportion', 5, -5, [set('a', 8), set('b', 5)], [5, 3]],
  ['to nothing', 0, -13, [set('a', 8), set('b', 5)], [0, 0]],
])('replica sets are scaled %s', (_, replicas, added, sets, expected) => {
  expect(proportions(deployment(replicas, rolling), sets, { added, maxBefore: () => 13 })).toEqual(expected);
});
