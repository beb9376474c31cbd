// FlowSchema: defaults and what must hold.

import { isSameJson } from '../../../base/json/json.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { checked, requiredChecked, type ValidationErrors } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';
import { mandatorySpec } from './bootstrap.ts';
import type {
  FlowSchema,
  nonResourcePolicyRule,
  policyRulesWithSubjects,
  resourcePolicyRule,
  subject,
} from './flow-schema-type.ts';

type Spec = NonNullable<FlowSchema['spec']>;
type Rules = Infer<typeof policyRulesWithSubjects>;
type Subject = Infer<typeof subject>;
type ResourceRule = Infer<typeof resourcePolicyRule>;
type NonResourceRule = Infer<typeof nonResourcePolicyRule>;

const specOf = (object: FlowSchema): Spec => object.spec ?? {};
const defaultPrecedence = 1000;
const maxPrecedence = 10_000;

function defaults(object: FlowSchema): ApiObject {
  const spec = specOf(object);
  return { ...object, spec: { ...spec, matchingPrecedence: spec.matchingPrecedence || defaultPrecedence } };
}

const distinguishers = ['ByNamespace', 'ByUser'];

function validateDistinguisher(method: { readonly type?: string } | undefined): ValidationErrors {
  if (method === undefined || distinguishers.includes(method.type ?? '')) return [];
  // compat: of a method of an unknown type, all of it is shown as the invalid value
  return [
    notSupported('spec.distinguisherMethod.type', inReferenceForm('FlowDistinguisherMethod', method), distinguishers),
  ];
}

function validate(object: FlowSchema): ValidationErrors {
  const { name = '' } = object.metadata;
  const spec = specOf(object);
  const fixed = mandatorySpec('flowschemas', name);
  return [
    ...validatePrecedence(spec.matchingPrecedence ?? 0, name),
    ...validateDistinguisher(spec.distinguisherMethod),
    ...validateLevel(spec.priorityLevelConfiguration?.name ?? ''),
    ...findEach(spec.rules ?? [], (rules, index) => validateRules(rules, `spec.rules[${index}]`)),
    ...(fixed === undefined || isSameJson(spec, fixed)
      ? []
      : [
          invalidValue('spec', inReferenceForm('FlowSchemaSpec', spec), `spec of '${name}' must equal the fixed value`),
        ]),
  ];
}

function validatePrecedence(precedence: number, name: string): ValidationErrors {
  const refuse = (detail: string) => [invalidValue('spec.matchingPrecedence', precedence, detail)];
  if (precedence <= 0) return refuse('must be a positive value');
  if (precedence > maxPrecedence) return refuse(`must not be greater than ${maxPrecedence}`);
  if (precedence > 1 || name === 'exempt') return [];
  return refuse("only the schema named 'exempt' may have matchingPrecedence 1");
}

function validateLevel(name: string): ValidationErrors {
  const at = 'spec.priorityLevelConfiguration.name';
  return name === '' ? [required(at, 'must reference a priority level')] : checked(at, name, checkSubdomain);
}

function validateRules({ subjects, resourceRules, nonResourceRules }: Rules, at: string): ValidationErrors {
  const none = (resourceRules ?? []).length + (nonResourceRules ?? []).length === 0;
  const noneMessage = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return [
    ...(subjects?.length ? [] : [required(`${at}.subjects`, 'subjects must contain at least one value')]),
    ...findEach(subjects ?? [], (one, index) => validateSubject(one, `${at}.subjects[${index}]`)),
    ...(none ? [required(at, noneMessage)] : []),
    ...findEach(resourceRules ?? [], (rule, index) => validateResourceRule(rule, `${at}.resourceRules[${index}]`)),
    ...findEach(nonResourceRules ?? [], (rule, i) => validateNonResourceRule(rule, `${at}.nonResourceRules[${i}]`)),
  ];
}

const subjectFields = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const;

function validateSubject(one: Subject, at: string): ValidationErrors {
  const kinds = Object.keys(subjectFields) as (keyof typeof subjectFields)[];
  const kind = kinds.find((known) => known === one.kind);
  if (kind === undefined) return [notSupported(`${at}.kind`, one.kind ?? '', kinds)];
  const others = kinds.filter((other) => other !== kind && one[subjectFields[other]] !== undefined);
  return [
    ...validateNamed(one, kind, `${at}.${subjectFields[kind]}`),
    ...others.map((other) =>
      forbiddenField(
        `${at}.${subjectFields[other]}`,
        `${subjectFields[other]} is forbidden when subject kind is not '${other}'`,
      ),
    ),
  ];
}

function validateNamed(one: Subject, kind: keyof typeof subjectFields, at: string): ValidationErrors {
  const field = subjectFields[kind];
  const named = one[field];
  if (named === undefined) return [required(at, `${field} is required when subject kind is '${kind}'`)];
  if (kind !== 'ServiceAccount') return named.name ? [] : [required(`${at}.name`)];
  const { namespace = '' } = one.serviceAccount ?? {};
  return [
    ...(named.name === '*' ? [] : requiredChecked(`${at}.name`, named.name, checkSubdomain)),
    ...(namespace === ''
      ? [required(`${at}.namespace`, 'must specify namespace for service account')]
      : checked(`${at}.namespace`, namespace, checkLabelName)),
  ];
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function validateVerbs(given: readonly string[], at: string): ValidationErrors {
  if (given.length === 0) return [required(`${at}.verbs`, 'verbs must contain at least one value')];
  if (given.includes('*')) return onlyWildcard(given, `${at}.verbs`, 'verbs');
  return given.every((verb) => verbs.includes(verb)) ? [] : [notSupported(`${at}.verbs`, given, verbs)];
}

function onlyWildcard(given: readonly string[], at: string, what: string): ValidationErrors {
  if (given.length < 2 || !given.includes('*')) return [];
  return [invalidValue(at, given, `if '*' is present, must not specify other ${what}`)];
}

function validateResourceRule(rule: ResourceRule, at: string): ValidationErrors {
  const groups = rule.apiGroups ?? [];
  const resources = rule.resources ?? [];
  return [
    ...validateVerbs(rule.verbs ?? [], at),
    ...(groups.length === 0 ? [required(`${at}.apiGroups`, 'resource rules must supply at least one api group')] : []),
    ...onlyWildcard(groups, `${at}.apiGroups`, 'api groups'),
    ...(resources.length === 0
      ? [required(`${at}.resources`, 'resource rules must supply at least one resource')]
      : []),
    ...onlyWildcard(resources, `${at}.resources`, 'resources'),
    ...validateNamespaces(rule, `${at}.namespaces`),
  ];
}

function validateNamespaces({ namespaces, clusterScope }: ResourceRule, at: string): ValidationErrors {
  const given = namespaces ?? [];
  if (given.length === 0 && !clusterScope) {
    return [required(at, 'resource rules that are not cluster scoped must supply at least one namespace')];
  }
  if (given.includes('*')) return onlyWildcard(given, at, 'namespaces');
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return findEach(given, (name, index) =>
    checked(`${at}[${index}]`, name, (text) => checkLabelName(text).map((e) => `${intro}${e}`)),
  );
}

function validateNonResourceRule({ verbs: given, nonResourceURLs }: NonResourceRule, at: string): ValidationErrors {
  const urls = nonResourceURLs ?? [];
  const field = `${at}.nonResourceURLs`;
  return [
    ...validateVerbs(given ?? [], at),
    ...(urls.length === 0 ? [required(field, 'nonResourceURLs must contain at least one value')] : []),
    ...(urls.includes('*')
      ? onlyWildcard(urls, field, 'non-resource URLs')
      : findEach(urls, (url, index) => checked(`${field}[${index}]`, url, urlProblems))),
  ];
}

function urlProblems(path: string): readonly string[] {
  if (path === '') return ['must not be empty'];
  if (path === '/') return [];
  if (!path.startsWith('/')) return ['must start with slash'];
  if (path.includes(' ')) return ['must not contain white-space'];
  if (path.includes('//')) return ['must not contain double slash'];
  const star = path.indexOf('*');
  const suffix = star < 0 || (star === path.length - 1 && path.endsWith('/*'));
  return suffix ? [] : ['wildcard can only do suffix matching'];
}

export const flowSchemaRules: Strategy<FlowSchema> = { updateChecks: { metaChange: 0 }, defaults, validate };

interface Conditioned extends ApiObject {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

/** Conditions are named, and each is there once. */
function validateStatus({ status = {} }: Conditioned): ValidationErrors {
  const { conditions = [] } = status;
  const seen = new Set<string>();
  return findEach(conditions, ({ type = '' }, index) => {
    const at = `status.conditions[${index}].type`;
    const again = seen.has(type);
    seen.add(type);
    return [...(again ? [duplicate(at, type)] : []), ...(type === '' ? [required(at)] : [])];
  });
}

/** Metadata stays as it is, but for who owns the status. */
export const conditionsPart: PartSubresource<Conditioned> = {
  ...statusAlone,
  merge: (next, old) => ({ ...withMeta(old, { managedFields: next.metadata.managedFields }), status: next.status }),
  validateUpdate: validateStatus,
};
