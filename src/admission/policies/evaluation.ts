// One run over expressions of a policy that share variables and a budget.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { WorkMeter } from '../../base/time/work-meter.ts';
import { withAnswers } from '../../cel/answer-needed.ts';
import type { Variables } from '../../cel/frame.ts';
import type { Value } from '../../cel/values.ts';
import { LazyVariables } from './lazy-variables.ts';
import type { Compiled, Composed } from './policy-expressions.ts';

/** What the expressions of one policy may cost together, for one binding and one parameter. */
export const policyBudget = 10_000_000;
/** The same for its conditions. */
export const conditionBudget = 2_500_000;

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
  readonly #meter: WorkMeter | undefined;
  #budget: number;

  /** `meter` counts the work of the request. */
  constructor(inputs: Variables, budget: number, composed?: Composed, meter?: WorkMeter) {
    this.#variables =
      composed && new LazyVariables({ type: composed.types.type, programs: composed.programs }, inputs, meter);
    this.#inputs = this.#variables?.inputs ?? inputs;
    this.#budget = budget;
    this.#meter = meter;
  }

  get budget(): number {
    return this.#budget;
  }

  /** An error of the expression is a result; throws `OutOfBudget`. A promise where another server is asked about rights. */
  evaluate({ source, compiled }: Compiled): MaybePromise<Result> {
    if ('fault' in compiled) return { error: `compilation error: ${compiled.fault}` };
    const { program } = compiled;
    return andThen(
      withAnswers(() => program.evaluate(this.#inputs, { meter: this.#meter })),
      (outcome) => {
        this.#pay(this.#variables?.takeCost() ?? 0);
        this.#pay(outcome.cost);
        return 'value' in outcome ? outcome : { error: `expression '${source}' resulted in error: ${outcome.error}` };
      },
    );
  }

  #pay(cost: number): void {
    if (cost > this.#budget) throw new OutOfBudget();
    this.#budget -= cost;
  }
}
