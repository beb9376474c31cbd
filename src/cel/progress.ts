// How far a run has come that gives up its turn. Evaluators are plain functions that cannot be left in the middle: a run
// that goes on begins anew, and the parts that took long say what they know from the turns before. Expressions have no
// effects, so that what is computed again is the same.

import { EvaluationError, type Value } from './values.ts';

/** What a part of an expression had done when it was left: for that part alone to understand. */
interface Left {
  readonly part: object;
  readonly state: object;
}

/** The run cannot go on in this turn: it has lasted long enough, or an answer is on its way. Not absorbed by anything. */
export class Interruption {
  /** What has to be waited for; undefined where only the turn is over. */
  readonly answer: Promise<unknown> | undefined;
  /** Of the part that was left last; the part around it keeps it. */
  left: Left | undefined;

  constructor(answer?: Promise<unknown>, left?: Left) {
    this.answer = answer;
    this.left = left;
  }
}

/** The result of a part that is not to be computed again, and what it cost. Where it is waited for, it is set later. */
export class Done {
  result: Value | EvaluationError;
  readonly cost: number;

  constructor(result: Value | EvaluationError, cost: number) {
    this.result = result;
    this.cost = cost;
  }

  /** Throws where the part failed. */
  get value(): Value {
    if (this.result instanceof EvaluationError) throw this.result;
    return this.result;
  }
}

/** The states of parts, by part: of an expression, or of one step of a fold, in which every part runs once. */
export class Progress {
  #states: Map<object, object> | undefined;

  static after({ left }: Interruption, known = new Progress()): Progress {
    if (left !== undefined) known.set(left.part, left.state);
    return known;
  }

  get(part: object): object | undefined {
    return this.#states?.get(part);
  }

  set(part: object, state: object): void {
    this.#states ??= new Map();
    this.#states.set(part, state);
  }

  clear(): void {
    this.#states?.clear();
  }
}
