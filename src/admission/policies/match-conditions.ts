// Conditions under which a policy is about a request, besides its rules. Loads the language.

import type { Steps } from '../../base/steps.ts';
import { Pending, type Variables } from '../../cel/frame.ts';
import { conditionBudget, Evaluation, OutOfBudget } from './evaluation.ts';
import type { PolicyExpressions } from './policy-expressions.ts';

interface MatchCondition {
  readonly name?: string;
  readonly expression?: string;
}

/** Conditions that could not be computed, where that matters. */
export class ConditionError extends Error {}

/** Whether all hold. One that does not settles it, whatever is wrong with others; errors count as the policy says. */
export function* conditionsHold(
  conditions: readonly MatchCondition[],
  { expressions, inputs, fails }: { expressions: PolicyExpressions; inputs: Variables; fails: boolean },
): Steps<boolean> {
  try {
    const errors = yield* run(conditions, expressions, inputs);
    if (errors === undefined) return false;
    if (errors.length === 0) return true;
    if (fails) throw new ConditionError(aggregate(errors));
    return false;
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    if (fails) throw new ConditionError(error.message);
    return false;
  }
}

/** What is wrong with conditions; undefined where one does not hold. */
function* run(
  conditions: readonly MatchCondition[],
  expressions: PolicyExpressions,
  inputs: Variables,
): Steps<readonly string[] | undefined> {
  const evaluation = new Evaluation(inputs, conditionBudget, undefined);
  const errors: string[] = [];
  for (const { expression = '' } of conditions) {
    const compiled = yield* expressions.compiling(expression, 'condition');
    const attempted = evaluation.attempt(compiled);
    const result = attempted instanceof Pending ? yield* evaluation.evaluate(compiled) : attempted;
    if ('error' in result) errors.push(result.error);
    else if (result.value !== true) return undefined;
    if (evaluation.takeTurn()) yield;
  }
  return errors;
}

/** compat: several errors are shown as a list, each of them once */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
