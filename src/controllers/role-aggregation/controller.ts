// Fills the rules of cluster roles that are made of others.

import { isDeepStrictEqual } from 'node:util';
import { isConflict, isNotFound } from '../../client/client.ts';
import { formatLabelSelector, type LabelSelector } from '../../groups/meta/v1/label-selector.ts';
import { apiGroup } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ControllerContext, ControllerFactory } from '../controller.ts';
import { mentions, only } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

interface ClusterRole extends ApiObject {
  readonly rules?: readonly object[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export const roleAggregationController: ControllerFactory = (context) => {
  const group = apiGroup(context.dialect, 'rbac.authorization');
  const collection = `/apis/${group}/v1/clusterroles`;
  const aggregated = new Set<string>();
  let synced = false;

  async function work(name: string): Promise<WorkOutcome> {
    try {
      await aggregate(context, collection, name);
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

  context.feed.subscribe({
    wants: only(group, 'clusterroles'),
    onChange({ name, json }) {
      if (json !== undefined && mentions(json, '"aggregationRule":{')) aggregated.add(name);
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

async function aggregate({ client }: ControllerContext, collection: string, name: string): Promise<void> {
  const role = await client.find<ClusterRole>(`${collection}/${name}`);
  if (role?.aggregationRule === undefined) return;
  const rules: object[] = [];
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const query = encodeURIComponent(formatLabelSelector(selector));
    const { items } = await client.list(`${collection}?labelSelector=${query}`);
    for (const item of items) if (item.metadata.name !== name) addRules(rules, item as ClusterRole);
  }
  if (isDeepStrictEqual(role.rules ?? [], rules)) return;
  await client.replace(`${collection}/${name}`, { ...role, rules });
}

function addRules(rules: object[], role: ClusterRole): void {
  for (const rule of role.rules ?? []) if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule);
}
