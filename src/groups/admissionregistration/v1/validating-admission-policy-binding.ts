// ValidatingAdmissionPolicyBinding: puts a ValidatingAdmissionPolicy into force, optionally with parameters and a narrower scope.

import { duplicate, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { oneOf, repeatsIn, type ValidationErrors } from '../../rules.ts';
import { matchResources, paramRef } from './match-resources.ts';
import { bindingColumns, bindingDefaults, bindingReading, validateBinding } from './policy-rules.ts';

const home = 'admissionregistration/v1';

const validatingAdmissionPolicyBindingSpec = struct(
  home,
  'ValidatingAdmissionPolicyBindingSpec',
  'Desired use of a validating policy.',
  () => ({
    policyName: field(1, string, {
      required: true,
      about: 'Name of the ValidatingAdmissionPolicy to apply; if missing, the binding has no effect.',
    }),
    paramRef: field(2, paramRef, {
      pointer: true,
      about: 'Parameter objects for this use; needs paramKind in the policy.',
    }),
    matchResources: field(3, matchResources, {
      pointer: true,
      about: "Narrows the policy's own matching further; unset adds no limit.",
    }),
    validationActions: field(4, listOf(string), {
      goType: '[]ValidationAction',
      required: true,
      enum: ['Audit', 'Deny', 'Warn'],
      listType: 'set',
      about: 'Consequences of a failed check: Deny, Warn or Audit; Deny and Warn cannot be combined.',
    }),
  }),
);

const validatingAdmissionPolicyBindingType = struct(
  home,
  'ValidatingAdmissionPolicyBinding',
  'Puts a ValidatingAdmissionPolicy into force, optionally with parameters and a narrower scope.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, validatingAdmissionPolicyBindingSpec, {
      always: true,
      required: true,
      about: 'The policy to apply, its parameters, scope and consequences.',
    }),
  }),
);

export type ValidatingAdmissionPolicyBinding = ApiObject & Infer<typeof validatingAdmissionPolicyBindingType>;

type Binding = ValidatingAdmissionPolicyBinding;

function validate(object: Binding): ValidationErrors {
  const { spec = {} } = object;
  return [...validateBinding(spec), ...validateActions(spec.validationActions ?? [], 'spec.validationActions')];
}

const known = ['Audit', 'Deny', 'Warn'];
const twice =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

function validateActions(actions: readonly string[], at: string): ValidationErrors {
  if (actions.length === 0) return [required(at, 'at least one validation action is required')];
  const isRepeated = repeatsIn(actions);
  return [
    ...findEach(actions, (action, index) => [
      ...oneOf(`${at}[${index}]`, action, known),
      ...(isRepeated(index) ? [duplicate(`${at}[${index}]`, action)] : []),
    ]),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalidValue(at, actions, twice)] : []),
  ];
}

export const validatingAdmissionPolicyBinding = defineKind(validatingAdmissionPolicyBindingType, {
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [nameColumn, ...bindingColumns, ageColumn],
  strategy: { updateChecks: { metaChange: 0 }, defaults: bindingDefaults, validate },
  readsFor: bindingReading('validatingadmissionpolicies'),
});
