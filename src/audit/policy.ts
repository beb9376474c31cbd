// The audit policy: which requests are recorded, at which level and in which stages.

import { decodeConfigurationFile } from '../codec/configuration-file.ts';
import { objectMeta } from '../groups/meta/v1/types.ts';
import { apiGroup, type DialectNames } from '../meta/dialect.ts';
import { invalidValue, notSupported, required } from '../meta/field-errors.ts';
import { checkSubdomain } from '../meta/names.ts';
import type { FieldError } from '../meta/status.ts';
import { bool, field, type Infer, listOf, string, struct } from '../schema/types.ts';

/** From nothing to everything. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof levels)[number];

const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof stages)[number];

export const atLeast = (level: Level, least: Level): boolean => levels.indexOf(level) >= levels.indexOf(least);

const home = 'audit/v1';

const groupResources = struct(home, 'GroupResources', 'Resources of one API group.', {
  group: field(1, string, { about: 'The group; empty for the core group.' }),
  resources: field(2, listOf(string), { about: 'Resources, `pods/log`, `pods/*`, `*/scale` or `*`; all when empty.' }),
  resourceNames: field(3, listOf(string), { about: 'Names of objects; any when empty.' }),
});

const policyRule = struct(home, 'PolicyRule', 'What is recorded of the requests that match.', {
  level: field(1, string, { about: 'How much is recorded.' }),
  users: field(2, listOf(string), { about: 'Users; any when empty.' }),
  userGroups: field(3, listOf(string), { about: 'Groups, one of which a user has to be in; any when empty.' }),
  verbs: field(4, listOf(string), { about: 'Verbs; any when empty.' }),
  resources: field(5, listOf(groupResources), { about: 'Resources; any when empty.' }),
  namespaces: field(6, listOf(string), { about: 'Namespaces, empty text for the cluster; any when empty.' }),
  nonResourceURLs: field(7, listOf(string), { about: 'Paths outside the API; a * may stand at the end.' }),
  omitStages: field(8, listOf(string), { about: 'Stages that are not recorded.' }),
  omitManagedFields: field(9, bool, { pointer: true, about: 'Whether bodies are recorded without managedFields.' }),
});

const policyType = struct(home, 'Policy', 'What is recorded of requests; the first rule that matches counts.', {
  metadata: field(1, objectMeta, { about: 'Metadata of the file; not used.' }),
  rules: field(2, listOf(policyRule), { about: 'Rules in order.' }),
  omitStages: field(3, listOf(string), { about: 'Stages that no rule records.' }),
  omitManagedFields: field(4, bool, { about: 'What holds for rules that do not say.' }),
});

type ResourceRule = Infer<typeof groupResources>;
export type PolicyRule = Infer<typeof policyRule>;
export type Policy = Infer<typeof policyType>;

export const auditVersion = (dialect: DialectNames): string => `${apiGroup(dialect, 'audit')}/v1`;

/** Throws one error with all faults of the file. */
export async function readPolicy(bytes: Uint8Array, dialect: DialectNames): Promise<Policy> {
  const group = apiGroup(dialect, 'audit');
  const policy = (await decodeConfigurationFile(bytes, {
    group,
    versions: ['v1'],
    kind: 'Policy',
    type: policyType,
  })) as Policy;
  const errors = policyErrors(policy).map(({ field, message }) => `${field}: ${message}`);
  if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
  if (policy.rules === undefined || policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return policy;
}

function policyErrors({ rules = [] }: Policy): FieldError[] {
  return rules.flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`));
}

function ruleErrors(rule: PolicyRule, at: string): FieldError[] {
  const { level = '', nonResourceURLs: paths = [], resources = [], namespaces = [], omitStages = [] } = rule;
  const mixes = paths.length > 0 && resources.length + namespaces.length > 0;
  const why = 'rules cannot apply to both regular resources and non-resource URLs';
  return [
    ...levelErrors(level, `${at}.level`),
    ...paths.flatMap((path, index) => pathErrors(path, `${at}.nonResourceURLs[${index}]`)),
    ...resources.flatMap((one) => resourceErrors(one, `${at}.resources`)),
    ...omitStages.flatMap((stage, index) => stageErrors(stage, `${at}.omitStages[${index}]`)),
    ...(mixes ? [invalidValue(`${at}.nonResourceURLs`, paths, why)] : []),
  ];
}

function levelErrors(level: string, at: string): FieldError[] {
  if (level === '') return [required(at)];
  return levels.some((known) => known === level) ? [] : [notSupported(at, level, levels)];
}

function stageErrors(stage: string, at: string): FieldError[] {
  const isKnown = stages.some((known) => known === stage);
  return isKnown ? [] : [invalidValue(at, stage, `allowed stages are ${stages.join(',')}`)];
}

function pathErrors(path: string, at: string): FieldError[] {
  if (path === '*') return [];
  const isRooted = path.startsWith('/');
  const hasStarInside = path.slice(0, -1).includes('*');
  return [
    ...(isRooted ? [] : [invalidValue(at, path, "non-resource URL rules must begin with a '/' character")]),
    ...(hasStarInside
      ? [invalidValue(at, path, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ];
}

function resourceErrors({ group = '', resources = [], resourceNames = [] }: ResourceRule, at: string): FieldError[] {
  const advice = group === '' ? [] : checkSubdomain(group);
  const isNameless = resourceNames.length > 0 && resources.length === 0;
  const why = 'using resourceNames requires at least one resource';
  return [
    ...(advice.length === 0 ? [] : [invalidValue(`${at}.group`, group, advice.join(','))]),
    ...(isNameless ? [invalidValue(`${at}.resourceNames`, resourceNames, why)] : []),
  ];
}
