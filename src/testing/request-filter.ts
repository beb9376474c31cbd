// Which requests a fault or a question to the journal is about.

import { suggestion } from '../base/text/nearest-name.ts';
import { OptionError } from '../config/option-error.ts';
import type { Exchange } from '../meta/exchange.ts';
import { condition, pattern, problemWith, text, texts } from './given-options.ts';

/** A request as the server has understood it. */
export interface SeenRequest {
  /** get, list, watch, create, update, patch, delete or deletecollection; in lower case the method where it is for no resource. */
  readonly verb: string;
  /** With the query. */
  readonly path: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, such as `pods`; empty for requests that are for no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** A new object has its name in the body, which the journal knows and faults do not. */
  readonly name: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** The user who impersonates another one. */
  readonly impersonator: string | undefined;
  readonly userAgent: string;
}

/** What a filter may have. */
const filterTypes = {
  verb: texts,
  resource: texts,
  group: texts,
  namespace: texts,
  name: texts,
  user: texts,
  userAgent: text,
  path: pattern,
  where: condition,
} satisfies Record<keyof RequestFilter, unknown>;

type OneOrMore = string | readonly string[];

/** Requests for which all that is given is true. */
export interface RequestFilter {
  /** Verbs; `write` stands for all that change something, `read` for get, list and watch. */
  readonly verb?: OneOrMore;
  /** Plurals, with a subresource as in `pods/status`; without one requests for subresources are meant too. */
  readonly resource?: OneOrMore;
  readonly group?: OneOrMore;
  readonly namespace?: OneOrMore;
  readonly name?: OneOrMore;
  readonly user?: OneOrMore;
  /** Its beginning. */
  readonly userAgent?: string;
  /** Part of the path and query, or a pattern for it. */
  readonly path?: string | RegExp;
  /** Anything else. */
  readonly where?: (request: SeenRequest) => boolean;
}

const verbSets: Readonly<Record<string, readonly string[]>> = {
  write: ['create', 'update', 'patch', 'delete', 'deletecollection'],
  read: ['get', 'list', 'watch'],
};

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
/** Requests that are for no resource have their method as a verb. */
const methods = ['post', 'put', 'head', 'options'];

/** The error of a filter; undefined if it is valid. An invalid filter would match every request, or none. */
export function filterProblem(filter: unknown): string | undefined {
  const problem = problemWith('filter', filter, filterTypes);
  if (problem !== undefined) return problem;
  const knownVerbs = [...verbs, ...Object.keys(verbSets), ...methods];
  const unknown = [(filter as RequestFilter).verb ?? []].flat().find((verb) => !knownVerbs.includes(verb));
  if (unknown === undefined) return undefined;
  return `filter.verb: ${JSON.stringify(unknown)} is not a verb${suggestion(unknown, knownVerbs) || `; use ${knownVerbs.join(', ')}`}`;
}

/** Throws an OptionError for a filter that is wrong. */
export function checkFilter(filter: RequestFilter): void {
  const problem = filterProblem(filter);
  if (problem !== undefined) throw new OptionError(problem);
}

export function seenRequest({ request, info, user, impersonator }: Exchange): SeenRequest {
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return {
    ...{ verb, group, version, resource, subresource, namespace, name },
    path: request.rawQuery === '' ? request.path : `${request.path}?${request.rawQuery}`,
    user: user.name,
    groups: user.groups,
    impersonator: impersonator?.name,
    userAgent: request.header('user-agent') ?? '',
  };
}

export function matches(filter: RequestFilter, request: SeenRequest): boolean {
  const { userAgent, path, where } = filter;
  return (
    isOneOf(verbsOf(filter.verb), request.verb) &&
    isResource(filter.resource, request) &&
    isOneOf(filter.group, request.group) &&
    isOneOf(filter.namespace, request.namespace) &&
    isOneOf(filter.name, request.name) &&
    isOneOf(filter.user, request.user) &&
    (userAgent === undefined || request.userAgent.startsWith(userAgent)) &&
    (path === undefined || (typeof path === 'string' ? request.path.includes(path) : path.test(request.path))) &&
    (where === undefined || where(request))
  );
}

const isOneOf = (accepted: OneOrMore | undefined, value: string) =>
  accepted === undefined || (typeof accepted === 'string' ? accepted === value : accepted.includes(value));

const verbsOf = (verb: OneOrMore | undefined): OneOrMore | undefined =>
  verb === undefined ? undefined : [verb].flat().flatMap((one) => verbSets[one] ?? [one]);

function isResource(accepted: OneOrMore | undefined, { resource, subresource }: SeenRequest): boolean {
  return isOneOf(accepted, resource) || isOneOf(accepted, `${resource}/${subresource}`);
}

/** What a filter asks for, in words. */
export function describeFilter({ where, ...filter }: RequestFilter): string {
  const parts = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value instanceof RegExp ? String(value) : [value].flat().join(' or ')}`);
  return [...parts, ...(where === undefined ? [] : ['a condition'])].join(', ') || 'anything';
}
