// ValidatingAdmissionPolicy: accepts or rejects incoming objects with CEL expressions, without a webhook.

import { duplicate, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int64, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { ageColumn, numberColumn } from '../../columns.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { checked, oneOf, repeatsIn, type ValidationErrors } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';
import { matchCondition, matchResources, paramKind, variable } from './match-resources.ts';
import {
  longestValueExpression,
  paramKindColumn,
  policyDefaults,
  policyReading,
  validatePolicy,
} from './policy-rules.ts';

const home = 'admissionregistration/v1';

export const validation = struct(home, 'Validation', 'One CEL check on a request.', () => ({
  expression: field(1, string, {
    always: true,
    required: true,
    about: 'CEL expression that must return true for the request to pass.',
  }),
  message: field(2, string, {
    about: 'Text shown when the check fails; required if the expression spans several lines.',
  }),
  reason: field(3, string, {
    goType: 'v1.StatusReason',
    pointer: true,
    about: 'Machine-readable failure reason: Unauthorized, Forbidden, Invalid (default) or RequestEntityTooLarge.',
  }),
  messageExpression: field(4, string, {
    about: 'CEL expression returning the failure text; takes precedence over message.',
  }),
}));

export const auditAnnotation = struct(
  home,
  'AuditAnnotation',
  'An annotation that a policy adds to the audit event of a request.',
  () => ({
    key: field(1, string, {
      always: true,
      required: true,
      about: "Annotation name, unique in the policy; the policy's name is put before it. At most 63 characters.",
    }),
    valueExpression: field(2, string, {
      always: true,
      required: true,
      about: "CEL expression returning the annotation's string, or null to leave it out.",
    }),
  }),
);

const validatingAdmissionPolicySpec = struct(
  home,
  'ValidatingAdmissionPolicySpec',
  'Desired behavior of a validating policy.',
  () => ({
    paramKind: field(1, paramKind, {
      pointer: true,
      about: 'Kind of parameter object the expressions read as params; unset means no parameters.',
    }),
    matchConstraints: field(2, matchResources, { pointer: true, about: 'Requests the policy applies to; required.' }),
    validations: field(3, listOf(validation), {
      listType: 'atomic',
      about: 'Checks to make; either this or auditAnnotations needs an entry.',
    }),
    failurePolicy: field(4, string, {
      goType: 'FailurePolicyType',
      pointer: true,
      enum: ['Fail', 'Ignore'],
      about: 'What a broken policy or failed evaluation does: Fail (default) rejects, Ignore lets the request through.',
    }),
    auditAnnotations: field(5, listOf(auditAnnotation), {
      listType: 'atomic',
      about: 'Annotations to add to audit events; either this or validations needs an entry.',
    }),
    matchConditions: field(6, listOf(matchCondition), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'Extra CEL filters that must all hold; at most 64.',
    }),
    variables: field(7, listOf(variable), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'Named expressions that other expressions use as variables.<name>; they may refer to earlier ones.',
    }),
  }),
);

export const expressionWarning = struct(
  home,
  'ExpressionWarning',
  'A problem that type checking found in one expression.',
  () => ({
    fieldRef: field(2, string, {
      always: true,
      required: true,
      about: 'Path of the faulty expression, such as "spec.validations[0].expression".',
    }),
    warning: field(3, string, { always: true, required: true, about: 'Readable report of what type checking found.' }),
  }),
);

const typeChecking = struct(
  home,
  'TypeChecking',
  "Results of checking a policy's expressions against known types.",
  () => ({
    expressionWarnings: field(1, listOf(expressionWarning), {
      listType: 'atomic',
      about: 'Problems found, one entry per expression.',
    }),
  }),
);

const validatingAdmissionPolicyStatus = struct(
  home,
  'ValidatingAdmissionPolicyStatus',
  'Observed state of a validating policy.',
  () => ({
    observedGeneration: field(1, int64, { about: 'The metadata.generation that was checked last.' }),
    typeChecking: field(2, typeChecking, {
      pointer: true,
      about: 'Warnings from type checking; set once checking has finished.',
    }),
    conditions: field(3, listOf(condition), {
      listType: 'map',
      mapKeys: ['type'],
      about: 'Current observations, at most one entry per type.',
    }),
  }),
);

const validatingAdmissionPolicyType = struct(
  home,
  'ValidatingAdmissionPolicy',
  'Accepts or rejects incoming objects with CEL expressions, without a webhook.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, validatingAdmissionPolicySpec, {
      always: true,
      about: 'What the policy matches and which checks it makes.',
    }),
    status: field(3, validatingAdmissionPolicyStatus, {
      always: true,
      about: 'Results of checking the policy itself; read-only for users.',
    }),
  }),
);

export type ValidatingAdmissionPolicy = ApiObject & Infer<typeof validatingAdmissionPolicyType>;

type Policy = ValidatingAdmissionPolicy;
type Spec = NonNullable<Policy['spec']>;

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const mostAnnotations = 20;

function validate(object: Policy): ValidationErrors {
  const { metadata, spec = {} } = object;
  return [...validatePolicy(spec), ...validateChecks(spec, metadata.name ?? '')];
}

function validateChecks({ validations = [], auditAnnotations = [] }: Spec, name: string): ValidationErrors {
  const at = 'spec.auditAnnotations';
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', detail), required(at, detail)];
  }
  const isRepeated = repeatsIn(auditAnnotations.map(({ key = '' }) => key));
  return [
    ...findEach(validations, (one, index) => validateCheck(one, `spec.validations[${index}]`)),
    ...(auditAnnotations.length > mostAnnotations
      ? [
          invalidValue(
            at,
            inReferenceForm('AuditAnnotation', auditAnnotations),
            `must not have more than ${mostAnnotations} auditAnnotations`,
          ),
        ]
      : []),
    ...findEach(auditAnnotations, (one, index) => [
      ...validateAnnotation(one, name, `${at}[${index}]`),
      ...(isRepeated(index) ? [duplicate(`${at}[${index}].key`, one.key)] : []),
    ]),
  ];
}

function validateCheck(check: Infer<typeof validation>, at: string): ValidationErrors {
  const { expression = '', message = '', messageExpression = '', reason } = check;
  return [
    ...(expression.trim() === '' ? [required(`${at}.expression`, 'expression is not specified')] : []),
    ...(isBlank(messageExpression)
      ? [invalidValue(`${at}.messageExpression`, messageExpression, 'must be non-empty if specified')]
      : []),
    ...(isBlank(message) ? [invalidValue(`${at}.message`, message, 'must be non-empty if specified')] : []),
    ...(/[\n\r]/.test(message.trim()) ? [invalidValue(`${at}.message`, message, 'must not contain line breaks')] : []),
    ...(reason === undefined ? [] : oneOf(`${at}.reason`, reason, reasons)),
  ];
}

/** Something was given, and it says nothing. */
const isBlank = (text: string) => text !== '' && text.trim() === '';

function validateAnnotation(annotation: Infer<typeof auditAnnotation>, name: string, at: string): ValidationErrors {
  const { key = '', valueExpression = '' } = annotation;
  const length = Buffer.byteLength(valueExpression.trim());
  const detail =
    length === 0 ? 'valueExpression is not specified' : `must not exceed ${longestValueExpression} bytes in length`;
  return [
    ...(name === ''
      ? [invalidValue(`${at}.key`, key, 'requires metadata.name be non-empty')]
      : checked(`${at}.key`, `${name}/${key}`, checkQualifiedName)),
    ...(length === 0 || length > longestValueExpression ? [required(`${at}.valueExpression`, detail)] : []),
  ];
}

/** What type checking reports has a place and a text. */
function validateStatus(object: Policy): ValidationErrors {
  const { status = {} } = object;
  const at = 'status.typeChecking.expressionWarnings';
  return [
    ...findEach(status.typeChecking?.expressionWarnings ?? [], ({ fieldRef = '', warning = '' }, index) => [
      ...(warning === '' ? [required(`${at}[${index}].warning`)] : []),
      ...(fieldRef.trim() === '' ? [required(`${at}[${index}].fieldRef`)] : []),
    ]),
    ...validateConditionList(status.conditions, 'status.conditions'),
  ];
}

export const validatingAdmissionPolicy = defineKind(validatingAdmissionPolicyType, {
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: ['status'],
  quirks: { conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [
    nameColumn,
    numberColumn('Validations', 'How many checks it makes.', (o) => o.spec?.validations?.length ?? 0),
    paramKindColumn,
    ageColumn,
  ],
  strategy: {
    updateChecks: { metaChange: 0 },
    defaults: policyDefaults,
    validate,
    validateExpressions: async (next, old, context, run) =>
      (await import('./expression-rules.ts')).validateValidatingPolicy(next, old, context, run),
  },
  readsFor: policyReading,
  subresources: [{ ...statusAlone, validateUpdate: validateStatus }],
});
