// Counts the pods that a disruption budget covers whenever one of them, or the budget, changes.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { ControllerFactory } from '../controller.ts';
import { only, pathOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { reconcileBudget } from './reconcile.ts';

export const disruptionController: ControllerFactory = (context) => {
  /** Paths of budgets, by namespace. */
  const budgets = new Map<string, Set<string>>();
  const isBudget = only('policy', 'poddisruptionbudgets');
  const isPod = only('', 'pods');
  let synced = false;

  async function work(path: string): Promise<WorkOutcome> {
    try {
      return await reconcileBudget(context, path);
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }
  const queue = context.queue({ name: 'disruption', workers: 2, work });

  function onBudget(change: StoredChange): void {
    const path = pathOf(change.resource, change);
    const known = budgets.get(change.namespace) ?? new Set();
    if (change.json === undefined) known.delete(path);
    else known.add(path);
    if (known.size > 0) budgets.set(change.namespace, known);
    else budgets.delete(change.namespace);
    if (synced && change.json !== undefined) queue.add(path);
  }

  context.feed.subscribe({
    wants: (resource) => isBudget(resource) || isPod(resource),
    onChange(change) {
      if (isBudget(change.resource)) onBudget(change);
      // which labels a pod had before is not known
      else if (synced) for (const path of budgets.get(change.namespace) ?? []) queue.add(path);
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
  return { close: () => queue.close() };
};
