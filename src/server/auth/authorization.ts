// The authorization modules of a configuration, connected to the roles in the store.

import { type AbacPolicy, abacModule } from '../../authz/abac.ts';
import { type AuthorizationModule, accessControl, alwaysAllow, alwaysDeny } from '../../authz/authorizer.ts';
import { NodeGraph, type NodeGraphPart } from '../../authz/node/node-graph.ts';
import { nodeModule } from '../../authz/node/node-module.ts';
import { type GrantCheck, grantCheck } from '../../authz/rbac/escalation.ts';
import { rbacModule } from '../../authz/rbac/rbac-module.ts';
import { type RbacPart, RoleIndex } from '../../authz/rbac/role-index.ts';
import { RoleReport } from '../../authz/rbac/role-report.ts';
import type { RoleGates } from '../../authz/rbac/roles/components.ts';
import { PendingParts } from '../../base/pending-parts.ts';
import type { Clock } from '../../base/time/clock.ts';
import { bootstrapRoles } from '../../bootstrap/bootstrap-roles.ts';
import type { AuthorizationMode } from '../../config/authorization-options.ts';
import type { AccessControl } from '../../meta/access.ts';
import { type Dialect, groupName, labelKey } from '../../meta/dialect.ts';
import type { GroupVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { AuthorizationMetrics } from '../../metrics/authorization-metrics.ts';
import type { Resources } from '../../registry/resources.ts';
import { ResourceFollower } from '../resource-follower.ts';
import type { Authorizers, OpenAuthorizer } from './authorizers.ts';

export interface Authorization {
  readonly access: AccessControl;
  /** Undefined where roles decide nothing. */
  readonly checkGrant: GrantCheck | undefined;
  /** Answers questions about roles and bindings; undefined where these decide nothing. */
  readonly roles: RoleReport | undefined;
  /** Authorizers in force whose rights cannot be listed. */
  unlisted(): readonly string[];
  /** Makes the default roles. Resolves when decisions can be made. */
  start(): Promise<void>;
  /** For a thread that finds them made. Resolves when decisions can be made. */
  followStored(): Promise<void>;
  /** Reads what decisions about nodes depend on, which wait for it. */
  startInBackground(): void;
  close(): void;
}

interface AuthorizationParts {
  readonly authorizers: Pick<Authorizers, 'current' | 'follow'>;
  readonly metrics: AuthorizationMetrics;
  /** What ABAC goes by. */
  readonly policies: readonly AbacPolicy[];
  readonly resources: Resources;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly gates: RoleGates;
}

export function createAuthorization(parts: AuthorizationParts): Authorization {
  const { authorizers, metrics, policies, resources, dialect, clock, gates } = parts;
  const group = groupName(dialect, 'rbac.authorization');
  const index = new RoleIndex();
  const graph = new NodeGraph(labelKey(dialect, 'config.mirror'));
  const pending = new PendingParts();
  const followed = readIn(metrics.graph.timing(graph), pending);
  const known: Readonly<Record<Exclude<AuthorizationMode, 'Webhook'>, () => AuthorizationModule>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    ABAC: () => abacModule(policies),
    RBAC: () => rbacModule(index, group),
    Node: () => nodeModule(graph, dialect, gates, pending),
  };
  const moduleOf = ({ type, webhook }: OpenAuthorizer) => (type === 'Webhook' ? webhook?.module : known[type]());
  const controlOf = (all: readonly OpenAuthorizer[]) =>
    accessControl(all.map((one) => metrics.counting(one, moduleOf(one) ?? alwaysDeny)));
  const access = changeable(controlOf(authorizers.current));
  const modes = authorizers.current.map(({ type }) => type);
  const usesRoles = modes.includes('RBAC');
  const follow = followerOf(resources, clock);
  const followers = usesRoles
    ? roleParts.flatMap((part) => follow({ group, version: 'v1' }, part.toLowerCase(), index, part))
    : [];
  const nodeFollowers = modes.includes('Node')
    ? nodeParts(dialect).flatMap(([home, part]) => follow(home, part, followed, part))
    : [];
  let isFollowing = false;
  let current = authorizers.current;
  const followStored = async () => {
    if (isFollowing) return;
    isFollowing = true;
    await Promise.all(followers.map((follower) => follower.start()));
    authorizers.follow((next) => {
      current = next;
      access.become(controlOf(next));
    });
  };
  return {
    access,
    checkGrant: usesRoles ? grantCheck(index, access, group) : undefined,
    roles: usesRoles ? new RoleReport(index) : undefined,
    unlisted: () => current.filter(({ type }) => type !== 'RBAC' && type !== 'AlwaysDeny').map(({ name }) => name),
    async start() {
      const roles = usesRoles ? bootstrapRoles(resources, dialect, gates) : Promise.resolve();
      // those that are stored count, whether or not the others could be written
      await roles.catch(() => {});
      await followStored();
      await roles;
    },
    followStored,
    startInBackground() {
      for (const follower of nodeFollowers) follower.startInBackground();
    },
    close() {
      for (const follower of [...followers, ...nodeFollowers]) follower.close();
    },
  };
}

/** The graph of nodes, whose readers wait for the parts that are read. */
function readIn(graph: Fed<NodeGraphPart>, pending: PendingParts): Fed<NodeGraphPart> {
  return {
    pending,
    clear(part) {
      pending.begin(part);
      graph.clear(part);
    },
    concerns: (part, json) => graph.concerns?.(part, json) ?? true,
    put: (part, object) => graph.put(part, object),
    remove: (part, object) => graph.remove(part, object),
  };
}

/** Access control that others take over while it is in use. */
function changeable(first: AccessControl): AccessControl & { become(next: AccessControl): void } {
  let current = first;
  return {
    decide: (asked) => current.decide(asked),
    rulesFor: (user, namespace) => current.rulesFor(user, namespace),
    become(next) {
      current = next;
    },
  };
}

const roleParts: readonly RbacPart[] = ['clusterRoles', 'roles', 'clusterRoleBindings', 'roleBindings'];

const nodeParts = (dialect: Dialect): readonly (readonly [home: GroupVersion, part: NodeGraphPart])[] => [
  [{ group: '', version: 'v1' }, 'pods'],
  [{ group: '', version: 'v1' }, 'persistentvolumes'],
  [{ group: groupName(dialect, 'storage'), version: 'v1' }, 'volumeattachments'],
  [{ group: groupName(dialect, 'resource'), version: 'v1' }, 'resourceslices'],
  [{ group: groupName(dialect, 'certificates'), version: 'v1beta1' }, 'podcertificaterequests'],
];

/** Something made of several resources. */
interface Fed<Part> {
  /** Whether an object with this text may matter; all do where it is absent. */
  concerns?(part: Part, json: Uint8Array): boolean;
  /** Readers wait while the part is pending. */
  readonly pending?: PendingParts;
  clear(part: Part): void;
  put(part: Part, object: ApiObject): void;
  remove(part: Part, object: ApiObject): void;
}

function followerOf(resources: Resources, clock: Clock) {
  return <Part extends string>(
    { group, version }: GroupVersion,
    plural: string,
    fed: Fed<Part>,
    part: Part,
  ): ResourceFollower[] => {
    const registry = resources.find(group, version, plural)?.registry;
    if (registry === undefined) return [];
    const { pending } = fed;
    pending?.begin(part);
    const follower = new ResourceFollower(registry, clock, {
      ...(pending === undefined ? {} : { isAwaited: () => pending.isAwaited }),
      onReset: () => fed.clear(part),
      onShown: () => pending?.end(part),
      concerns: (json) => fed.concerns?.(part, json) ?? true,
      onPut: (object) => fed.put(part, object),
      onRemove: (object) => fed.remove(part, object),
    });
    return [follower];
  };
}
