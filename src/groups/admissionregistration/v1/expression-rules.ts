// What must hold of the expressions in webhooks and policies. Loads the language: import it when there is an object to check.

import { isDeepStrictEqual } from 'node:util';
import { type CompiledTo, compileTo } from '../../../cel/compile-to.ts';
import type { Environment } from '../../../cel/environment.ts';
import { partialObjectType, patchStepType } from '../../../cel/library/json-patch.ts';
import { bool, type CelType, list, nullType, string } from '../../../cel/types.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Infer } from '../../../schema/types.ts';
import type { Findings } from '../../rules.ts';
import { admissionEnvironment, PolicyVariables } from './expression-environment.ts';
import type { matchCondition } from './match-resources.ts';
import type { MutatingAdmissionPolicy, mutation } from './mutating-admission-policy.ts';
import type { MutatingWebhookConfiguration } from './mutating-webhook-configuration.ts';
import { longestValueExpression } from './policy-rules.ts';
import type { auditAnnotation, ValidatingAdmissionPolicy, validation } from './validating-admission-policy.ts';

type Conditions = readonly Infer<typeof matchCondition>[];
type MutatingSpec = NonNullable<MutatingAdmissionPolicy['spec']>;
type ValidatingSpec = NonNullable<ValidatingAdmissionPolicy['spec']>;
/** What policies have alike. */
type CommonSpec = Pick<MutatingSpec, 'paramKind' | 'matchConditions' | 'variables'>;

/** Conditions under which webhooks are asked; those that were there before stay. */
export function validateWebhookExpressions(next: ApiObject, old: ApiObject | undefined): Findings {
  const all = conditionsOf(next);
  if (old && isDeepStrictEqual(all, conditionsOf(old))) return [];
  return all.flatMap((conditions, index) =>
    validateConditionExpressions(conditions, false, `webhooks[${index}].matchConditions`),
  );
}

const conditionsOf = (object: ApiObject): readonly Conditions[] =>
  ((object as MutatingWebhookConfiguration).webhooks ?? []).map(({ matchConditions = [] }) => matchConditions);

export function validateValidatingPolicy(next: ApiObject, old: ApiObject | undefined): Findings {
  const { spec = {} } = next as ValidatingAdmissionPolicy;
  const before = (old as ValidatingAdmissionPolicy | undefined)?.spec;
  return [
    ...validatePolicyConditions(spec, before),
    ...(before && isDeepStrictEqual(checksOf(spec), checksOf(before)) ? [] : validateChecks(spec)),
  ];
}

export function validateMutatingPolicy(next: ApiObject, old: ApiObject | undefined): Findings {
  const { spec = {} } = next as MutatingAdmissionPolicy;
  const before = (old as MutatingAdmissionPolicy | undefined)?.spec;
  return [
    ...validatePolicyConditions(spec, before),
    ...(before && isDeepStrictEqual(changesOf(spec), changesOf(before)) ? [] : validateChanges(spec)),
  ];
}

/** The expressions of a policy besides its conditions, with what they depend on. */
const checksOf = ({ paramKind, variables, validations, auditAnnotations }: ValidatingSpec) => [
  paramKind,
  variables,
  validations,
  auditAnnotations,
];
const changesOf = ({ paramKind, variables, mutations }: MutatingSpec) => [paramKind, variables, mutations];

const isBlank = (expression: string): boolean => expression.trim() === '';

/** Blank expressions are found by other rules. */
function validateExpression(
  expression = '',
  { environment, types, at }: { environment: Environment; types: readonly CelType[]; at: string },
): Findings {
  return isBlank(expression) ? [] : faultsOf(compileTo(expression, environment, types), expression, at);
}

const faultsOf = (compiled: CompiledTo, expression: string, at: string): Findings =>
  'fault' in compiled ? [invalidValue(at, expression, compiled.fault)] : [];

/** They are asked before anything of the policy is computed, and do not see its variables. */
function validateConditionExpressions(conditions: Conditions, params: boolean, at: string): Findings {
  const environment = admissionEnvironment({ params, authorizer: true });
  return conditions.flatMap(({ expression }, index) =>
    validateExpression(expression?.trim(), { environment, types: [bool], at: `${at}[${index}].expression` }),
  );
}

function validatePolicyConditions(spec: CommonSpec, old: CommonSpec | undefined): Findings {
  const { paramKind, matchConditions = [] } = spec;
  if (old && isDeepStrictEqual([paramKind, matchConditions], [old.paramKind, old.matchConditions ?? []])) return [];
  return validateConditionExpressions(matchConditions, paramKind !== undefined, 'spec.matchConditions');
}

/** Fills in the types of the variables on the way: each sees those before it. */
function validateVariables({ variables = [] }: CommonSpec, known: PolicyVariables, environment: Environment): Findings {
  return variables.flatMap(({ name = '', expression = '' }, index) => {
    if (isBlank(expression)) return [];
    const compiled = compileTo(expression, environment);
    known.add(name, 'program' in compiled ? compiled.program.type : undefined);
    return faultsOf(compiled, expression, `spec.variables[${index}].expression`);
  });
}

function validateChecks(spec: ValidatingSpec): Findings {
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const params = paramKind !== undefined;
  const known = new PolicyVariables();
  const declared = variables.length > 0 ? { variables: known } : {};
  const environment = admissionEnvironment({ params, authorizer: true, ...declared });
  const ofMessages = admissionEnvironment({ params, authorizer: false, ...declared });
  return [
    ...validateVariables(spec, known, environment),
    ...validations.flatMap((one, index) =>
      validateCheck(one, { environment, ofMessages, at: `spec.validations[${index}]` }),
    ),
    ...auditAnnotations.flatMap((one, index) =>
      validateAnnotation(one, environment, `spec.auditAnnotations[${index}].valueExpression`),
    ),
  ];
}

function validateCheck(
  { expression, messageExpression }: Infer<typeof validation>,
  { environment, ofMessages, at }: { environment: Environment; ofMessages: Environment; at: string },
): Findings {
  return [
    ...validateExpression(expression, { environment, types: [bool], at: `${at}.expression` }),
    ...validateExpression(messageExpression, {
      environment: ofMessages,
      types: [string],
      at: `${at}.messageExpression`,
    }),
  ];
}

/** Read without the space around it, and shown with it. */
function validateAnnotation(
  { valueExpression = '' }: Infer<typeof auditAnnotation>,
  environment: Environment,
  at: string,
): Findings {
  const trimmed = valueExpression.trim();
  if (trimmed === '' || Buffer.byteLength(trimmed) > longestValueExpression) return [];
  return faultsOf(compileTo(trimmed, environment, [string, nullType]), valueExpression, at);
}

function validateChanges(spec: MutatingSpec): Findings {
  const { paramKind, mutations = [] } = spec;
  const params = paramKind !== undefined;
  const variables = new PolicyVariables();
  const environment = admissionEnvironment({ params, authorizer: true, variables });
  const ofChanges = admissionEnvironment({ params, authorizer: true, variables, changes: true });
  return [
    ...validateVariables(spec, variables, environment),
    ...mutations.flatMap((one, index) => validateMutation(one, ofChanges, `spec.mutations[${index}]`)),
  ];
}

const stepsType = list(patchStepType);

function validateMutation(one: Infer<typeof mutation>, environment: Environment, at: string): Findings {
  const { patchType, applyConfiguration, jsonPatch } = one;
  switch (patchType) {
    case 'ApplyConfiguration':
      return validateExpression(applyConfiguration?.expression?.trim(), {
        environment,
        types: [partialObjectType],
        at: `${at}.applyConfiguration.expression`,
      });
    case 'JSONPatch':
      return validateExpression(jsonPatch?.expression?.trim(), {
        environment,
        types: [stepsType],
        at: `${at}.jsonPatch.expression`,
      });
    default:
      return [];
  }
}
