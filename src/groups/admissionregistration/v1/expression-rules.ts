// What must hold of the expressions in webhooks and policies. Loads the language: import it when there is an object to check.

import { isSameJson } from '../../../base/json/json.ts';
import { WorkMeter } from '../../../base/time/work-meter.ts';
import { type CompiledTo, compileTo } from '../../../cel/compile-to.ts';
import type { Environment } from '../../../cel/environment.ts';
import { partialObjectType, patchStepType } from '../../../cel/library/json-patch.ts';
import { bool, type CelType, list, nullType, string } from '../../../cel/types.ts';
import { internalAt, invalidValue } from '../../../meta/field-errors.ts';
import type { ExpressionRun, StrategyContext } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import { type ExpressionAge, expressionAge } from '../../expression-age.ts';
import type { ValidationErrors } from '../../rules.ts';
import { type AdmissionScope, admissionEnvironment, PolicyVariables } from './expression-environment.ts';
import type { matchCondition } from './match-resources.ts';
import type { MutatingAdmissionPolicy, mutation } from './mutating-admission-policy-type.ts';
import { longestValueExpression } from './policy-rules.ts';
import type { auditAnnotation, ValidatingAdmissionPolicy, validation } from './validating-admission-policy.ts';
import type { Configuration } from './webhook-rules.ts';

type Conditions = readonly Infer<typeof matchCondition>[];
type MutatingSpec = NonNullable<MutatingAdmissionPolicy['spec']>;
type ValidatingSpec = NonNullable<ValidatingAdmissionPolicy['spec']>;
/** What expressions may use, and where the work on them is counted. */
interface CompileTerms extends ExpressionAge {
  readonly meter: WorkMeter;
}

const termsOf = (age: ExpressionAge, run: ExpressionRun | undefined): CompileTerms => ({
  ...age,
  meter: new WorkMeter(() => run?.moveIfPossible?.()),
});

/** The common part of policies. */
type CommonSpec = Pick<MutatingSpec, 'paramKind' | 'matchConditions' | 'variables'>;

export function validateWebhookExpressions(
  next: Configuration,
  old: Configuration | undefined,
  { versions }: StrategyContext,
  run?: ExpressionRun,
): ValidationErrors {
  const before = old && conditionsOf(old);
  const age = termsOf(expressionAge(versions, before?.flat().map(({ expression }) => expression) ?? []), run);
  return checkWebhooks(conditionsOf(next), before, age);
}

export function validateValidatingPolicy(
  next: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
  { versions }: StrategyContext,
  run?: ExpressionRun,
): ValidationErrors {
  const age = termsOf(expressionAge(versions, old ? checkTexts(old.spec ?? {}) : []), run);
  return checkPolicy(next.spec ?? {}, old?.spec, { partOf: checksOf, check: checkSpec, age });
}

export function validateMutatingPolicy(
  next: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy | undefined,
  { versions }: StrategyContext,
  run?: ExpressionRun,
): ValidationErrors {
  const age = termsOf(expressionAge(versions, old ? changeTexts(old.spec ?? {}) : []), run);
  return checkPolicy(next.spec ?? {}, old?.spec, { partOf: changesOf, check: checkChanges, age });
}

const conditionsOf = (object: Configuration): readonly Conditions[] =>
  (object.webhooks ?? []).map(({ matchConditions = [] }) => matchConditions);

/** Conditions under which webhooks are asked; those that were there before stay, all of them or none. */
function checkWebhooks(
  all: readonly Conditions[],
  old: readonly Conditions[] | undefined,
  age: CompileTerms,
): ValidationErrors {
  if (isSameJson(all, old)) return [];
  return all.flatMap((conditions, index) =>
    checkConditions(conditions, { params: false, at: `webhooks[${index}].matchConditions`, age }),
  );
}

/** They are asked before anything of a policy is computed, and do not see its variables. */
function checkConditions(
  conditions: Conditions,
  { params, at, age }: { params: boolean; at: string; age: CompileTerms },
): ValidationErrors {
  const compile = compilerFor({ params, authorizer: true }, age);
  return conditions.flatMap(({ expression }, index) =>
    validateExpression(expression?.trim(), { compile, types: [bool], at: `${at}[${index}].expression` }),
  );
}

/** The expressions that a kind of policies has besides conditions. */
interface Own<Spec> {
  /** They, and what they may use. */
  partOf(spec: Spec): readonly unknown[];
  check(spec: Spec, age: CompileTerms): ValidationErrors;
  readonly age: CompileTerms;
}

/** What did not change, with all that it may use, stays as it was stored. */
function checkPolicy<Spec extends CommonSpec>(spec: Spec, old: Spec | undefined, own: Own<Spec>): ValidationErrors {
  const { paramKind, matchConditions = [] } = spec;
  const keepsConditions = isSameJson([paramKind, matchConditions], old && [old.paramKind, old.matchConditions ?? []]);
  const terms = { params: paramKind !== undefined, at: 'spec.matchConditions', age: own.age };
  return [
    ...(keepsConditions ? [] : checkConditions(matchConditions, terms)),
    ...(isSameJson(own.partOf(spec), old && own.partOf(old)) ? [] : own.check(spec, own.age)),
  ];
}

const checksOf = ({ paramKind, variables, validations, auditAnnotations }: ValidatingSpec) => [
  paramKind,
  variables,
  validations,
  auditAnnotations,
];
const changesOf = ({ paramKind, variables, mutations }: MutatingSpec) => [paramKind, variables, mutations];

const commonTexts = ({ matchConditions = [], variables = [] }: CommonSpec) =>
  [...matchConditions, ...variables].map(({ expression }) => expression);

const checkTexts = (spec: ValidatingSpec) => [
  ...commonTexts(spec),
  ...(spec.validations ?? []).flatMap(({ expression, messageExpression }) => [expression, messageExpression]),
  ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
];

const changeTexts = (spec: MutatingSpec) => [
  ...commonTexts(spec),
  ...(spec.mutations ?? []).flatMap((one) => [one.applyConfiguration?.expression, one.jsonPatch?.expression]),
];

type Compile = (expression: string, types?: readonly CelType[]) => CompiledTo;

/** Expressions that were stored keep everything; new ones have what the oldest server of the cluster knows. */
function compilerFor(scope: AdmissionScope, { newest, stored, meter }: CompileTerms): Compile {
  const fresh = admissionEnvironment({ ...scope, newest });
  let known: Environment | undefined;
  return (expression, types) => {
    if (!stored.has(expression.trim())) return compileTo(expression, fresh, types, meter);
    known ??= admissionEnvironment(scope);
    return compileTo(expression, known, types, meter);
  };
}

const isBlank = (expression: string): boolean => expression.trim() === '';

/** Blank expressions are found by other rules. */
function validateExpression(
  expression = '',
  { compile, types, at }: { compile: Compile; types: readonly CelType[]; at: string },
): ValidationErrors {
  return isBlank(expression) ? [] : faultsOf(compile(expression, types), expression, at);
}

function faultsOf(compiled: CompiledTo, expression: string, at: string): ValidationErrors {
  if (!('fault' in compiled)) return [];
  const { fault, isInternal } = compiled;
  return [isInternal ? internalAt(at, fault) : invalidValue(at, expression, fault)];
}

/** Fills in the types of the variables on the way: each sees those before it. */
function checkVariables({ variables = [] }: CommonSpec, known: PolicyVariables, compile: Compile): ValidationErrors {
  return variables.flatMap(({ name = '', expression = '' }, index) => {
    if (isBlank(expression)) return [];
    const compiled = compile(expression);
    known.add(name, 'program' in compiled ? compiled.program.type : undefined);
    return faultsOf(compiled, expression, `spec.variables[${index}].expression`);
  });
}

function checkSpec(spec: ValidatingSpec, age: CompileTerms): ValidationErrors {
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const params = paramKind !== undefined;
  const known = new PolicyVariables();
  const declared = variables.length > 0 ? { variables: known } : {};
  const compile = compilerFor({ params, authorizer: true, ...declared }, age);
  const ofMessages = compilerFor({ params, authorizer: false, ...declared }, age);
  return [
    ...checkVariables(spec, known, compile),
    ...validations.flatMap((one, index) =>
      checkValidation(one, { compile, ofMessages, at: `spec.validations[${index}]` }),
    ),
    ...auditAnnotations.flatMap((one, index) =>
      validateAnnotation(one, compile, `spec.auditAnnotations[${index}].valueExpression`),
    ),
  ];
}

function checkValidation(
  { expression, messageExpression }: Infer<typeof validation>,
  { compile, ofMessages, at }: { compile: Compile; ofMessages: Compile; at: string },
): ValidationErrors {
  return [
    ...validateExpression(expression, { compile, types: [bool], at: `${at}.expression` }),
    ...validateExpression(messageExpression, {
      compile: ofMessages,
      types: [string],
      at: `${at}.messageExpression`,
    }),
  ];
}

/** Read without the space around it, and shown with it. */
function validateAnnotation(
  { valueExpression = '' }: Infer<typeof auditAnnotation>,
  compile: Compile,
  at: string,
): ValidationErrors {
  const trimmed = valueExpression.trim();
  if (trimmed === '' || Buffer.byteLength(trimmed) > longestValueExpression) return [];
  return faultsOf(compile(trimmed, [string, nullType]), valueExpression, at);
}

function checkChanges(spec: MutatingSpec, age: CompileTerms): ValidationErrors {
  const { paramKind, mutations = [] } = spec;
  const params = paramKind !== undefined;
  const variables = new PolicyVariables();
  const ofVariables = compilerFor({ params, authorizer: true, variables }, age);
  const compile = compilerFor({ params, authorizer: true, variables, changes: true }, age);
  return [
    ...checkVariables(spec, variables, ofVariables),
    ...mutations.flatMap((one, index) => validateMutation(one, compile, `spec.mutations[${index}]`)),
  ];
}

const stepsType = list(patchStepType);

function validateMutation(one: Infer<typeof mutation>, compile: Compile, at: string): ValidationErrors {
  const { patchType, applyConfiguration, jsonPatch } = one;
  switch (patchType) {
    case 'ApplyConfiguration':
      return validateExpression(applyConfiguration?.expression?.trim(), {
        compile,
        types: [partialObjectType],
        at: `${at}.applyConfiguration.expression`,
      });
    case 'JSONPatch':
      return validateExpression(jsonPatch?.expression?.trim(), {
        compile,
        types: [stepsType],
        at: `${at}.jsonPatch.expression`,
      });
    default:
      return [];
  }
}
