// The authorization modules of a configuration, connected to the roles in the store.

import { type AuthorizationModule, accessControl, alwaysAllow, alwaysDeny } from '../authz/authorizer.ts';
import { type GrantCheck, grantCheck } from '../authz/rbac/escalation.ts';
import { rbacModule } from '../authz/rbac/rbac-module.ts';
import { type RbacPart, RoleIndex } from '../authz/rbac/role-index.ts';
import type { Clock } from '../base/clock.ts';
import type { AccessControl } from '../meta/access.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { Resources } from '../registry/resources.ts';
import { bootstrapRoles } from './bootstrap-roles.ts';
import { ResourceFollower } from './resource-follower.ts';

export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'RBAC'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export interface Authorization {
  readonly access: AccessControl;
  /** Undefined where roles decide nothing. */
  readonly checkGrant: GrantCheck | undefined;
  /** Resolves when decisions can be made. */
  start(): Promise<void>;
  close(): void;
}

export interface AuthorizationConfig {
  readonly modes: readonly AuthorizationMode[];
  readonly resources: Resources;
  readonly dialect: Dialect;
  readonly clock: Clock;
}

export function createAuthorization({ modes, resources, dialect, clock }: AuthorizationConfig): Authorization {
  const group = groupName(dialect, 'rbac.authorization');
  const index = new RoleIndex();
  const known: Readonly<Record<AuthorizationMode, () => AuthorizationModule>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    RBAC: () => rbacModule(index, group),
  };
  const access = accessControl(modes.map((mode) => known[mode]()));
  const usesRoles = modes.includes('RBAC');
  const followers = usesRoles ? followRoles(index, resources, group, clock) : [];
  return {
    access,
    checkGrant: usesRoles ? grantCheck(index, access, group) : undefined,
    async start() {
      if (!usesRoles) return;
      await bootstrapRoles(resources, dialect);
      await Promise.all(followers.map((follower) => follower.start()));
    },
    close() {
      for (const follower of followers) follower.close();
    },
  };
}

const parts: Readonly<Record<RbacPart, string>> = {
  clusterRoles: 'clusterroles',
  roles: 'roles',
  clusterRoleBindings: 'clusterrolebindings',
  roleBindings: 'rolebindings',
};

function followRoles(index: RoleIndex, resources: Resources, group: string, clock: Clock): ResourceFollower[] {
  return (Object.keys(parts) as RbacPart[]).flatMap((part) => {
    const registry = resources.find(group, 'v1', parts[part])?.registry;
    if (registry === undefined) return [];
    const follower = new ResourceFollower(registry, clock, {
      onReset: () => index.clear(part),
      onPut: (object) => index.put(part, object),
      onRemove: (object) => index.remove(part, object),
    });
    return [follower];
  });
}
