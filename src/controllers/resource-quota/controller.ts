// Keeps the status of quotas true: what is allowed and what is used.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { ControllerFactory } from '../controller.ts';
import type { StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { reconcileQuota } from './reconcile.ts';

/** Many changes in a namespace are counted together. */
const settleMs = 100;

export const resourceQuotaController: ControllerFactory = (context) => {
  const quotasIn = new Map<string, Set<string>>();

  async function work(key: string): Promise<WorkOutcome> {
    const [namespace = '', name = ''] = key.split('/');
    try {
      await reconcileQuota(context, namespace, name);
      return 'done';
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }
  const queue = context.queue({ name: 'resource_quota_controller_resource_changes', workers: 4, work });
  /** Quotas whose next count is arranged already, so that a stream of changes does not put it off. */
  const arranged = new Set<string>();

  function recount(key: string): void {
    if (arranged.has(key)) return;
    arranged.add(key);
    context.clock.after(settleMs, () => {
      arranged.delete(key);
      queue.add(key);
    });
  }

  function onQuota({ namespace, name, json }: StoredChange): void {
    const names = quotasIn.get(namespace) ?? new Set();
    if (json === undefined) names.delete(name);
    else names.add(name);
    if (names.size === 0) quotasIn.delete(namespace);
    else quotasIn.set(namespace, names);
    if (json !== undefined) queue.add(`${namespace}/${name}`);
  }

  context.feed.subscribe({
    wants: ({ namespaced }) => namespaced,
    onChange(change) {
      if (change.resource.group === '' && change.resource.plural === 'resourcequotas') onQuota(change);
      for (const name of quotasIn.get(change.namespace) ?? []) recount(`${change.namespace}/${name}`);
    },
    onRestart: () => quotasIn.clear(),
  });
  return { close: () => queue.close() };
};
