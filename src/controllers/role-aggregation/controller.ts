// Fills the rules of cluster roles that are made of others.

import { forEachInTurns } from '../../base/time/turns.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import { AggregatedRules, aggregationManager, isAggregated } from '../../groups/rbac/v1/aggregation.ts';
import { apiGroup } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ControllerContext, ControllerFactory } from '../controller.ts';
import { mentioning, only } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

export const roleAggregationController: ControllerFactory = (context) => {
  const group = apiGroup(context.dialect, 'rbac.authorization');
  const collection = `/apis/${group}/v1/clusterroles`;
  const aggregated = new Set<string>();
  let synced = false;

  async function work(name: string): Promise<WorkOutcome> {
    try {
      await bringUpToDate(context, collection, name);
      return 'done';
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }
  const queue = context.queue({ name: 'ClusterRoleAggregator', work });
  const lookAtAll = () => {
    if (synced) for (const name of aggregated) queue.add(name);
  };

  const isAggregated = mentioning('"aggregationRule":{');
  context.feed.subscribe({
    wants: only(group, 'clusterroles'),
    onChange({ name, json }) {
      if (json !== undefined && isAggregated(json)) aggregated.add(name);
      else aggregated.delete(name);
      lookAtAll();
    },
    onSynced() {
      synced = true;
      lookAtAll();
    },
    onRestart() {
      synced = false;
      aggregated.clear();
    },
  });
  return { close: () => queue.close() };
};

async function bringUpToDate({ client }: ControllerContext, collection: string, name: string): Promise<void> {
  const role = await client.find<ApiObject>(`${collection}/${encodeURIComponent(name)}`);
  if (role === undefined || !isAggregated(role)) return;
  const { items } = await client.list(collection);
  const aggregated = new AggregatedRules(role, items);
  // there may be thousands of them
  await forEachInTurns(aggregated.selectors, (selector) => aggregated.add(selector));
  const wanted = aggregated.result();
  if (wanted === role) return;
  const { kind, apiVersion, rules = [] } = wanted as ApiObject & { readonly rules?: readonly unknown[] };
  // with its uid, so that a role which was deleted meanwhile is not made again
  const metadata = { name, uid: role.metadata.uid };
  const collected = { kind, apiVersion, metadata, ...(rules.length > 0 ? { rules } : {}) };
  await client.apply(`${collection}/${encodeURIComponent(name)}`, collected, aggregationManager, { force: true });
}
