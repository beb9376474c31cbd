// Conditions under which a policy is about a request, besides its rules. Loads the language.

import { isPromise } from '../../base/maybe-promise.ts';
import type { WorkMeter } from '../../base/time/work-meter.ts';
import { perCallLimit } from '../../cel/cost.ts';
import type { Variables } from '../../cel/frame.ts';
import type { ConditionReport } from '../engines.ts';
import { conditionBudget, Evaluation, OutOfBudget } from './evaluation.ts';
import type { PolicyExpressions } from './policy-expressions.ts';

interface MatchCondition {
  readonly name?: string;
  readonly expression?: string;
}

/** Conditions that could not be computed, where that matters. */
export class ConditionError extends Error {}

export type ConditionObserver = (outcome: Required<Pick<ConditionReport, 'seconds' | 'errors'>>) => void;

interface ConditionContext {
  readonly expressions: PolicyExpressions;
  readonly inputs: Variables;
  /** Whether what cannot be evaluated is an error. */
  readonly fails: boolean;
  /** Counts the work of the request. */
  readonly meter?: WorkMeter | undefined;
  /** Hears of conditions that did not hold or could not be evaluated. */
  readonly report: ConditionObserver;
}

/** Whether all hold. One that does not settles it, whatever is wrong with others; errors count as the policy says. */
export async function conditionsHold(
  conditions: readonly MatchCondition[],
  context: ConditionContext,
): Promise<boolean> {
  const began = performance.now();
  const { fails } = context;
  const tell = (errors: number) => context.report({ seconds: (performance.now() - began) / 1000, errors });
  try {
    const { holds, errors } = await run(conditions, context);
    if (holds && errors.length === 0) return true;
    tell(errors.length);
    if (holds && fails) throw new ConditionError(aggregate(errors));
    return false;
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    tell(0);
    if (fails) throw new ConditionError(error.message);
    return false;
  }
}

/** Whether none is false, and what is wrong with those before the first that is. */
async function run(
  conditions: readonly MatchCondition[],
  { expressions, inputs, meter }: ConditionContext,
): Promise<{ readonly holds: boolean; readonly errors: readonly string[] }> {
  const evaluation = new Evaluation(inputs, conditionBudget, undefined, meter);
  const errors: string[] = [];
  let holds = true;
  for (const [index, { expression = '' }] of conditions.entries()) {
    // compat: all are evaluated, so that one may cost too much after another one was false
    if (!holds && (conditions.length - index) * perCallLimit <= evaluation.budget) break;
    const evaluated = evaluation.evaluate(expressions.compile(expression, 'condition', meter));
    const result = isPromise(evaluated) ? await evaluated : evaluated;
    if (holds && 'error' in result) errors.push(result.error);
    holds &&= 'error' in result || result.value === true;
  }
  return { holds, errors };
}

/** compat: several errors are shown as a list, each of them once */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
