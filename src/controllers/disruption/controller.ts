// Counts the pods that a disruption budget covers whenever one of them, or the budget, changes; and takes back what an
// eviction said of a pod that is still there.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { ControllerFactory } from '../controller.ts';
import { EventRecorder } from '../event-recorder.ts';
import { only, pathOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { reconcileBudget } from './reconcile.ts';
import { clearStaleCondition, mayBeDisrupted } from './stale-condition.ts';

export const disruptionController: ControllerFactory = (context) => {
  /** Paths of budgets, by namespace. */
  const budgets = new Map<string, Set<string>>();
  const isBudget = only('policy', 'poddisruptionbudgets');
  const isPod = only('', 'pods');
  const events = new EventRecorder(context, 'controllermanager');
  let synced = false;

  async function tried(work: Promise<WorkOutcome>): Promise<WorkOutcome> {
    try {
      return await work;
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }
  const queue = context.queue({
    name: 'disruption',
    workers: 2,
    work: (path) => tried(reconcileBudget(context, events, path)),
  });
  const stale = context.queue({
    name: 'stale_pod_disruption',
    work: (path) => tried(clearStaleCondition(context, path)),
  });

  function onBudget(change: StoredChange): void {
    const path = pathOf(change.resource, change);
    const known = budgets.get(change.namespace) ?? new Set();
    if (change.json === undefined) known.delete(path);
    else known.add(path);
    if (known.size > 0) budgets.set(change.namespace, known);
    else budgets.delete(change.namespace);
    if (synced && change.json !== undefined) queue.add(path);
  }

  function onPod(change: StoredChange): void {
    if (mayBeDisrupted(change)) stale.add(pathOf(change.resource, change));
    // which labels a pod had before is not known
    if (synced) for (const path of budgets.get(change.namespace) ?? []) queue.add(path);
  }

  context.feed.subscribe({
    wants: (resource) => isBudget(resource) || isPod(resource),
    onChange(change) {
      if (isBudget(change.resource)) onBudget(change);
      else onPod(change);
    },
    onSynced() {
      synced = true;
      for (const paths of budgets.values()) for (const path of paths) queue.add(path);
    },
    onRestart() {
      synced = false;
      budgets.clear();
    },
  });
  return {
    async close() {
      await Promise.all([queue.close(), stale.close()]);
    },
  };
};
