// Type of MutatingAdmissionPolicy: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { matchCondition, matchResources, paramKind, variable } from './match-resources.ts';

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

export const mutatingAdmissionPolicyType = struct(
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

export type Mutation = Infer<typeof mutation>;
