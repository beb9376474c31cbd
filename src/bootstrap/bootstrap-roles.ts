// Puts the default roles and bindings into the store: missing ones are created, incomplete ones completed.

import { FieldManager } from '../apply/field-manager.ts';
import { defaultRoles } from '../authz/rbac/default-roles.ts';
import { reconcile } from '../authz/rbac/reconcile-roles.ts';
import type { RoleGates } from '../authz/rbac/roles/components.ts';
import { autoUpdateAnnotation } from '../authz/rbac/roles/words.ts';
import type { JsonObject } from '../base/json/json.ts';
import { aggregate, aggregationManager, isAggregated } from '../groups/rbac/v1/aggregation.ts';
import { type Dialect, groupName, lastAppliedAnnotation } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import { ApiError } from '../meta/status.ts';
import { formatTime } from '../meta/time.ts';
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
      const roles = new ManagedRoles(registry, dialect);
      await Promise.all(objects.map((object) => ensure(roles, object, annotation)));
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

async function ensure(roles: ManagedRoles, expected: ApiObject, annotation: string): Promise<void> {
  const { registry } = roles;
  const ref: ObjectRef = { namespace: expected.metadata.namespace ?? '', name: expected.metadata.name ?? '' };
  const stored = registry.cache.get(registry.key(ref));
  if (stored === undefined) return createOnce(roles, expected);
  const live = await registry.decoded(stored);
  const change = reconcile(live, expected, annotation);
  switch (change.action) {
    case 'keep':
      return;
    case 'update': {
      const next = await roles.updated(change.object, live);
      await update(registry, ref, { ...options, next: () => next });
      return;
    }
    case 'recreate':
      await remove(registry, ref, { options: {}, dryRun: false });
      return createOnce(roles, expected);
  }
}

async function createOnce(roles: ManagedRoles, object: ApiObject): Promise<void> {
  try {
    await create(roles.registry, await roles.created(object), options);
  } catch (error) {
    // another replica was faster
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}

/** Sets the managers of fields: the server, and for aggregated rules the controller that aggregates them. */
class ManagedRoles {
  readonly registry: Registry;
  readonly #manager: FieldManager;

  constructor(registry: Registry, dialect: Dialect) {
    this.registry = registry;
    this.#manager = new FieldManager({
      type: registry.definition.type,
      apiVersion: formatApiVersion(registry.definition),
      subresource: '',
      ignored: [],
      lastAppliedAnnotation: lastAppliedAnnotation(dialect),
      tracksAlways: dialect.rules.managedFieldsReset === 'recorded',
    });
  }

  async created(object: ApiObject): Promise<ApiObject> {
    if (!isAggregated(object)) return this.updated(object, undefined);
    const { rules, ...bare } = object as ApiObject & { readonly rules?: readonly unknown[] };
    const role = await this.updated({ ...bare, rules: null } as ApiObject, undefined);
    const { kind, apiVersion } = object;
    const config = { kind, apiVersion, metadata: { name: object.metadata.name }, rules } as unknown as JsonObject;
    const input = { live: role, config, manager: aggregationManager, force: true, now: this.#now };
    return this.#manager.apply(input);
  }

  async updated(next: ApiObject, live: ApiObject | undefined): Promise<ApiObject> {
    const manager = this.registry.context.dialect.serverName;
    return this.#manager.update({ live, next, given: 'none', manager, now: this.#now });
  }

  get #now(): string {
    return formatTime(this.registry.context.clock.now());
  }
}
