// What one run of an expression has at hand: variables, and how much it may still cost.

import { EvaluationError, type Value } from './values.ts';

/** The run has cost more than it may. Not absorbed by anything. */
export class BudgetExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/** The run needs an answer that is still on its way. Not absorbed by anything; see `evaluateAsync`. */
export class Pending {
  readonly answer: Promise<unknown>;

  constructor(answer: Promise<unknown>) {
    this.answer = answer;
  }
}

/** Variables that are made when an expression first reads them. */
export abstract class Activation {
  /** Undefined when there is no such variable. */
  abstract read(name: string): unknown;
}

/** JSON or values by name. */
export type Variables = Activation | Readonly<Record<string, unknown>>;

/** Undefined when no such variable was given. */
export function variableOf(variables: Variables, name: string): unknown {
  if (variables instanceof Activation) return variables.read(name);
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Never written: programs without such slots share it. */
const nothing: never[] = [];

export class Frame {
  cost = 0;
  /** Values of the variables, adapted when they are first read. */
  readonly globals: (Value | undefined)[];
  /** An accumulator may hold an error: a later step may absorb it. */
  readonly locals: (Value | EvaluationError)[];
  readonly #budget: number;
  readonly #variables: Variables;

  constructor(variables: Variables, budget: number, size: { globals: number; locals: number }) {
    this.#variables = variables;
    this.#budget = budget;
    this.globals = size.globals === 0 ? nothing : new Array<Value | undefined>(size.globals).fill(undefined);
    this.locals = size.locals === 0 ? nothing : new Array<Value | EvaluationError>(size.locals).fill(null);
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#budget) throw new BudgetExceeded();
  }

  /** Undefined when no such variable was given. */
  raw(name: string): unknown {
    return variableOf(this.#variables, name);
  }
}

export type Evaluator = (frame: Frame) => Value;

/** An error of the expression as a value; anything else that is thrown goes on. */
export function attempt(evaluate: Evaluator, frame: Frame): Value | EvaluationError {
  try {
    return evaluate(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}
