// MutatingAdmissionPolicy: changes incoming objects with CEL expressions, without a webhook.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, numberColumn } from '../../columns.ts';
import { requiredOneOf, type ValidationErrors } from '../../rules.ts';
import {
  type MutatingAdmissionPolicy,
  type Mutation,
  mutatingAdmissionPolicyType,
} from './mutating-admission-policy-type.ts';
import { validateChangingOperations } from './operation-rules.ts';
import { paramKindColumn, policyDefaults, policyReading, validatePolicy } from './policy-rules.ts';

type Policy = MutatingAdmissionPolicy;

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
