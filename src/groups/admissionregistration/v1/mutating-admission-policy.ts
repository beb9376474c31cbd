// MutatingAdmissionPolicy: changes incoming objects with CEL expressions, without a webhook.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, numberColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { requiredOneOf, type ValidationErrors } from '../../rules.ts';
import { matchCondition, matchResources, paramKind, variable } from './match-resources.ts';
import { validateChangingOperations } from './operation-rules.ts';
import { paramKindColumn, policyDefaults, policyReading, validatePolicy } from './policy-rules.ts';

const home = 'admissionregistration/v1';

const applyConfiguration = struct(
  home,
  'ApplyConfiguration',
  "A change written as a partial object that is merged into the request's object.",
  () => ({
    expression: field(1, string, {
      about:
        'CEL expression returning an Object value, such as Object{spec: Object.spec{...}}, applied like server-side apply.',
    }),
  }),
);

const jsonPatch = struct(home, 'JSONPatch', 'A change written as a list of JSON patch steps.', () => ({
  expression: field(1, string, { about: 'CEL expression returning a list of JSONPatch{op, path, value} steps.' }),
}));

export const mutation = struct(home, 'Mutation', 'One change that a policy makes.', () => ({
  patchType: field(2, string, {
    goType: 'PatchType',
    always: true,
    required: true,
    enum: ['ApplyConfiguration', 'JSONPatch'],
    about: 'ApplyConfiguration or JSONPatch; fill the field of the same name.',
  }),
  applyConfiguration: field(3, applyConfiguration, {
    pointer: true,
    about: 'Partial object to merge in; for patchType ApplyConfiguration.',
  }),
  jsonPatch: field(4, jsonPatch, { pointer: true, about: 'Patch steps to perform; for patchType JSONPatch.' }),
}));

export const mutatingAdmissionPolicySpec = struct(
  home,
  'MutatingAdmissionPolicySpec',
  'Desired behavior of a mutating policy.',
  () => ({
    paramKind: field(1, paramKind, {
      pointer: true,
      about: 'Kind of parameter object the expressions read as params; unset means no parameters.',
    }),
    matchConstraints: field(2, matchResources, { pointer: true, about: 'Requests the policy applies to; required.' }),
    variables: field(3, listOf(variable), {
      listType: 'atomic',
      about: 'Named expressions that later expressions use as variables.<name>; they may refer to earlier ones.',
    }),
    mutations: field(4, listOf(mutation), {
      listType: 'atomic',
      about: 'Changes made in order; at least one is required.',
    }),
    failurePolicy: field(5, string, {
      goType: 'FailurePolicyType',
      pointer: true,
      enum: ['Fail', 'Ignore'],
      about: 'What a broken policy or failed evaluation does: Fail (default) rejects, Ignore lets the request through.',
    }),
    matchConditions: field(6, listOf(matchCondition), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'Extra CEL filters that must all hold; at most 64.',
    }),
    reinvocationPolicy: field(7, string, {
      goType: 'v1.ReinvocationPolicyType',
      enum: ['IfNeeded', 'Never'],
      about: 'Never runs the changes once; IfNeeded may run them again after other plugins altered the object.',
    }),
  }),
);

const mutatingAdmissionPolicyType = struct(
  home,
  'MutatingAdmissionPolicy',
  'Changes incoming objects with CEL expressions, without a webhook.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, mutatingAdmissionPolicySpec, {
      always: true,
      about: 'What the policy matches and how it changes objects.',
    }),
  }),
);

export type MutatingAdmissionPolicy = ApiObject & Infer<typeof mutatingAdmissionPolicyType>;

type Policy = MutatingAdmissionPolicy;
type Mutation = Infer<typeof mutation>;

function validate(object: Policy): ValidationErrors {
  const { spec = {} } = object;
  const { mutations = [] } = spec;
  return [
    ...validatePolicy(spec),
    ...validateChangingOperations(spec.matchConstraints?.resourceRules ?? [], 'spec.matchConstraints.resourceRules'),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...findEach(mutations, (one, index) => validateMutation(one, `spec.mutations[${index}]`)),
    ...requiredOneOf('spec.reinvocationPolicy', spec.reinvocationPolicy, ['IfNeeded', 'Never']),
  ];
}

/** The field of each type of patch. */
const patchFields = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;
type PatchType = keyof typeof patchFields;
const patchTypes = Object.keys(patchFields) as readonly PatchType[];

function validateMutation(mutation: Mutation, at: string): ValidationErrors {
  const { patchType = '' } = mutation;
  const wrong = requiredOneOf(`${at}.patchType`, patchType, patchTypes);
  if (wrong.length > 0) return wrong;
  // what the type needs comes before what it has no use for
  const others = patchTypes.filter((type) => type !== patchType);
  return [patchType as PatchType, ...others].flatMap((type) => validatePatch(mutation, type, at));
}

function validatePatch(mutation: Mutation, type: PatchType, at: string): ValidationErrors {
  const name = patchFields[type];
  const { [name]: patch, patchType } = mutation;
  if (patchType !== type)
    return patch
      ? [invalidValue(`${at}.${name}`, `{${name}}`, `must not be specified when patchType is ${patchType}`)]
      : [];
  if (!patch) return [required(`${at}.${name}`, `must be specified when patchType is ${type}`)];
  return patch.expression?.trim() ? [] : [required(`${at}.${name}.expression`)];
}

export const mutatingAdmissionPolicy = defineKind(mutatingAdmissionPolicyType, {
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  hashedVersion: 'v1beta1',
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [
    nameColumn,
    numberColumn('Mutations', 'How many changes it makes.', (o) => o.spec?.mutations?.length ?? 0),
    paramKindColumn,
    ageColumn,
  ],
  strategy: {
    updateChecks: { metaChange: 0 },
    defaults: policyDefaults,
    validate,
    validateExpressions: async (next, old, context, run) =>
      (await import('./expression-rules.ts')).validateMutatingPolicy(next, old, context, run),
  },
  readsFor: policyReading,
});
