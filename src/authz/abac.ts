// Attribute-based access control: a file with one policy a line, read at start.

import { isJsonObject, type JsonValue } from '../base/json/json.ts';
import type { AccessAttributes, Decision, PolicyRule } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import { authenticatedGroup, type UserInfo } from '../meta/user.ts';
import type { AuthorizationModule } from './authorizer.ts';

export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

/** Throws an error that names the line. */
export function parsePolicies(text: string, dialect: Dialect): readonly AbacPolicy[] {
  const apiVersion = `abac.authorization.${dialect.labelDomain}/v1beta1`;
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '' || line.trim().startsWith('#')) return [];
    try {
      return [parsePolicy(jsonOf(line), apiVersion)];
    } catch (error) {
      throw new Error(`line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

/** The parser's own words would show what stands in the file, which may be another one with secrets. */
function jsonOf(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    throw new Error('this is no JSON');
  }
}

const fields: readonly string[] = ['user', 'group', 'readonly', 'apiGroup', 'resource', 'namespace', 'nonResourcePath'];

function parsePolicy(value: JsonValue, apiVersion: string): AbacPolicy {
  if (!isJsonObject(value) || value['apiVersion'] !== apiVersion || value['kind'] !== 'Policy')
    throw new Error(`not a Policy of ${apiVersion}`);
  const { spec = {} } = value;
  if (!isJsonObject(spec)) throw new Error('spec is not an object');
  const unknown = Object.keys(spec).find((name) => !fields.includes(name));
  if (unknown !== undefined) throw new Error(`unknown field ${JSON.stringify(unknown)}`);
  return withoutWildcards({
    user: text(spec, 'user'),
    group: text(spec, 'group'),
    readonly: spec['readonly'] === true,
    apiGroup: text(spec, 'apiGroup'),
    resource: text(spec, 'resource'),
    namespace: text(spec, 'namespace'),
    nonResourcePath: text(spec, 'nonResourcePath'),
  });
}

function text(spec: Readonly<Record<string, JsonValue>>, name: string): string {
  const value = spec[name] ?? '';
  if (typeof value !== 'string') throw new Error(`${name} is not a string`);
  return value;
}

/** All users means all users who are known. */
function withoutWildcards(policy: AbacPolicy): AbacPolicy {
  if (policy.user !== '*' && policy.group !== '*') return policy;
  const user = policy.user === '*' ? '' : policy.user;
  return { ...policy, user, group: policy.group === '' || policy.group === '*' ? authenticatedGroup : policy.group };
}

export function abacModule(policies: readonly AbacPolicy[]): AuthorizationModule {
  return {
    authorize: (attributes) => (policies.some((policy) => permits(policy, attributes)) ? allow : noMatch),
    rules: (user, namespace) => ({
      rules: policies.filter((policy) => isAbout(policy, user)).flatMap((policy) => rulesOf(policy, namespace)),
      incomplete: false,
      errors: [],
    }),
  };
}

const allow: Decision = { kind: 'allow' };
const noMatch: Decision = { kind: 'noOpinion', reason: 'No policy matched.' };
const readVerbs: readonly string[] = ['get', 'list', 'watch'];

function permits(policy: AbacPolicy, attributes: AccessAttributes): boolean {
  if (!isAbout(policy, attributes.user)) return false;
  if (policy.readonly && !readVerbs.includes(attributes.verb)) return false;
  if (!attributes.isResource) return coversPath(policy.nonResourcePath, attributes.path);
  return (
    covers(policy.namespace, attributes.namespace) &&
    covers(policy.resource, attributes.resource) &&
    covers(policy.apiGroup, attributes.group)
  );
}

/** A policy that names both a user and a group is about that user in that group. */
function isAbout({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === name) && (group === '' || groups.includes(group));
}

const covers = (policy: string, value: string) => policy === '*' || policy === value;

function coversPath(policy: string, path: string): boolean {
  if (policy === '') return false;
  return covers(policy, path) || (policy.endsWith('*') && path.startsWith(policy.slice(0, -1)));
}

function rulesOf(policy: AbacPolicy, namespace: string): PolicyRule[] {
  const verbs = policy.readonly ? readVerbs : ['*'];
  const { resource, apiGroup, nonResourcePath } = policy;
  const isHere = resource !== '' && covers(policy.namespace, namespace);
  return [
    ...(isHere ? [{ verbs, apiGroups: [apiGroup], resources: [resource] }] : []),
    ...(nonResourcePath === '' ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
  ];
}
