// Authorization: authorizers run in order, and the first with an opinion decides.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { AccessAttributes, AccessControl, Decision, PolicyRule, SubjectRules } from '../meta/access.ts';
import { isMaster, type UserInfo } from '../meta/user.ts';

export type Authorizer = (attributes: AccessAttributes) => MaybePromise<Decision>;

/** One of the modules that are consulted. */
export interface AuthorizationModule {
  readonly authorize: Authorizer;
  /** The rights of a user in a namespace; `incomplete` if the module cannot list them. */
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
    decide: (attributes) => (isMaster(attributes.user) ? allowed : consult(authorizers, attributes, 0, [])),
    rulesFor(user, namespace) {
      const moduleRules = modules.map((module) => module.rules(user, namespace));
      return {
        rules: moduleRules.flatMap(({ rules }) => rules),
        incomplete: moduleRules.some(({ incomplete }) => incomplete),
        errors: moduleRules.flatMap(({ errors }) => errors),
      };
    },
  };
}

/** `opinions` are the reasons and errors of the modules before `from`, which had no opinion. */
function consult(
  authorizers: readonly Authorizer[],
  attributes: AccessAttributes,
  from: number,
  opinions: readonly Decision[],
): MaybePromise<Decision> {
  let opinionsSoFar = opinions;
  for (let i = from; i < authorizers.length; i++) {
    const decision = (authorizers[i] as Authorizer)(attributes);
    if (isPromise(decision)) {
      const before = opinionsSoFar;
      return decision.then((d) =>
        d.kind === 'noOpinion' ? consult(authorizers, attributes, i + 1, [...before, d]) : d,
      );
    }
    if (decision.kind !== 'noOpinion') return decision;
    if (decision.reason !== undefined || decision.error !== undefined) opinionsSoFar = [...opinionsSoFar, decision];
  }
  return undecided(opinionsSoFar);
}

const noOpinion: Decision = { kind: 'noOpinion' };

function undecided(opinionsSoFar: readonly Decision[]): Decision {
  if (opinionsSoFar.length === 0) return noOpinion;
  const reason = opinionsSoFar.map((decision) => decision.reason ?? '').filter((text) => text !== '');
  const error = opinionsSoFar.map((decision) => decision.error ?? '').filter((text) => text !== '');
  return {
    kind: 'noOpinion',
    ...(reason.length === 0 ? {} : { reason: reason.join('\n') }),
    ...(error.length === 0 ? {} : { error: error.join(', ') }),
  };
}
