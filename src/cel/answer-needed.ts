// Runs that need the answer of another server: they begin again when it is there. Expressions have no effects, and two checks
// of rights fill a budget, so that this is rare; in return every evaluator is a plain function.

import type { MaybePromise } from '../base/maybe-promise.ts';

/** Thrown by a run, and not absorbed by anything. */
export class AnswerNeeded {
  /** The code that throws this remembers the answer for the next run. */
  readonly answer: Promise<unknown>;

  constructor(answer: Promise<unknown>) {
    this.answer = answer;
  }
}

/** Runs again after each answer that is needed. */
export function withAnswers<T>(run: () => T): MaybePromise<T> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof AnswerNeeded)) throw error;
    return error.answer.then(() => withAnswers(run));
  }
}
