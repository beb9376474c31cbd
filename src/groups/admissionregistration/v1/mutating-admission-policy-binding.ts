// MutatingAdmissionPolicyBinding: puts a MutatingAdmissionPolicy into force, optionally with parameters and a narrower scope.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import type { ValidationErrors } from '../../rules.ts';
import { matchResources, paramRef } from './match-resources.ts';
import { validateChangingOperations } from './operation-rules.ts';
import { bindingColumns, bindingDefaults, bindingReading, validateBinding } from './policy-rules.ts';

const home = 'admissionregistration/v1';

const mutatingAdmissionPolicyBindingSpec = struct(
  home,
  'MutatingAdmissionPolicyBindingSpec',
  'Desired use of a mutating policy.',
  () => ({
    policyName: field(1, string, {
      about: 'Name of the MutatingAdmissionPolicy to apply; if missing, the binding has no effect.',
    }),
    paramRef: field(2, paramRef, {
      pointer: true,
      about: 'Parameter objects for this use; needs paramKind in the policy.',
    }),
    matchResources: field(3, matchResources, {
      pointer: true,
      about: "Narrows the policy's own matching further; unset adds no limit.",
    }),
  }),
);

const mutatingAdmissionPolicyBindingType = struct(
  home,
  'MutatingAdmissionPolicyBinding',
  'Puts a MutatingAdmissionPolicy into force, optionally with parameters and a narrower scope.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, mutatingAdmissionPolicyBindingSpec, {
      always: true,
      about: 'The policy to apply, its parameters and its scope.',
    }),
  }),
);

export type MutatingAdmissionPolicyBinding = ApiObject & Infer<typeof mutatingAdmissionPolicyBindingType>;

function validate(object: MutatingAdmissionPolicyBinding): ValidationErrors {
  const { spec = {} } = object;
  const at = 'spec.matchResources.resourceRules';
  return [...validateBinding(spec), ...validateChangingOperations(spec.matchResources?.resourceRules ?? [], at)];
}

export const mutatingAdmissionPolicyBinding = defineKind(mutatingAdmissionPolicyBindingType, {
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  hashedVersion: 'v1beta1',
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [nameColumn, ...bindingColumns, ageColumn],
  strategy: { updateChecks: { metaChange: 0 }, defaults: bindingDefaults, validate },
  readsFor: bindingReading('mutatingadmissionpolicies'),
});
