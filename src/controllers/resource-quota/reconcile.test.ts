import { expect, test } from 'vitest';
import type { ResourceQuota } from '../../groups/core/v1/quota/resource-quota-type.ts';
import type { ControllerContext } from '../controller.ts';
import { reconcileQuota } from './reconcile.ts';

/** A namespace with a quota for config maps and so many of these. */
function namespaceWith(maps: number, used?: string) {
  const hard = { configmaps: '3' };
  let quota = {
    kind: 'ResourceQuota',
    apiVersion: 'v1',
    metadata: { name: 'q', namespace: 'n' },
    spec: { hard },
    status: used === undefined ? {} : { hard, used: { configmaps: used } },
  } as unknown as ResourceQuota;
  const context = {
    client: {
      find: async () => quota,
      list: async () => ({ items: maps > 0 ? [{}] : [], metadata: { remainingItemCount: maps - 1 } }),
      replace: async (_: string, next: ResourceQuota) => {
        quota = next;
      },
    },
    kinds: { byPlural: () => ({ group: '', version: 'v1', plural: 'configmaps', namespaced: true }) },
  } as unknown as ControllerContext;
  return {
    count: (keepsCharges: boolean) => reconcileQuota(context, 'n', 'q', { keepsCharges: () => keepsCharges }),
    used: () => quota.status?.used,
  };
}

test('what is charged and not stored yet stays charged while its request may be under way', async () => {
  const { count, used } = namespaceWith(2, '3');
  expect(await count(true)).toEqual({ isFirst: false, keptCharges: true });
  expect(used()).toEqual({ configmaps: '3' });
  expect(await count(false)).toEqual({ isFirst: false, keptCharges: false });
  expect(used()).toEqual({ configmaps: '2' });
});

test('what was made before there were charges is found by the next count', async () => {
  const first = namespaceWith(1);
  expect(await first.count(false)).toEqual({ isFirst: true, keptCharges: false });
  expect(first.used()).toEqual({ configmaps: '1' });
  const more = namespaceWith(2, '1');
  expect(await more.count(true)).toEqual({ isFirst: false, keptCharges: false });
  expect(more.used()).toEqual({ configmaps: '2' });
});
