// Defaults, rules and columns that policies in CEL share, with the bindings that put them into force.

import { groupName } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLetterFirstLabel, checkPathSegment, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Column } from '../../../schema/column.ts';
import type { KindDefinition, Reading } from '../../../schema/resource.ts';
import type { Infer } from '../../../schema/types.ts';
import { textColumn } from '../../columns.ts';
import { formatLabelSelector, validateLabelSelector } from '../../meta/v1/label-selector.ts';
import { checked, givenOneOf, requiredChecked, requiredOneOf, type ValidationErrors } from '../../rules.ts';
import type { matchResources, paramKind, paramRef, variable } from './match-resources.ts';
import type { mutatingAdmissionPolicySpec } from './mutating-admission-policy-type.ts';
import { validateConditions, validateNamedRule, withScope } from './operation-rules.ts';

export type MatchResources = Infer<typeof matchResources>;
type ParamKind = Infer<typeof paramKind>;
type ParamRef = Infer<typeof paramRef>;
type Variable = Infer<typeof variable>;
export type CommonPolicySpec = Pick<
  Infer<typeof mutatingAdmissionPolicySpec>,
  'failurePolicy' | 'paramKind' | 'matchConstraints' | 'matchConditions' | 'variables'
>;

/** Of an annotation: values are often longer than what makes them. In bytes. */
export const longestValueExpression = 5 * 1024;

export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

function defaultedMatch(match: MatchResources): MatchResources {
  const { resourceRules, excludeResourceRules } = match;
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...match,
    ...(resourceRules ? { resourceRules: resourceRules.map(withScope) } : {}),
    ...(excludeResourceRules ? { excludeResourceRules: excludeResourceRules.map(withScope) } : {}),
  };
}

/** A policy that breaks refuses, and matches what its rules mean in every version. */
export function policyDefaults(object: ApiObject): ApiObject {
  const { spec = {} } = object as { spec?: CommonPolicySpec };
  const { matchConstraints } = spec;
  const matched = matchConstraints ? { matchConstraints: defaultedMatch(matchConstraints) } : {};
  return { ...object, spec: { failurePolicy: 'Fail', ...spec, ...matched } };
}

export function bindingDefaults(object: ApiObject): ApiObject {
  const { spec = {} } = object as { spec?: BindingSpec };
  return spec.matchResources
    ? { ...object, spec: { ...spec, matchResources: defaultedMatch(spec.matchResources) } }
    : object;
}

export function validatePolicy(spec: CommonPolicySpec): ValidationErrors {
  const { matchConstraints: match } = spec;
  return [
    ...givenOneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore']),
    ...(spec.paramKind ? validateParamKind(spec.paramKind, 'spec.paramKind') : []),
    ...(match ? validateMatch(match, 'spec.matchConstraints') : [required('spec.matchConstraints')]),
    // The rules say which types the expressions speak of.
    ...(match && !match.resourceRules?.length ? [required('spec.matchConstraints.resourceRules')] : []),
    ...validateConditions(spec.matchConditions, 'spec.matchConditions'),
    ...findEach(spec.variables ?? [], (one, index) => validateVariable(one, `spec.variables[${index}]`)),
  ];
}

export function validateBinding({ policyName, paramRef: ref, matchResources: match }: BindingSpec): ValidationErrors {
  return [
    ...requiredChecked('spec.policyName', policyName, checkSubdomain),
    ...(ref ? validateParamRef(ref, 'spec.paramRef') : []),
    ...(match ? validateMatch(match, 'spec.matchResources') : []),
  ];
}

function validateMatch(match: MatchResources, at: string): ValidationErrors {
  const { matchPolicy, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...givenOneOf(`${at}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact']),
    ...validateLabelSelector(match.namespaceSelector, `${at}.namespaceSelector`),
    ...validateLabelSelector(match.objectSelector, `${at}.objectSelector`),
    ...findEach(resourceRules, (rule, index) => validateNamedRule(rule, `${at}.resourceRules[${index}]`)),
    ...findEach(excludeResourceRules, (rule, index) => validateNamedRule(rule, `${at}.excludeResourceRules[${index}]`)),
  ];
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, at: string): ValidationErrors {
  const problems = checkLetterFirstLabel(kind.toLowerCase());
  const advice = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [
    ...validateApiVersion(apiVersion, `${at}.apiVersion`),
    ...(kind === '' ? [required(`${at}.kind`)] : problems.length > 0 ? [invalidValue(`${at}.kind`, kind, advice)] : []),
  ];
}

function validateApiVersion(apiVersion: string, at: string): ValidationErrors {
  if (apiVersion === '') return [required(at)];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalidValue(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 1 ? ['', apiVersion] : [parts[0] ?? '', parts[1] ?? ''];
  const groupProblems = group === '' ? [] : checkSubdomain(group);
  const versionProblems = version === '' ? [] : checkLetterFirstLabel(version);
  return [
    ...(groupProblems.length > 0 ? [invalidValue(at, group, groupProblems.join(','))] : []),
    ...(version === '' ? [invalidValue(at, apiVersion, 'version must be specified')] : []),
    ...(versionProblems.length > 0 ? [invalidValue(at, version, versionProblems.join(','))] : []),
  ];
}

function validateVariable({ name = '', expression = '' }: Variable, at: string): ValidationErrors {
  return [
    ...(name.trim() === ''
      ? [required(`${at}.name`, 'name is not specified')]
      : isIdentifier(name)
        ? []
        : [invalidValue(`${at}.name`, name, 'must be a valid CEL identifier')]),
    ...(expression.trim() === '' ? [required(`${at}.expression`, 'expression is not specified')] : []),
  ];
}

const reserved =
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  );

const isIdentifier = (name: string) => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.includes(name);

function validateParamRef(
  { name = '', selector, parameterNotFoundAction: action }: ParamRef,
  at: string,
): ValidationErrors {
  const both = 'name and selector are mutually exclusive';
  const hasBoth = name !== '' && selector !== undefined;
  return [
    ...(name === '' ? [] : checked(`${at}.name`, name, checkPathSegment)),
    ...(hasBoth ? [forbiddenField(`${at}.name`, both)] : []),
    ...validateLabelSelector(selector, `${at}.selector`),
    ...(hasBoth ? [forbiddenField(`${at}.selector`, both)] : []),
    ...(name === '' && selector === undefined ? [required(at, 'one of name or selector must be specified')] : []),
    ...requiredOneOf(`${at}.parameterNotFoundAction`, action, ['Deny', 'Allow']),
  ];
}

export const paramKindColumn: Column = textColumn<ApiObject & { readonly spec?: CommonPolicySpec }>(
  'ParamKind',
  'The kind of its parameters.',
  ({ spec }) => (spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>'),
);

type Binding = ApiObject & { readonly spec?: BindingSpec };

export const bindingColumns: readonly Column[] = [
  textColumn<Binding>('PolicyName', 'The policy that it puts into force.', ({ spec }) => spec?.policyName ?? ''),
  textColumn<Binding>('ParamRef', 'Where its parameters are.', ({ spec }) => paramText(spec?.paramRef)),
];

function paramText({ name, namespace, selector }: ParamRef = {}): string {
  if (name) return `${namespace || '*'}/${name}`;
  return selector ? formatLabelSelector(selector) : '<unset>';
}

const everyParameter = 'must have "get" permission on all objects of the referenced paramKind';

/** A policy with parameters reads any object of their kind. */
export function policyReading(object: ApiObject): Reading | undefined {
  const { paramKind: of } = (object as { spec?: CommonPolicySpec }).spec ?? {};
  if (of === undefined) return undefined;
  const refusal = `${everyParameter} (kind=${of.kind ?? ''}, apiVersion=${of.apiVersion ?? ''})`;
  return { field: 'spec.paramKind', of, namespace: '*', name: '*', refusal };
}

/** A binding with parameters reads those it names; their kind is what the policy says, which may be missing still. */
export const bindingReading =
  (policies: string): NonNullable<KindDefinition['readsFor']> =>
  async (object, objects, dialect) => {
    const { policyName = '', paramRef: ref } = (object as { spec?: BindingSpec }).spec ?? {};
    if (ref === undefined) return undefined;
    const resource = { group: groupName(dialect, 'admissionregistration'), version: 'v1', resource: policies };
    const policy = policyName === '' ? undefined : await objects.get(resource, { namespace: '', name: policyName });
    return {
      field: 'spec.paramRef',
      of: (policy as { spec?: CommonPolicySpec } | undefined)?.spec?.paramKind,
      namespace: ref.namespace ?? '',
      name: ref.name ?? '',
      refusal: 'does not have "get" permission on the object referenced by paramRef',
    };
  };
