// One run over expressions of a policy that share variables and a budget.

import type { Steps } from '../../base/steps.ts';
import type { Outcome, Program } from '../../cel/compile.ts';
import type { Frame, Variables } from '../../cel/frame.ts';
import { Interruption } from '../../cel/progress.ts';
import type { Value } from '../../cel/values.ts';
import { LazyVariables } from './lazy-variables.ts';
import type { Compiled, PolicyExpressions } from './policy-expressions.ts';

/** What the expressions of one policy may cost together, for one binding and one parameter. */
export const policyBudget = 10_000_000;
/** The same for its conditions. */
export const conditionBudget = 2_500_000;

/** What costs so much may take a millisecond. */
const turnCost = 10_000;

/** The expressions cost more than they may together: none of them counts. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

export type Result = { readonly value: Value } | { readonly error: string };

export class Evaluation {
  readonly #inputs: Variables;
  readonly #variables: LazyVariables | undefined;
  #budget: number;
  #restedAt: number;
  /** Of the expression that has to be gone on with. */
  #run: Frame | undefined;
  /** What it has to wait for before that. */
  #left: Interruption | undefined;

  constructor(inputs: Variables, budget: number, composed: PolicyExpressions['composed'] | undefined) {
    this.#variables = composed && new LazyVariables(composed.types.type, composed.programs, inputs);
    this.#inputs = this.#variables?.inputs ?? inputs;
    this.#budget = budget;
    this.#restedAt = budget;
  }

  get budget(): number {
    return this.#budget;
  }

  /** An error of the expression is a result; throws `OutOfBudget`. Waits for rights that another server knows. */
  *evaluate(expression: Compiled): Steps<Result> {
    for (;;) {
      const result = this.attempt(expression);
      if (!(result instanceof Interruption)) return result;
      yield result.answer?.then(() => undefined);
      this.#left = undefined;
    }
  }

  /** The same without waiting: an `Interruption` where the same expression has to be gone on with later. */
  attempt({ source, compiled }: Compiled): Result | Interruption {
    if ('fault' in compiled) return { error: `compilation error: ${compiled.fault}` };
    // what it needs may not be there yet
    if (this.#left !== undefined) return this.#left;
    const { program } = compiled;
    const outcome = this.#advance(program, this.#run ?? program.begin(this.#inputs));
    if (outcome instanceof Interruption) return outcome;
    this.#pay(this.#variables?.takeCost() ?? 0);
    this.#pay(outcome.cost);
    return 'value' in outcome ? outcome : { error: `expression '${source}' resulted in error: ${outcome.error}` };
  }

  /** Whether an expression is true; false also where it costs too much or is an error. Undefined where it has to be gone on with. */
  holds({ compiled }: Compiled): boolean | undefined {
    if ('fault' in compiled) return false;
    const { program } = compiled;
    const outcome = this.#advance(program, program.begin(this.#inputs));
    if (outcome instanceof Interruption) return undefined;
    this.#budget -= outcome.cost + (this.#variables?.takeCost() ?? 0);
    return this.#budget >= 0 && 'value' in outcome && outcome.value === true;
  }

  /** Whether others should have their turn before more is computed. */
  get isLong(): boolean {
    return this.#restedAt - this.#budget >= turnCost;
  }

  /** Whether so much was computed since the last question that others should have their turn. */
  takeTurn(): boolean {
    if (!this.isLong) return false;
    this.#restedAt = this.#budget;
    return true;
  }

  #advance(program: Program, run: Frame): Outcome | Interruption {
    const outcome = program.advance(run);
    const isLeft = outcome instanceof Interruption;
    this.#run = isLeft ? run : undefined;
    this.#left = isLeft ? outcome : undefined;
    return outcome;
  }

  #pay(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudget();
    this.#budget -= cost;
  }
}
