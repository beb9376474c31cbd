// The way in: an expression is compiled once, against an environment, and run as often as needed.

import type { WorkMeter } from '../base/time/work-meter.ts';
import type { Expression } from './ast.ts';
import { type Checked, checkTypes } from './check.ts';
import { checkLiterals } from './check-literals.ts';
import { perCallLimit } from './cost.ts';
import type { Environment } from './environment.ts';
import { BudgetExceeded, Frame, type Variables } from './frame.ts';
import { parse } from './parser.ts';
import { type Plan, plan } from './plan.ts';
import { ConstantFault } from './plan-call.ts';
import { formatIssues, type Issue, SyntaxIssues } from './source.ts';
import type { CelType } from './types.ts';
import { EvaluationError, type Value } from './values.ts';
import { paidBy, workPerCost } from './work.ts';

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

/** What a run takes besides its cost, in units of work. */
const perRun = 2000;
/** How long a character takes to compile, in units of work. */
const perSourceCharacter = 4000;

/** `meter` counts the work of the request that needs the expression. */
export function compile(source: string, environment: Environment, meter?: WorkMeter): Compiled {
  if (meter === undefined) return compiled(source, environment);
  meter.add(source.length * perSourceCharacter);
  const payer = { work: () => undefined, occupy: (units: number) => meter.add(units) };
  return paidBy(payer, () => compiled(source, environment));
}

function compiled(source: string, environment: Environment): Compiled {
  const parsed = attemptToParse(source, environment);
  if ('issues' in parsed) return failed(source, parsed.issues);
  const checked = checkTypes(parsed.expression, environment);
  if ('issues' in checked) return failed(source, checked.issues);
  const faulty = checkLiterals(checked);
  if (faulty.length > 0) return failed(source, faulty);
  try {
    return { program: new Program(source, checked, plan(checked, environment)) };
  } catch (error) {
    if (!(error instanceof ConstantFault)) throw error;
    const { message } = error;
    const detail = `program instantiation failed: ${message}`;
    return { errors: { issues: [], message, type: checked.types.get(checked.expression), detail } };
  }
}

function attemptToParse(
  source: string,
  environment: Environment,
): { readonly expression: Expression } | { readonly issues: readonly Issue[] } {
  try {
    return { expression: parse(source, environment) };
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
  /** Where the work of the run is counted. */
  readonly meter?: WorkMeter | undefined;
}

export type Outcome =
  | { readonly value: Value; readonly cost: number }
  | {
      readonly error: string;
      /** The run was ended because it cost too much; its value is unknown. */
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

  /**
   * Variables are JSON, adapted to the declared types, or values. An error of the expression is an outcome, not thrown.
   * Throws `AnswerNeeded` where a variable has to ask another server.
   */
  evaluate(variables: Variables, { budget = perCallLimit, meter }: EvaluateOptions = {}): Outcome {
    const frame = Frame.begin(variables, budget, this.#plan.environment, meter);
    const outcome = this.#run(frame);
    meter?.add(perRun + outcome.cost * workPerCost);
    return outcome;
  }

  #run(frame: Frame): Outcome {
    try {
      const value = paidBy(frame, () => this.#plan.run(frame));
      frame.keep();
      return { value, cost: frame.totalCost };
    } catch (error) {
      if (error instanceof EvaluationError) return { error: error.message, reason: 'failed', cost: frame.totalCost };
      if (error instanceof BudgetExceeded) return { error: error.message, reason: 'budget', cost: frame.totalCost };
      if (!isStackOverflow(error)) throw error;
      return { error: 'values are nested too deep', reason: 'failed', cost: frame.totalCost };
    }
  }
}
