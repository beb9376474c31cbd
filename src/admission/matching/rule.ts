// Which writes a rule of a configuration speaks of: operations, resources, scope and, where it names some, objects.

import type { ResourceDefinition } from '../../schema/resource.ts';
import { type Operation, objectsOf } from '../plugin.ts';

/** A rule as it is stored; `*` stands for everything. */
export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  // such as `pods`, `pods/status`, `pods/*`, `*/scale`, `*`, which is without subresources, and `*/*`
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Objects it is limited to; empty for all. */
  readonly resourceNames?: readonly string[];
}

/** What is written, apart from the object. */
export interface WriteSubject {
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly operation: Operation;
  readonly namespace: string;
  readonly name: string;
}

const isNamespaces = objectsOf('', 'namespaces');

/** Requests about a namespace are requests of the namespace too, and still about an object of the cluster. */
export const isNamespaceObject = (definition: ResourceDefinition) => isNamespaces(definition, '');

/** Whether a rule speaks of a resource at all, whatever the object. */
export function speaksOf(rule: Rule, subject: Omit<WriteSubject, 'namespace' | 'name'>): boolean {
  const { definition, subresource, operation } = subject;
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, definition.group) &&
    has(rule.apiVersions, definition.version) &&
    namesResource(rule.resources, definition.plural, subresource) &&
    mayBeInScope(rule.scope, definition)
  );
}

export function matchesRule(rule: Rule, subject: WriteSubject): boolean {
  return speaksOf(rule, subject) && isInScope(rule.scope, subject) && isNamed(rule.resourceNames, subject.name);
}

/** Whether a rule means all objects of a resource that it speaks of. */
export const isUnlimited = ({ scope = '*', resourceNames = [] }: Rule) => scope === '*' && resourceNames.length === 0;

const has = (list: readonly string[] | undefined, value: string) =>
  list !== undefined && (list.includes('*') || list.includes(value));

function namesResource(resources: readonly string[] = [], plural: string, subresource: string): boolean {
  return resources.some((text) => {
    const slash = text.indexOf('/');
    const resource = slash < 0 ? text : text.slice(0, slash);
    const part = slash < 0 ? '' : text.slice(slash + 1);
    return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
  });
}

function mayBeInScope(scope: string | undefined, definition: ResourceDefinition): boolean {
  if (scope === undefined || scope === '*') return true;
  return (scope === 'Namespaced') === definition.namespaced;
}

function isInScope(scope: string | undefined, { definition, namespace }: WriteSubject): boolean {
  if (scope === undefined || scope === '*') return true;
  const isNamespaced = namespace !== '' && !isNamespaceObject(definition);
  return scope === 'Namespaced' ? isNamespaced : scope === 'Cluster' && !isNamespaced;
}

const isNamed = (names: readonly string[] = [], name: string) => names.length === 0 || names.includes(name);
