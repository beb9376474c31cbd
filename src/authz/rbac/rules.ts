// Policy rules: what they allow, and whether some cover others.

import type { AccessAttributes, PolicyRule } from '../../meta/access.ts';
import { goQuoted } from '../../wording/go-format.ts';

const all = '*';
const none: readonly string[] = [];

export function allows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!allowsOne(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResource) return (rule.nonResourceURLs ?? none).some((url) => coversPath(url, attributes.path));
  return (
    allowsOne(rule.apiGroups, attributes.group) &&
    allowsResource(rule.resources ?? none, attributes.resource, attributes.subresource) &&
    allowsName(rule.resourceNames ?? none, attributes.name)
  );
}

/** A part of a question that a rule speaks of. */
export type RulePart = 'verb' | 'group' | 'resource' | 'name' | 'path';

/** The parts of a question that a rule does not allow; none for a rule that allows it. A rule about paths has other parts. */
export function missingPartsOf(rule: PolicyRule, attributes: AccessAttributes): readonly RulePart[] {
  const { verb, group, resource, subresource, name, path, isResource } = attributes;
  const { verbs, apiGroups, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const allowed: readonly (readonly [RulePart, boolean])[] = isResource
    ? [
        ['verb', allowsOne(verbs, verb)],
        ['group', allowsOne(apiGroups, group)],
        ['resource', allowsResource(resources, resource, subresource)],
        ['name', allowsName(resourceNames, name)],
      ]
    : [
        ['verb', allowsOne(verbs, verb)],
        ['path', nonResourceURLs.some((url) => coversPath(url, path))],
      ];
  return allowed.flatMap(([part, isAllowed]) => (isAllowed ? [] : [part]));
}

function allowsOne(allowed: readonly string[] = none, value: string): boolean {
  return allowed.includes(all) || allowed.includes(value);
}

function allowsResource(allowed: readonly string[], resource: string, subresource: string): boolean {
  return namesOf(resource, subresource).some((name) => allowed.includes(name));
}

/** What a rule may call a resource that it allows. */
export function namesOf(resource: string, subresource: string): readonly string[] {
  return subresource === '' ? [all, resource] : [all, `${resource}/${subresource}`, `${all}/${subresource}`];
}

/** A rule that names objects allows nothing about objects without a name, such as those still to be created. */
function allowsName(allowed: readonly string[], name: string): boolean {
  return allowed.length === 0 || allowed.includes(name);
}

/** A star at the end of a path stands for anything. */
function coversPath(allowed: string, path: string): boolean {
  if (allowed === all || allowed === path) return true;
  const prefix = pathPrefix(allowed);
  return prefix !== undefined && path.startsWith(prefix);
}

/** What paths begin with that a pattern stands for; undefined for a path that is no pattern. */
export function pathPrefix(pattern: string): string | undefined {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === all) end--;
  return end === pattern.length ? undefined : pattern.slice(0, end);
}

/**
 * The parts of `required` that no single rule of `held` covers, of one verb, group, resource and name each. Only for
 * built-in rules: a rule has as many parts as the product of its lists.
 */
export function missingParts(held: readonly PolicyRule[], required: readonly PolicyRule[]): PolicyRule[] {
  return required.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

/** A rule as many that speak of one verb, group, resource and name each. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const { verbs = none, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const parts: PolicyRule[] = [];
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs)
        for (const name of names) {
          const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
          parts.push(name === undefined ? part : { ...part, resourceNames: [name] });
        }
  for (const url of nonResourceURLs) for (const verb of verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  return parts;
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  const hasAll = (allowed: readonly string[] = none, required: readonly string[] = none) =>
    required.every((one) => allowed.includes(one));
  const isFor = (allowed: readonly string[] = none, required?: readonly string[]) =>
    allowed.includes(all) || hasAll(allowed, required);
  const names = held.resourceNames ?? none;
  return (
    isFor(held.verbs, part.verbs) &&
    isFor(held.apiGroups, part.apiGroups) &&
    (part.resources ?? none).every((resource) => coversResource(held.resources ?? none, resource)) &&
    (part.nonResourceURLs ?? none).every((url) => (held.nonResourceURLs ?? none).some((own) => coversPath(own, url))) &&
    // a name is never a pattern
    (names.length === 0 || (part.resourceNames !== undefined && hasAll(names, part.resourceNames)))
  );
}

function coversResource(held: readonly string[], resource: string): boolean {
  return [all, resource, subresourceOfAny(resource) ?? resource].some((name) => held.includes(name));
}

// `*/log` for `pods/log`: what a rule calls that subresource of any resource
export function subresourceOfAny(resource: string): string | undefined {
  const slash = resource.indexOf('/');
  return slash < 0 ? undefined : `${all}${resource.slice(slash)}`;
}

/** How long a rule is. */
export function wordsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const lists = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 1);
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const presentParts = parts.filter(([, values]) => values !== undefined && values.length > 0);
  return `{${presentParts.map(([name, values = none]) => `${name}:${quoteAll(values)}`).join(', ')}}`;
}

/** `["a" "b"]`, as messages list names. */
export const quoteAll = (values: readonly string[]) => `[${values.map(goQuoted).join(' ')}]`;
