// The ways in which a caller may act as another user, and what each of them asks of the authorizers.

import { type AccessAttributes, resourceAccess } from '../meta/access.ts';
import { type Dialect, groupName, kubernetes, nodeNameExtra } from '../meta/dialect.ts';
import { domainPathErrors } from '../meta/domain-path.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { checkSubdomain } from '../meta/names.ts';
import type { ApiError } from '../meta/status.ts';
import {
  anonymousUser,
  authenticatedGroup,
  mastersGroup,
  parseServiceAccount,
  serviceAccountGroups,
  type UserInfo,
  unauthenticatedGroup,
} from '../meta/user.ts';

export interface Impersonation {
  /** The request, as the authorizers see it: its caller, and what it is for. */
  readonly request: AccessAttributes;
  /** The user to act as, exactly as the headers say. */
  readonly wanted: UserInfo;
  readonly dialect: Dialect;
}

/** What has to be allowed, and what makes up for it: the right to all parts of that sort, where there are many. */
interface Question {
  readonly asked: AccessAttributes;
  readonly unless?: AccessAttributes | undefined;
}

/** A question, or an error where no right allows what comes next. */
type Step = Question | { readonly refusal: ApiError };

export interface ImpersonationMode {
  readonly name: string;
  /** The right that it goes by, where that says what the request may be for. */
  readonly constraint: string | undefined;
  applies(attempt: Impersonation): boolean;
  /** In order. Every part of an identity is its own right. */
  steps(attempt: Impersonation): readonly Step[];
  /** The user that the caller becomes. */
  user(wanted: UserInfo): UserInfo;
}

const nodePrefix = 'system:node:';
const nodesGroup = 'system:nodes';

/** The node that a user's name stands for. */
function nodeIn({ name }: UserInfo): string | undefined {
  if (!name.startsWith(nodePrefix)) return undefined;
  const node = name.slice(nodePrefix.length);
  return checkSubdomain(node).length === 0 ? node : undefined;
}

const isNameOnly = ({ uid, groups, extra }: UserInfo) =>
  uid === undefined && groups.length === 0 && extra === undefined;

/** A caller that may impersonate may do so whatever the request is for. */
const legacy: ImpersonationMode = {
  name: 'legacy',
  constraint: undefined,
  applies: () => true,
  steps: (attempt) => identitySteps(attempt, { verb: 'impersonate', core: '' }),
  user: (wanted) => settled(wanted, wanted.groups),
};

/** Who may be impersonated in a mode, and for which requests, are two rights. */
function constrained(
  name: string,
  applies: ImpersonationMode['applies'],
  refined: (asked: AccessAttributes) => AccessAttributes = (asked) => asked,
): ImpersonationMode {
  const verb = `impersonate:${name}`;
  return {
    name,
    constraint: verb,
    applies,
    steps(attempt) {
      const { request, wanted, dialect } = attempt;
      const core = groupName(dialect, 'authentication');
      const steps = identitySteps(attempt, { verb, core, node: nodeIn(wanted) });
      return [
        { asked: refined({ ...request, verb: `impersonate-on:${name}:${request.verb}` }) },
        ...steps.map((step) => ('refusal' in step ? step : { ...step, asked: refined(step.asked) })),
      ];
    },
    user: (wanted) => settled(wanted, nodeIn(wanted) === undefined ? wanted.groups : [nodesGroup]),
  };
}

/** Stands for all that a caller's token says about its node. */
const associatedNodeKeys = `authentication.${kubernetes.labelDomain}/associated-node-keys`;

/** An account that runs on a node acts as that node, whichever one it is. */
function ofAnyNode(asked: AccessAttributes): AccessAttributes {
  const keys = Object.keys(asked.user.extra ?? {}).sort();
  const user = { ...asked.user, extra: { [associatedNodeKeys]: keys } };
  return { ...asked, user, name: asked.verb.startsWith('impersonate:') ? '*' : asked.name };
}

const isOnNode = ({ request: { user }, wanted, dialect }: Impersonation): boolean => {
  const [node, ...more] = user.extra?.[nodeNameExtra(dialect)] ?? [];
  return (
    parseServiceAccount(user.name) !== undefined && more.length === 0 && node !== undefined && node === nodeIn(wanted)
  );
};

const modes: readonly ImpersonationMode[] = [
  constrained('associated-node', (attempt) => isNameOnly(attempt.wanted) && isOnNode(attempt), ofAnyNode),
  constrained('arbitrary-node', ({ wanted }) => isNameOnly(wanted) && nodeIn(wanted) !== undefined),
  constrained('serviceaccount', ({ wanted }) => isNameOnly(wanted) && parseServiceAccount(wanted.name) !== undefined),
  constrained(
    'user-info',
    ({ wanted }) => nodeIn(wanted) === undefined && parseServiceAccount(wanted.name) === undefined,
  ),
  legacy,
];

/** Those that a dialect knows, the narrowest first. */
export const modesOf = ({ rules }: Dialect): readonly ImpersonationMode[] =>
  rules.impersonation === 'constrained' ? modes : [legacy];

interface Terms {
  readonly verb: string;
  /** The group of users and groups. */
  readonly core: string;
  readonly node?: string | undefined;
}

/** From so many groups or extras on, the right to all of them is asked about first. */
const many = 4;

function identitySteps(attempt: Impersonation, terms: Terms): readonly Step[] {
  const { wanted, dialect, request } = attempt;
  const own = groupName(dialect, 'authentication');
  const { verb, core } = terms;
  const about = (resource: string, group: string, more: Partial<AccessAttributes>) =>
    resourceAccess({ user: request.user, verb, group, version: 'v1', resource, ...more });
  return [
    { asked: whoQuestion(wanted, terms, about) },
    ...(wanted.uid === undefined ? [] : [{ asked: about('uids', own, { name: wanted.uid }) }]),
    ...(core === '' ? [] : groupRefusals(wanted, about('groups', core, {}))),
    ...each(
      wanted.groups.map((name) => about('groups', core, { name })),
      core === '' ? undefined : about('groups', core, { name: '*' }),
    ),
    ...(core === '' ? [] : extraRefusals(wanted, about('userextras', own, {}))),
    ...each(
      Object.entries(wanted.extra ?? {}).flatMap(([subresource, values]) =>
        values.map((name) => about('userextras', own, { subresource, name })),
      ),
      core === '' ? undefined : about('userextras', own, { subresource: '*', name: '*' }),
    ),
  ];
}

const each = (parts: readonly AccessAttributes[], all: AccessAttributes | undefined): readonly Question[] =>
  parts.map((asked) => ({ asked, unless: parts.length < many ? undefined : all }));

type About = (resource: string, group: string, more: Partial<AccessAttributes>) => AccessAttributes;

function whoQuestion(wanted: UserInfo, { core, node }: Terms, about: About): AccessAttributes {
  if (node !== undefined) return about('nodes', core, { name: node });
  const account = parseServiceAccount(wanted.name);
  return account === undefined ? about('users', core, { name: wanted.name }) : about('serviceaccounts', core, account);
}

const refusal = (asked: AccessAttributes, what: string): Step => ({
  refusal: forbiddenRequest(asked, `impersonating ${what} is not allowed`),
});

function groupRefusals({ groups }: UserInfo, asked: AccessAttributes): readonly Step[] {
  return [
    ...(groups.includes('') ? [refusal(asked, 'the empty string group')] : []),
    ...(groups.includes(mastersGroup) ? [refusal({ ...asked, name: mastersGroup }, `the ${mastersGroup} group`)] : []),
  ];
}

function extraRefusals({ extra = {} }: UserInfo, asked: AccessAttributes): readonly Step[] {
  return Object.entries(extra).flatMap(([key, values]) => {
    const problem = extraProblem(key, values);
    return problem === undefined ? [] : [{ refusal: forbiddenRequest(asked, `impersonating ${problem}`) }];
  });
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'the empty string key in extra is not allowed';
  const wrong = domainPathErrors('extra.key', key).map(({ field, message }) => `${field}: ${message}`);
  if (wrong.length > 0)
    return `an invalid key in extra is not allowed: ${wrong.length > 1 ? `[${wrong.join(', ')}]` : wrong[0]}`;
  if (key !== key.toLowerCase()) return `a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
  return values.includes('') ? 'the empty string value in extra is not allowed' : undefined;
}

/** With the groups that every user of a sort is in. */
function settled(wanted: UserInfo, groups: readonly string[]): UserInfo {
  const account = parseServiceAccount(wanted.name);
  const given = groups.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : groups;
  const isStranger = wanted.name === anonymousUser.name || given.includes(unauthenticatedGroup);
  const group = isStranger ? unauthenticatedGroup : authenticatedGroup;
  return { ...wanted, groups: given.includes(group) ? given : [...given, group] };
}
