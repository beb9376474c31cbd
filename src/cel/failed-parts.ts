// What a run still does after a part failed: it goes on for as long as the reference implementation does, because that costs.

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
  const found: unknown[] = values.filter((value) => value !== undefined);
  found.push(error);
  if (args.length === 2) for (const arg of args.slice(found.length)) found.push(attempt(arg, frame));
  if (found.length === args.length) frame.charge(cost(found as readonly Value[]));
  return error;
}

/** What a part gives, for what it is a part of; that costs the same where the part fails. */
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
