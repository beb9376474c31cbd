// Puts the default roles and bindings into the store: what is missing is created, what is incomplete completed.

import { defaultRoles } from '../authz/rbac/default-roles.ts';
import { reconcile } from '../authz/rbac/reconcile-roles.ts';
import type { RoleGates } from '../authz/rbac/roles/components.ts';
import { autoUpdateAnnotation } from '../authz/rbac/roles/words.ts';
import { aggregate, isAggregated } from '../groups/rbac/v1/aggregation.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import { ApiError } from '../meta/status.ts';
import { create } from '../registry/create.ts';
import { remove } from '../registry/delete.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import { update } from '../registry/update.ts';

const options = { dryRun: false } as const;

export async function bootstrapRoles(resources: Resources, dialect: Dialect, gates: RoleGates): Promise<void> {
  const group = groupName(dialect, 'rbac.authorization');
  const annotation = autoUpdateAnnotation(dialect);
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultRoles(dialect, gates);
  const expected = {
    clusterroles: withRules(clusterRoles),
    clusterrolebindings: clusterRoleBindings,
    roles,
    rolebindings: roleBindings,
  };
  await Promise.all(
    Object.entries(expected).map(async ([plural, objects]) => {
      const registry = resources.find(group, 'v1', plural)?.registry;
      if (registry === undefined) return;
      await registry.fresh({ mode: 'latest' });
      await Promise.all(objects.map((object) => ensure(registry, object, annotation)));
    }),
  );
}

/** Aggregated roles start with their rules, before the first request. What they are made of mostly stands behind them. */
function withRules(roles: readonly ApiObject[]): readonly ApiObject[] {
  const filled = [...roles];
  for (const [index, role] of [...roles.entries()].reverse()) {
    if (isAggregated(role)) filled[index] = aggregate(role, filled);
  }
  return filled.every((role, index) => role === roles[index]) ? roles : withRules(filled);
}

async function ensure(registry: Registry, expected: ApiObject, annotation: string): Promise<void> {
  const ref: ObjectRef = { namespace: expected.metadata.namespace ?? '', name: expected.metadata.name ?? '' };
  const stored = registry.cache.get(registry.key(ref));
  if (stored === undefined) return createOnce(registry, expected);
  const change = reconcile(await registry.decoded(stored), expected, annotation);
  switch (change.action) {
    case 'keep':
      return;
    case 'update':
      await update(registry, ref, { ...options, next: () => change.object });
      return;
    case 'recreate':
      await remove(registry, ref, { options: {}, dryRun: false });
      return createOnce(registry, expected);
  }
}

async function createOnce(registry: Registry, object: ApiObject): Promise<void> {
  try {
    await create(registry, object, options);
  } catch (error) {
    // another replica was faster
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}
