// Whether a configuration wants to see a request, and as which version of the resource.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { type LabelSelector, selects } from '../../groups/meta/v1/label-selector.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import type { GroupVersionKind } from '../../meta/group-version.ts';
import type { ApiObject, Labels } from '../../meta/object.ts';
import { notFound } from '../../meta/status.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { Lookup } from '../lookup.ts';
import type { AdmissionRequest, Operation } from '../plugin.ts';
import { namespaceOf, namespaces } from '../request-namespace.ts';
import { isNamespaceObject, isUnlimited, matchesRule, type Rule, speaksOf, type WriteSubject } from './rule.ts';

/** What webhooks and policies select requests by. */
export interface MatchCriteria {
  /** One of them has to match; undefined for every resource. */
  readonly rules: readonly Rule[] | undefined;
  /** None of them may match. */
  readonly excludeRules?: readonly Rule[];
  /** `Equivalent` for rules that may name another version of the resource; otherwise they are taken literally. */
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

/** How the configuration sees the request. */
interface Match {
  /** The resource as the rule names it: that of the request, or the same in another version. */
  readonly definition: ResourceDefinition;
  /** What objects are shown as; other than the request's kind where they have to be converted. */
  readonly kind: GroupVersionKind;
}

interface MatchEngines {
  readonly dialect: Dialect;
  readonly objects: Pick<Lookup, 'get'>;
  /** The other versions in which a resource is served, with a subresource or without. */
  equivalents(definition: ResourceDefinition, subresource: string): readonly ResourceDefinition[];
}

/** Undefined where the request is none of those. Throws a 404 where the request's namespace, whose labels matter, is gone. */
export function matchRequest(
  criteria: MatchCriteria,
  request: AdmissionRequest,
  engines: MatchEngines,
): MaybePromise<Match | undefined> {
  const match = matchRules(criteria, request, engines);
  if (match === undefined || !matchesObject(criteria.objectSelector, request)) return undefined;
  return andThen(matchesNamespace(criteria.namespaceSelector, request, engines), (matches) =>
    matches ? match : undefined,
  );
}

/** Whether any request for a resource could match: for `covers` of a plugin. */
export function mayMatch(
  { rules, matchPolicy }: MatchCriteria,
  subject: { readonly definition: ResourceDefinition; readonly subresource: string; readonly operation: Operation },
  engines: Pick<MatchEngines, 'equivalents'>,
): boolean {
  if (rules === undefined) return true;
  if (rules.some((rule) => speaksOf(rule, subject))) return true;
  if (matchPolicy !== 'Equivalent') return false;
  const others = engines.equivalents(subject.definition, subject.subresource);
  return rules.some((rule) => others.some((definition) => speaksOf(rule, { ...subject, definition })));
}

/** Whether every request for a resource matches, as what it is: then none needs to be looked at. */
export function alwaysMatches(
  { rules, excludeRules = [], namespaceSelector, objectSelector }: MatchCriteria,
  subject: { readonly definition: ResourceDefinition; readonly subresource: string; readonly operation: Operation },
): boolean {
  if (excludeRules.length > 0 || !selectsAll(namespaceSelector) || !selectsAll(objectSelector)) return false;
  return rules === undefined || rules.some((rule) => speaksOf(rule, subject) && isUnlimited(rule));
}

const selectsAll = (selector: LabelSelector | undefined) => selector === undefined || isEmpty(selector);

function matchRules(criteria: MatchCriteria, request: AdmissionRequest, engines: MatchEngines): Match | undefined {
  const subject = subjectOf(request);
  const { rules, excludeRules = [], matchPolicy } = criteria;
  const find = (list: readonly Rule[]) => findDefinition(list, matchPolicy, subject, engines);
  if (excludeRules.length > 0 && find(excludeRules) !== undefined) return undefined;
  const definition = rules === undefined ? subject.definition : find(rules);
  if (definition === undefined) return undefined;
  const kind = definition === subject.definition ? request.kind : kindIn(definition, request, engines.dialect);
  return kind && { definition, kind };
}

/** Earlier rules count first; the version of the request before any other. */
function findDefinition(
  rules: readonly Rule[],
  matchPolicy: string | undefined,
  subject: WriteSubject,
  engines: MatchEngines,
): ResourceDefinition | undefined {
  if (rules.some((rule) => matchesRule(rule, subject))) return subject.definition;
  if (matchPolicy !== 'Equivalent') return undefined;
  const others = engines.equivalents(subject.definition, subject.subresource);
  for (const rule of rules) {
    const found = others.find((definition) => matchesRule(rule, { ...subject, definition }));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a version shows objects of the request as; undefined where it does not have the subresource. */
function kindIn(
  { group, version, kind, subresources = [] }: ResourceDefinition,
  { subresource }: AdmissionRequest,
  dialect: Dialect,
): GroupVersionKind | undefined {
  if (subresource === '') return { group, version, kind };
  const part = subresources.find(({ name }) => name === subresource);
  if (part === undefined) return undefined;
  return part.is === 'part' ? { group, version, kind } : { ...part.shows, group: groupName(dialect, part.shows.group) };
}

function subjectOf({ definition, subresource, operation, namespace, name }: AdmissionRequest): WriteSubject {
  return { definition, subresource, operation, namespace, name };
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  matchExpressions.length === 0 && Object.keys(matchLabels).length === 0;

/** Either object will do. What cannot have labels, such as the options of a connection, is never selected. */
function matchesObject(selector: LabelSelector | undefined, request: AdmissionRequest): boolean {
  if (selector === undefined || selectsAll(selector)) return true;
  if (request.operation === 'CONNECT') return false;
  const matches = (object: ApiObject | undefined) =>
    object?.metadata !== undefined && selects(selector, object.metadata.labels);
  return matches(request.object) || matches(request.oldObject);
}

/** Objects of the cluster are in no namespace, and so never exempt; a namespace has its own labels. */
function matchesNamespace(
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
  engines: MatchEngines,
): MaybePromise<boolean> {
  if (selector === undefined || selectsAll(selector)) return true;
  const isNamespace = isNamespaceObject(request.definition);
  if (request.namespace === '' && !isNamespace) return true;
  return andThen(namespaceLabels(request, isNamespace, engines), (labels) => selects(selector, labels));
}

function namespaceLabels(
  request: AdmissionRequest,
  isNamespace: boolean,
  { objects }: MatchEngines,
): MaybePromise<Labels | undefined> {
  const { operation, subresource, object, oldObject } = request;
  const isWritten = isNamespace && subresource === '';
  if (isWritten && operation !== 'DELETE') return object?.metadata.labels;
  if (isWritten && oldObject !== undefined) return oldObject.metadata.labels;
  const name = isNamespace ? request.name : request.namespace;
  const looked = isNamespace ? objects.get(namespaces, { namespace: '', name }) : namespaceOf(request, objects);
  return andThen(looked, (found) => {
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces', name });
    return found.metadata.labels;
  });
}
