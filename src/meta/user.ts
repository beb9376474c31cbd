// Users: the authenticated caller of a request.

import { checkLabelName, checkSubdomain } from './names.ts';

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const mastersGroup = 'system:masters';
export const authenticatedGroup = 'system:authenticated';
export const unauthenticatedGroup = 'system:unauthenticated';

export const anonymousUser: UserInfo = { name: 'system:anonymous', groups: [unauthenticatedGroup] };

/**
 * A known user is also in the group of all known users. A proxy or a certificate may name the anonymous user, or say that
 * a user is not known: they stay so.
 */
export function authenticated(user: UserInfo): UserInfo {
  if (user.name === anonymousUser.name) return user;
  if (user.groups.some((group) => group === authenticatedGroup || group === unauthenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** The server's own identity for calls that never leave the process. */
export const loopbackUser: UserInfo = { name: 'system:apiserver', groups: [authenticatedGroup, mastersGroup] };

const serviceAccountPrefix = 'system:serviceaccount:';
const serviceAccountsGroup = 'system:serviceaccounts';

/** The user that a service account is. */
export const serviceAccountName = (namespace: string, name: string) => `${serviceAccountPrefix}${namespace}:${name}`;

export const serviceAccountGroups = (namespace: string): readonly string[] => [
  serviceAccountsGroup,
  `${serviceAccountsGroup}:${namespace}`,
];

/** The account of a user name; undefined for other users. */
export function parseServiceAccount(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(serviceAccountPrefix.length).split(':');
  const isNamed = checkLabelName(namespace).length === 0 && checkSubdomain(name).length === 0;
  return isNamed && rest.length === 0 ? { namespace, name } : undefined;
}

const nodePrefix = 'system:node:';
const nodesGroup = 'system:nodes';

/** The node of a user; undefined for other users, empty if the name has no node. */
export function nodeOfUser({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(nodePrefix) && groups.includes(nodesGroup) ? name.slice(nodePrefix.length) : undefined;
}

/** Who may do everything, whatever the authorizers say. */
export const isMaster = ({ groups }: UserInfo) => groups.includes(mastersGroup);

const monitoringGroup = 'system:monitoring';

export const isMonitor = ({ groups }: UserInfo) => groups.includes(monitoringGroup);
