// May they: authorizers in order, the first with an opinion decides.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { AccessAttributes, AccessControl, Decision, PolicyRule, SubjectRules } from '../meta/access.ts';
import { isMaster, type UserInfo } from '../meta/user.ts';

export type Authorizer = (asked: AccessAttributes) => MaybePromise<Decision>;

/** One of the modules that are consulted. */
export interface AuthorizationModule {
  readonly authorize: Authorizer;
  /** What a user may do in a namespace; a module that cannot tell says so. */
  rules(user: UserInfo, namespace: string): SubjectRules;
}

const allowed: Decision = { kind: 'allow' };
const noRules: SubjectRules = { rules: [], incomplete: false, errors: [] };

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const alwaysAllow: AuthorizationModule = {
  authorize: () => allowed,
  rules: () => ({ ...noRules, rules: everything }),
};

export const alwaysDeny: AuthorizationModule = {
  authorize: () => ({ kind: 'noOpinion', reason: 'Everything is forbidden.' }),
  rules: () => noRules,
};

/** All modules as one; masters may do everything, so that no mistake locks out all administrators. */
export function accessControl(modules: readonly AuthorizationModule[]): AccessControl {
  const authorizers = modules.map(({ authorize }) => authorize);
  return {
    decide: (asked) => (isMaster(asked.user) ? allowed : consult(authorizers, asked, 0, [])),
    rulesFor(user, namespace) {
      const found = modules.map((module) => module.rules(user, namespace));
      return {
        rules: found.flatMap(({ rules }) => rules),
        incomplete: found.some(({ incomplete }) => incomplete),
        errors: found.flatMap(({ errors }) => errors),
      };
    },
  };
}

/** `heard` is what the modules before `from` said besides having no opinion. */
function consult(
  authorizers: readonly Authorizer[],
  asked: AccessAttributes,
  from: number,
  heard: readonly Decision[],
): MaybePromise<Decision> {
  let said = heard;
  for (let i = from; i < authorizers.length; i++) {
    const decision = (authorizers[i] as Authorizer)(asked);
    if (isPromise(decision)) {
      const before = said;
      return decision.then((d) => (d.kind === 'noOpinion' ? consult(authorizers, asked, i + 1, [...before, d]) : d));
    }
    if (decision.kind !== 'noOpinion') return decision;
    if (decision.reason !== undefined || decision.error !== undefined) said = [...said, decision];
  }
  return undecided(said);
}

const noOpinion: Decision = { kind: 'noOpinion' };

function undecided(said: readonly Decision[]): Decision {
  if (said.length === 0) return noOpinion;
  const reason = said.map((decision) => decision.reason ?? '').filter((text) => text !== '');
  const error = said.map((decision) => decision.error ?? '').filter((text) => text !== '');
  return {
    kind: 'noOpinion',
    ...(reason.length === 0 ? {} : { reason: reason.join('\n') }),
    ...(error.length === 0 ? {} : { error: error.join(', ') }),
  };
}
