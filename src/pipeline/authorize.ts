// Lets through what an authorizer allows; everything else is forbidden.

import { isPromise } from '../base/maybe-promise.ts';
import type { Routes } from '../discovery/routes.ts';
import type { AccessAttributes, AccessControl, AccessNotes, Decision, PolicyRule } from '../meta/access.ts';
import { type DialectNames, groupName } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import { type FieldSelector, selectedName } from '../meta/field-selector.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { checkPathSegment } from '../meta/names.ts';
import type { RequestNotes } from '../meta/request-notes.ts';
import { askedOf } from '../meta/require-access.ts';
import type { ApiError } from '../meta/status.ts';
import { isMaster, mastersGroup } from '../meta/user.ts';
import type { Stage } from './stage.ts';

/** Told of every decision, and how long those took that had to wait for another server. */
export interface AuthorizationObserver {
  authorized(result: 'allowed' | 'denied' | 'error' | 'no_opinion', seconds: number): void;
}

interface AuthorizeConfig {
  readonly access: AccessControl;
  readonly authorizationObserver?: AuthorizationObserver;
  readonly dialect: DialectNames;
  readonly routes: Pick<Routes, 'requiredRight'>;
}

export function authorize({ access, dialect, routes, authorizationObserver: observer }: AuthorizeConfig): Stage {
  const group = groupName(dialect, 'authorization');
  const decided = (exchange: Exchange, asked: AccessAttributes, decision: Decision, seconds: number) => {
    observer?.authorized(resultOf[decision.kind], seconds);
    return obey(exchange, asked, decision, group);
  };
  const decide = (exchange: Exchange) => {
    // whether the path fits the resource is found out by dispatch: a caller without rights must not learn it
    const question = questionOf(exchange, routes);
    const attributes = exchange.notes === undefined ? question : noted(question);
    const decision = access.decide(attributes);
    // what is decided at once takes less time than it takes to read the clock
    if (!isPromise(decision)) return decided(exchange, attributes, decision, 0);
    const began = performance.now();
    return decision.then((found) => decided(exchange, attributes, found, (performance.now() - began) / 1000));
  };
  return function authorize(exchange) {
    return decide(exchange);
  };
}

const resultOf = { allow: 'allowed', deny: 'denied', noOpinion: 'no_opinion' } as const;

/** Pages about resources ask for the rights to these. */
const questionOf = (exchange: Exchange, routes: AuthorizeConfig['routes']): AccessAttributes =>
  (exchange.info.isResource ? undefined : routes.requiredRight(exchange)) ?? attributesOf(exchange);

/** The question, with a place for how it is decided. */
const noted = (question: AccessAttributes): AccessAttributes => ({
  ...question,
  notes: new DecisionNotes(isMaster(question.user) ? mastersGroup : ''),
});

class DecisionNotes implements AccessNotes {
  authorizer: string;
  rule: PolicyRule | undefined;

  constructor(authorizer: string) {
    this.authorizer = authorizer;
  }

  decidedBy(authorizer: string): void {
    this.authorizer = authorizer;
  }

  allowedBy(rule: PolicyRule): void {
    this.rule = rule;
  }
}

function note(
  notes: RequestNotes,
  { notes: noted }: AccessAttributes,
  { kind: decision, reason = '' }: Decision,
): void {
  if (!(noted instanceof DecisionNotes)) return;
  const { authorizer, rule } = noted;
  notes.authorized({ authorizer, decision, reason, ...(rule === undefined ? {} : { rule: ruleText(rule) }) });
}

const maxRuleLength = 1000;
const ruleText = (rule: PolicyRule) => JSON.stringify(rule).slice(0, maxRuleLength);

function obey(exchange: Exchange, asked: AccessAttributes, decision: Decision, group: string): undefined {
  const { audit } = exchange;
  if (exchange.notes !== undefined) note(exchange.notes, asked, decision);
  if (audit !== undefined) {
    audit.annotate(`${group}/decision`, decision.kind === 'allow' ? 'allow' : 'forbid');
    audit.annotate(`${group}/reason`, decision.reason ?? '');
  }
  if (decision.kind !== 'allow') throw refusedEarly(forbiddenRequest(asked, decision.reason));
  return undefined;
}

/** compat: what is refused before it gets to a handler tells browsers not to guess what it is */
export function refusedEarly(error: ApiError): ApiError {
  error.headers = { 'x-content-type-options': 'nosniff' };
  return error;
}

const selectingVerbs = new Set(['list', 'watch', 'deletecollection']);

/** A request as the authorizers see it. */
export function attributesOf(exchange: Exchange): AccessAttributes {
  const { info, user, request } = exchange;
  const asked = askedOf(user, info);
  // compat: paths that name the verb are authorized whatever the query selects
  if (info.verbInPath !== '' || request.rawQuery === '' || !info.isResource || !selectingVerbs.has(info.verb))
    return asked;
  return narrowed(asked, exchange);
}

function narrowed(asked: AccessAttributes, exchange: Exchange): AccessAttributes {
  const { query } = exchange;
  const fieldSelector = query.get('fieldSelector') ? orNothing(() => exchange.fieldSelector) : undefined;
  const labelSelector = query.get('labelSelector') ? orNothing(() => exchange.labelSelector) : undefined;
  return {
    ...asked,
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(asked.verb === 'deletecollection' ? {} : nameIn(fieldSelector, asked.name)),
  };
}

/** A user who may see one object may list and watch it by its name. */
function nameIn(selector: FieldSelector | undefined, given: string): { readonly name: string } {
  const name = given === '' && selector !== undefined ? (selectedName(selector) ?? '') : given;
  return { name: checkPathSegment(name).length === 0 ? name : given };
}

/** A selector that makes no sense narrows nothing; the handler will refuse it. */
function orNothing<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
