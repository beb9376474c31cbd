// The work of a run after a part failed: it continues as long as cel-go does, because that is charged.

import { attempt, type Evaluator, type Frame } from './frame.ts';
import { EvaluationError, type Value } from './values.ts';

/** What a call costs; what failed counts as a value of size one. */
type Cost = (args: readonly Value[]) => number;

/**
 * The error to go on with where the argument after `values` failed.
 * compat: of two arguments both are looked at, also where the first failed; a call whose arguments were all looked at is paid for
 */
export function failedCall(
  error: unknown,
  values: readonly (Value | undefined)[],
  args: readonly Evaluator[],
  cost: Cost,
  frame: Frame,
): unknown {
  if (!(error instanceof EvaluationError)) return error;
  const remaining: unknown[] = values.filter((value) => value !== undefined);
  remaining.push(error);
  if (args.length === 2) for (const arg of args.slice(remaining.length)) remaining.push(attempt(arg, frame));
  if (remaining.length === args.length) frame.charge(cost(remaining as readonly Value[]));
  return error;
}

/** The value of a part, for its parent; the parent is charged also if the part fails. */
export function paid<T>(part: (frame: Frame) => T, cost: number, frame: Frame): T {
  let value: T;
  try {
    value = part(frame);
  } catch (error) {
    if (error instanceof EvaluationError) frame.charge(cost);
    throw error;
  }
  frame.charge(cost);
  return value;
}
