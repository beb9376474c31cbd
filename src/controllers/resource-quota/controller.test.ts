// When quotas are counted, and what a count does with charges whose objects are not stored yet.

import { expect, test } from 'vitest';
import type { ResourceQuota } from '../../groups/core/v1/quota/resource-quota-type.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { ControllerContext } from '../controller.ts';
import type { FeedListener, StoredResource } from '../object-feed.ts';
import { WorkQueue } from '../work-queue.ts';
import { resourceQuotaController } from './controller.ts';

const resource = (plural: string): StoredResource => ({
  ...{ group: '', version: 'v1', kind: plural, namespaced: true },
  plural,
});

/** A namespace with a quota of three ConfigMaps, of which one is stored and charged. */
function namespaceWithQuota() {
  const clock = new FakeClock();
  const hard = { configmaps: '3' };
  let used = '1';
  let maps = 1;
  let revision = 1;
  let listener: FeedListener | undefined;
  const quota = () =>
    ({
      ...{ kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'q', namespace: 'n' } },
      ...{ spec: { hard }, status: { hard, used: { configmaps: used } } },
    }) as unknown as ResourceQuota;
  const notify = (plural: string, name: string, json: object | undefined) =>
    listener?.onChange({
      ...{ resource: resource(plural), namespace: 'n', name, revision: ++revision },
      json: json && Buffer.from(JSON.stringify(json)),
    });
  const setUsed = (next: number) => {
    used = String(next);
    notify('resourcequotas', 'q', quota());
  };
  const context = {
    clock,
    client: {
      find: async () => quota(),
      list: async () => ({ items: [{}], metadata: { remainingItemCount: maps - 1 } }),
      replace: async (_: string, next: ResourceQuota) => setUsed(Number(next.status?.used?.['configmaps'])),
    },
    kinds: { byPlural: () => resource('configmaps') },
    feed: {
      subscribe: (next: FeedListener) => {
        listener = next;
      },
    },
    queue: ({ work }: { work(key: string): Promise<'done'> }) =>
      new WorkQueue({ clock, work, onError: (_, error) => expect.fail(String(error)) }),
  } as unknown as ControllerContext;
  const controller = resourceQuotaController(context);
  return {
    used: () => Number(used),
    charge: () => setUsed(Number(used) + 1),
    create: (name: string) => {
      maps++;
      notify('configmaps', name, {});
    },
    remove: (name: string) => {
      maps--;
      notify('configmaps', name, undefined);
    },
    /** Counts that are due run to their end. */
    pass: async (ms: number) => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: () => controller.close(),
  };
}

test('quota controller: a count arranged before a charge keeps the charge of an object that is not stored yet', async () => {
  await using quota = namespaceWithQuota();
  quota.charge();
  quota.create('one');
  await quota.pass(1000);
  // the count of this deletion is due in 100 ms
  quota.remove('one');
  await quota.pass(99);
  quota.charge();
  await quota.pass(1);
  expect(quota.used()).toBe(3);
  quota.create('two');
  await quota.pass(1000);
  await quota.pass(1000);
  expect(quota.used()).toBe(2);
});

test('quota controller: a deletion waits for the object of the newest charge, at most ten seconds', async () => {
  await using quota = namespaceWithQuota();
  quota.charge();
  quota.create('one');
  await quota.pass(900);
  quota.charge();
  quota.remove('one');
  await quota.pass(100);
  expect(quota.used()).toBe(3);
  quota.create('two');
  await quota.pass(900);
  expect(quota.used()).toBe(2);
});

test('quota controller: charges every half second do not put the count of a deletion off for ever', async () => {
  await using quota = namespaceWithQuota();
  quota.charge();
  quota.remove('one');
  for (let at = 0; at < 19; at++) {
    await quota.pass(500);
    quota.charge();
  }
  expect(quota.used()).toBe(21);
  await quota.pass(500);
  expect(quota.used()).toBe(0);
});
