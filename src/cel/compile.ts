// The way in: an expression is compiled once, against an environment, and run as often as needed.

import { atOnce, type Steps } from '../base/steps.ts';
import { nextTurn } from '../base/yield-timer.ts';
import type { Expression } from './ast.ts';
import { type Checked, checking } from './check.ts';
import { checkingLiterals } from './check-literals.ts';
import { perCallLimit } from './cost.ts';
import type { Environment } from './environment.ts';
import { BudgetExceeded, Frame, type Turns, type Variables } from './frame.ts';
import { parsing } from './parser.ts';
import { type Plan, planning } from './plan.ts';
import { ConstantFault } from './plan-call.ts';
import { Interruption } from './progress.ts';
import { formatIssues, type Issue, SyntaxIssues } from './source.ts';
import type { CelType } from './types.ts';
import { EvaluationError, type Value } from './values.ts';
import { paidBy } from './work.ts';

type Compiled = { readonly program: Program } | { readonly errors: CompileErrors };

export interface CompileErrors {
  readonly issues: readonly Issue[];
  /** All of them as users read them, with the places marked. */
  readonly message: string;
  /** The expression is well-formed and has this type, but a constant part of it fails: there is no place to mark. */
  readonly type: CelType | undefined;
  /** The message after what failed. */
  readonly detail: string;
}

export const compile = (source: string, environment: Environment): Compiled => atOnce(compiling(source, environment));

/** The same in steps, none of which is long however long the expression is. */
export function* compiling(source: string, environment: Environment): Steps<Compiled> {
  const parsed = yield* attemptToParse(source, environment);
  if ('issues' in parsed) return failed(source, parsed.issues);
  yield;
  const checked = yield* checking(parsed.expression, environment);
  if ('issues' in checked) return failed(source, checked.issues);
  yield;
  const faulty = yield* checkingLiterals(checked);
  if (faulty.length > 0) return failed(source, faulty);
  yield;
  return yield* instantiating(source, checked, environment);
}

function* instantiating(source: string, checked: Checked, environment: Environment): Steps<Compiled> {
  try {
    return { program: new Program(source, checked, yield* planning(checked, environment)) };
  } catch (error) {
    if (!(error instanceof ConstantFault)) throw error;
    const { message } = error;
    const detail = `program instantiation failed: ${message}`;
    return { errors: { issues: [], message, type: checked.types.get(checked.expression), detail } };
  }
}

function* attemptToParse(
  source: string,
  environment: Environment,
): Steps<{ readonly expression: Expression } | { readonly issues: readonly Issue[] }> {
  try {
    return { expression: yield* parsing(source, environment) };
  } catch (error) {
    if (error instanceof SyntaxIssues) return { issues: error.issues };
    throw error;
  }
}

function failed(source: string, issues: readonly Issue[]): Compiled {
  const message = formatIssues(source, issues);
  return { errors: { issues, message, type: undefined, detail: `compilation failed: ${message}` } };
}

interface EvaluateOptions {
  /** What the run may cost; Kubernetes' limit for one call if not given. */
  readonly budget?: number;
}

interface BeginOptions extends EvaluateOptions {
  readonly turns?: Turns;
}

export type Outcome =
  | { readonly value: Value; readonly cost: number }
  | {
      readonly error: string;
      /** The run was ended because it cost too much; nothing can be said of its value. */
      readonly reason: 'failed' | 'budget';
      readonly cost: number;
    };

/** What a run computes may be nested deeper than any expression, by variables that hold each other. Runs have no effects, so nothing is left half done. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message === 'Maximum call stack size exceeded';

/** A compiled expression. Runs do not touch each other. */
export class Program {
  readonly source: string;
  readonly checked: Checked;
  readonly #plan: Plan;

  constructor(source: string, checked: Checked, ready: Plan) {
    this.source = source;
    this.checked = checked;
    this.#plan = ready;
  }

  get type(): CelType {
    return this.checked.types.get(this.checked.expression) as CelType;
  }

  /** Variables are JSON, adapted to the declared types, or values. An error of the expression is an outcome, not thrown. */
  evaluate(variables: Variables, { budget = perCallLimit }: EvaluateOptions = {}): Outcome {
    const outcome = this.advance(new Frame(variables, budget, this.#plan.environment));
    if (outcome instanceof Interruption) throw outcome;
    return outcome;
  }

  /** A run that `advance` carries out, in turns of a few milliseconds. */
  begin(variables: Variables, { budget = perCallLimit, turns = 'timed' }: BeginOptions = {}): Frame {
    const { environment } = this.#plan;
    return turns === 'timed'
      ? Frame.begin(variables, budget, environment)
      : new Frame(variables, budget, environment, turns);
  }

  /** Goes on with a run: until its end, or until it has to be gone on with later. */
  advance(frame: Frame): Outcome | Interruption {
    try {
      const value = paidBy(frame, () => this.#plan.run(frame));
      const { totalCost: cost } = frame;
      frame.end();
      return { value, cost };
    } catch (error) {
      if (error instanceof EvaluationError) return { error: error.message, reason: 'failed', cost: frame.totalCost };
      if (error instanceof BudgetExceeded) return { error: error.message, reason: 'budget', cost: frame.totalCost };
      if (isStackOverflow(error))
        return { error: 'values are nested too deep', reason: 'failed', cost: frame.totalCost };
      if (!(error instanceof Interruption)) throw error;
      frame.again(error);
      return error;
    }
  }

  /**
   * As `evaluate`, for variables whose functions may answer later: an authorizer that asks another server. A run that
   * needs such an answer is given up and repeated when the answer has come. Expressions have no effects, so that no caller
   * can tell, and two checks fill a budget, so that it is rare; in return every closure stays synchronous. Who
   * gives the promise has to remember its answer for the next run. Other work has its turns in between.
   */
  async evaluateAsync(variables: Variables, options: BeginOptions = {}): Promise<Outcome> {
    const frame = this.begin(variables, options);
    for (;;) {
      const outcome = this.advance(frame);
      if (!(outcome instanceof Interruption)) return outcome;
      await (outcome.answer ?? nextTurn());
    }
  }
}
