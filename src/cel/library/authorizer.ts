// Checks of rights inside of expressions: the user is settled by the code that gives the authorizer.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { checkLabelName, checkSubdomain } from '../../meta/names.ts';
import { AnswerNeeded } from '../answer-needed.ts';
import { type Library, member } from '../declarations.ts';
import { bool, string } from '../types.ts';
import { EvaluationError, OpaqueValue } from '../values.ts';
import { vendorType } from './vendor.ts';

/** What an expression asks; texts that were not given are empty. */
export interface RightsQuery {
  readonly verb: string;
  /** Instead of the one whose request it is. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  /** Of a request that is for no resource. */
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface RightsDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/**
 * What the environment supplies. It may answer at once or with a promise; a run that meets a promise throws
 * `AnswerNeeded` and is repeated later. Answers are cached in the `AuthorizerValue`, so that each check runs once.
 */
export interface RightsChecker {
  check(query: RightsQuery): MaybePromise<RightsDecision>;
}

export const authorizerType = vendorType('authorization.Authorizer');
export const resourceCheckType = vendorType('authorization.ResourceCheck');
const pathCheckType = vendorType('authorization.PathCheck');
const groupCheckType = vendorType('authorization.GroupCheck');
const decisionType = vendorType('authorization.Decision');

type Query = Omit<RightsQuery, 'verb'>;

const nothing: Query = { group: '', resource: '', subresource: '', namespace: '', name: '' };

/** A question that is being put together. */
abstract class QueryValue extends OpaqueValue {
  readonly answers: Answers;
  readonly query: Query;

  constructor(answers: Answers, query: Query) {
    super();
    this.answers = answers;
    this.query = query;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends QueryValue {
  readonly type = authorizerType;

  static of(checker: RightsChecker): AuthorizerValue {
    return new AuthorizerValue(new Answers(checker), nothing);
  }

  /** The variable for the resource of a request. */
  forResource(query: Partial<Query>): ResourceCheckValue {
    return new ResourceCheckValue(this.answers, { ...this.query, ...query });
  }
}

class PathCheckValue extends QueryValue {
  readonly type = pathCheckType;
}
class GroupCheckValue extends QueryValue {
  readonly type = groupCheckType;
}
class ResourceCheckValue extends QueryValue {
  readonly type = resourceCheckType;
}

class DecisionValue extends OpaqueValue {
  readonly type = decisionType;
  readonly decision: RightsDecision;

  constructor(decision: RightsDecision) {
    super();
    this.decision = decision;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** Answers by question. A budget pays for two questions, so there are never many. */
class Answers {
  readonly #checker: RightsChecker;
  readonly #cachedAnswer = new Map<string, DecisionValue>();

  constructor(checker: RightsChecker) {
    this.#checker = checker;
  }

  ask(query: RightsQuery): DecisionValue {
    const key = JSON.stringify(query);
    const cachedAnswer = this.#cachedAnswer.get(key);
    if (cachedAnswer !== undefined) return cachedAnswer;
    const answer = this.#checker.check(query);
    if (!isPromise(answer)) return this.#keep(key, answer);
    throw new AnswerNeeded(answer.then((decision) => this.#keep(key, decision)));
  }

  #keep(key: string, decision: RightsDecision): DecisionValue {
    const value = new DecisionValue(decision);
    this.#cachedAnswer.set(key, value);
    return value;
  }
}

function required(text: string, what: string): string {
  if (text.trim() === '') throw new EvaluationError(`${what} must not be empty`);
  return text;
}

function serviceAccount({ answers, query }: QueryValue, namespace: string, name: string): AuthorizerValue {
  const faults = checkSubdomain(name);
  if (faults.length > 0) throw new EvaluationError(`Invalid service account name`);
  if (checkLabelName(namespace).length > 0) throw new EvaluationError(`Invalid service account namespace`);
  return new AuthorizerValue(answers, { ...query, serviceAccount: { namespace, name } });
}

const narrowed = (id: string, change: (text: string) => Partial<Query>) => [
  member(
    id,
    [resourceCheckType, string],
    resourceCheckType,
    ({ answers, query }: QueryValue, text: string) => new ResourceCheckValue(answers, { ...query, ...change(text) }),
  ),
];

const check = ({ answers, query }: QueryValue, verb: string): DecisionValue => answers.ask({ ...query, verb });

export const authorization: Library = {
  functions: {
    path: [
      member(
        'authorizer_path',
        [authorizerType, string],
        pathCheckType,
        ({ answers, query }: QueryValue, text: string) =>
          new PathCheckValue(answers, { ...query, path: required(text, 'path') }),
      ),
    ],
    group: [
      member(
        'authorizer_group',
        [authorizerType, string],
        groupCheckType,
        ({ answers, query }: QueryValue, group: string) => new GroupCheckValue(answers, { ...query, group }),
      ),
    ],
    serviceAccount: [
      member('authorizer_serviceaccount', [authorizerType, string, string], authorizerType, serviceAccount),
    ],
    resource: [
      member(
        'groupcheck_resource',
        [groupCheckType, string],
        resourceCheckType,
        ({ answers, query }: QueryValue, text: string) =>
          new ResourceCheckValue(answers, { ...query, resource: required(text, 'resource') }),
      ),
    ],
    subresource: narrowed('resourcecheck_subresource', (subresource) => ({ subresource })),
    namespace: narrowed('resourcecheck_namespace', (namespace) => ({ namespace })),
    name: narrowed('resourcecheck_name', (name) => ({ name })),
    fieldSelector: narrowed('authorizer_fieldselector', (fieldSelector) => ({ fieldSelector })),
    labelSelector: narrowed('authorizer_labelselector', (labelSelector) => ({ labelSelector })),
    check: [
      member('pathcheck_check', [pathCheckType, string], decisionType, check),
      member('resourcecheck_check', [resourceCheckType, string], decisionType, check),
    ],
    allowed: [member('decision_allowed', [decisionType], bool, ({ decision }: DecisionValue) => decision.allowed)],
    reason: [member('decision_reason', [decisionType], string, ({ decision }: DecisionValue) => decision.reason)],
    errored: [
      member('decision_errored', [decisionType], bool, ({ decision }: DecisionValue) => decision.error !== undefined),
    ],
    error: [member('decision_error', [decisionType], string, ({ decision }: DecisionValue) => decision.error ?? '')],
  },
};
