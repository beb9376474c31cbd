// Whether a question is for a webhook: conditions that all have to hold.

import { yieldTurn } from '../../base/time/turns.ts';
import type { ReviewSpec } from './access-review.ts';
import type { MatchOutcome } from './webhook-module.ts';

/** A compiled condition. */
export interface MatchCondition {
  readonly expression: string;
  evaluate(spec: ReviewSpec): Promise<MatchOutcome>;
}

export type CompileCondition = (
  expression: string,
) => { readonly condition: MatchCondition } | { readonly error: string };

/** One condition that does not hold outweighs others that cannot be computed. */
export async function matchAll(conditions: readonly MatchCondition[], spec: ReviewSpec): Promise<MatchOutcome> {
  const errors: string[] = [];
  for (const { expression, evaluate } of conditions) {
    await yieldTurn();
    const outcome = await evaluate(spec);
    if ('error' in outcome)
      errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${outcome.error}`);
    else if (!outcome.matches) return outcome;
  }
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]` };
}
