// Lets a caller act as another user, where the authorizers allow it.

import { extraIn, valuesOf } from '../authn/request-header.ts';
import { type AccessAttributes, type AccessControl, resourceAccess } from '../meta/access.ts';
import { type Dialect, groupName } from '../meta/dialect.ts';
import type { ApiRequest, Exchange } from '../meta/exchange.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { requireAllowed } from '../meta/require-access.ts';
import { badRequest } from '../meta/status.ts';
import {
  anonymousUser,
  authenticatedGroup,
  parseServiceAccount,
  serviceAccountGroups,
  type UserInfo,
  unauthenticatedGroup,
} from '../meta/user.ts';
import type { Stage } from './stage.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';

interface ImpersonateConfig {
  readonly access: AccessControl;
  readonly dialect: Dialect;
}

export function impersonate({ access, dialect }: ImpersonateConfig): Stage {
  return function impersonate(exchange) {
    // calls inside the process name their user in another way
    if (!exchange.request.hasHeader(prefix)) return undefined;
    return become(exchange, wantedUser(exchange.request), access, dialect);
  };
}

/** The user to act as, exactly as the headers say. */
function wantedUser(request: ApiRequest): UserInfo | undefined {
  const name = request.header('impersonate-user') ?? '';
  const groups = valuesOf(request, 'impersonate-group');
  const uid = request.header('impersonate-uid') ?? '';
  const extra = extraIn(request, [extraPrefix]);
  if (name !== '') return { name, groups, ...(uid === '' ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
  const [what] = [
    ...(groups.length > 0 ? ['groups'] : []),
    ...(uid === '' ? [] : ['uid']),
    ...(extra === undefined ? [] : ['extra']),
  ];
  if (what !== undefined) throw badRequest(`requested impersonation of ${what} without impersonating a user`);
  return undefined;
}

async function become(
  exchange: Exchange,
  wanted: UserInfo | undefined,
  access: AccessControl,
  dialect: Dialect,
): Promise<undefined> {
  if (wanted === undefined) return undefined;
  for (const asked of questions(exchange.user, wanted, groupName(dialect, 'authentication'))) {
    await requireAllowed(access, asked, ({ reason }) => forbiddenRequest(asked, reason));
  }
  exchange.impersonator = exchange.user;
  exchange.user = { ...wanted, groups: groupsOf(wanted) };
  return undefined;
}

/** Every part of an identity is a right of its own. */
function* questions(user: UserInfo, wanted: UserInfo, group: string): Iterable<AccessAttributes> {
  const about = (resource: string, more: Partial<AccessAttributes>) =>
    resourceAccess({ user, verb: 'impersonate', version: 'v1', resource, ...more });
  const account = parseServiceAccount(wanted.name);
  yield account === undefined ? about('users', { name: wanted.name }) : about('serviceaccounts', account);
  for (const name of wanted.groups) yield about('groups', { name });
  for (const [subresource, values] of Object.entries(wanted.extra ?? {}))
    for (const name of values) yield about('userextras', { group, subresource, name });
  if (wanted.uid !== undefined) yield about('uids', { group, name: wanted.uid });
}

/** The groups that every user of a sort is in. */
function groupsOf({ name, groups }: UserInfo): readonly string[] {
  const account = parseServiceAccount(name);
  const given = groups.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : groups;
  if (name === anonymousUser.name) return [...new Set([...given, unauthenticatedGroup])];
  const isSettled = given.includes(authenticatedGroup) || given.includes(unauthenticatedGroup);
  return isSettled ? given : [...given, authenticatedGroup];
}
