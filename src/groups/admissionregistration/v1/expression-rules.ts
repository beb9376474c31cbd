// What must hold of the expressions in webhooks and policies. Loads the language: import it when there is an object to check.

import { isDeepStrictEqual } from 'node:util';
import { type CompiledTo, compileTo } from '../../../cel/compile-to.ts';
import type { Environment } from '../../../cel/environment.ts';
import { partialObjectType, patchStepType } from '../../../cel/library/json-patch.ts';
import { bool, type CelType, list, nullType, string } from '../../../cel/types.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import type { Infer } from '../../../schema/types.ts';
import type { ValidationErrors } from '../../rules.ts';
import { findInTurns, type Steps } from '../../rules-in-turns.ts';
import { admissionEnvironment, PolicyVariables } from './expression-environment.ts';
import type { matchCondition } from './match-resources.ts';
import type { MutatingAdmissionPolicy, mutation } from './mutating-admission-policy.ts';
import { longestValueExpression } from './policy-rules.ts';
import type { auditAnnotation, ValidatingAdmissionPolicy, validation } from './validating-admission-policy.ts';
import type { Configuration } from './webhook-rules.ts';

type Conditions = readonly Infer<typeof matchCondition>[];
type MutatingSpec = NonNullable<MutatingAdmissionPolicy['spec']>;
type ValidatingSpec = NonNullable<ValidatingAdmissionPolicy['spec']>;
/** What policies have alike. */
type CommonSpec = Pick<MutatingSpec, 'paramKind' | 'matchConditions' | 'variables'>;

export const validateWebhookExpressions = (
  next: Configuration,
  old: Configuration | undefined,
): Promise<ValidationErrors> => findInTurns(webhookSteps(conditionsOf(next), old && conditionsOf(old)));

export function validateValidatingPolicy(
  next: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
): Promise<ValidationErrors> {
  return findInTurns(policySteps(next.spec ?? {}, old?.spec, { partOf: checksOf, steps: checkSteps }));
}

export function validateMutatingPolicy(
  next: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy | undefined,
): Promise<ValidationErrors> {
  return findInTurns(policySteps(next.spec ?? {}, old?.spec, { partOf: changesOf, steps: changeSteps }));
}

const conditionsOf = (object: Configuration): readonly Conditions[] =>
  (object.webhooks ?? []).map(({ matchConditions = [] }) => matchConditions);

/** Conditions under which webhooks are asked; those that were there before stay, all of them or none. */
function* webhookSteps(all: readonly Conditions[], old: readonly Conditions[] | undefined): Steps {
  if (isDeepStrictEqual(all, old)) return;
  for (const [index, conditions] of all.entries())
    yield* conditionSteps(conditions, { params: false, at: `webhooks[${index}].matchConditions` });
}

/** They are asked before anything of a policy is computed, and do not see its variables. */
function* conditionSteps(conditions: Conditions, { params, at }: { params: boolean; at: string }): Steps {
  const environment = admissionEnvironment({ params, authorizer: true });
  for (const [index, { expression }] of conditions.entries())
    yield validateExpression(expression?.trim(), { environment, types: [bool], at: `${at}[${index}].expression` });
}

/** The expressions that a kind of policies has besides conditions. */
interface Own<Spec> {
  /** They, and what they may use. */
  partOf(spec: Spec): readonly unknown[];
  steps(spec: Spec): Steps;
}

/** What did not change, with all that it may use, stays as it was stored. */
function* policySteps<Spec extends CommonSpec>(spec: Spec, old: Spec | undefined, own: Own<Spec>): Steps {
  const { paramKind, matchConditions = [] } = spec;
  if (!isDeepStrictEqual([paramKind, matchConditions], old && [old.paramKind, old.matchConditions ?? []]))
    yield* conditionSteps(matchConditions, { params: paramKind !== undefined, at: 'spec.matchConditions' });
  if (!isDeepStrictEqual(own.partOf(spec), old && own.partOf(old))) yield* own.steps(spec);
}

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
): ValidationErrors {
  return isBlank(expression) ? [] : faultsOf(compileTo(expression, environment, types), expression, at);
}

const faultsOf = (compiled: CompiledTo, expression: string, at: string): ValidationErrors =>
  'fault' in compiled ? [invalidValue(at, expression, compiled.fault)] : [];

/** Fills in the types of the variables on the way: each sees those before it. */
function* variableSteps({ variables = [] }: CommonSpec, known: PolicyVariables, environment: Environment): Steps {
  for (const [index, { name = '', expression = '' }] of variables.entries()) {
    if (isBlank(expression)) continue;
    const compiled = compileTo(expression, environment);
    known.add(name, 'program' in compiled ? compiled.program.type : undefined);
    yield faultsOf(compiled, expression, `spec.variables[${index}].expression`);
  }
}

function* checkSteps(spec: ValidatingSpec): Steps {
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const params = paramKind !== undefined;
  const known = new PolicyVariables();
  const declared = variables.length > 0 ? { variables: known } : {};
  const environment = admissionEnvironment({ params, authorizer: true, ...declared });
  const ofMessages = admissionEnvironment({ params, authorizer: false, ...declared });
  yield* variableSteps(spec, known, environment);
  for (const [index, one] of validations.entries())
    yield* validationSteps(one, { environment, ofMessages, at: `spec.validations[${index}]` });
  for (const [index, one] of auditAnnotations.entries())
    yield validateAnnotation(one, environment, `spec.auditAnnotations[${index}].valueExpression`);
}

function* validationSteps(
  { expression, messageExpression }: Infer<typeof validation>,
  { environment, ofMessages, at }: { environment: Environment; ofMessages: Environment; at: string },
): Steps {
  yield validateExpression(expression, { environment, types: [bool], at: `${at}.expression` });
  yield validateExpression(messageExpression, {
    environment: ofMessages,
    types: [string],
    at: `${at}.messageExpression`,
  });
}

/** Read without the space around it, and shown with it. */
function validateAnnotation(
  { valueExpression = '' }: Infer<typeof auditAnnotation>,
  environment: Environment,
  at: string,
): ValidationErrors {
  const trimmed = valueExpression.trim();
  if (trimmed === '' || Buffer.byteLength(trimmed) > longestValueExpression) return [];
  return faultsOf(compileTo(trimmed, environment, [string, nullType]), valueExpression, at);
}

function* changeSteps(spec: MutatingSpec): Steps {
  const { paramKind, mutations = [] } = spec;
  const params = paramKind !== undefined;
  const variables = new PolicyVariables();
  yield* variableSteps(spec, variables, admissionEnvironment({ params, authorizer: true, variables }));
  const environment = admissionEnvironment({ params, authorizer: true, variables, changes: true });
  for (const [index, one] of mutations.entries()) yield validateMutation(one, environment, `spec.mutations[${index}]`);
}

const stepsType = list(patchStepType);

function validateMutation(one: Infer<typeof mutation>, environment: Environment, at: string): ValidationErrors {
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
