// What one run of an expression has at hand: variables, and how much it may still cost.

import type { WorkMeter } from '../base/time/work-meter.ts';
import { EvaluationError, type Value } from './values.ts';
import { freeWork, workPerCost } from './work.ts';

/** The run has cost more than it may. Not absorbed by anything. */
export class BudgetExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/** Variables that are made when an expression first reads them. */
export abstract class Activation {
  /** Of a run that is over: the next one of the same environment finds the variables that it read. */
  idle: Frame | undefined;

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

export class Frame {
  cost = 0;
  /** Values of the variables, adapted when they are first read. */
  readonly globals: (Value | undefined)[] = [];
  /** Of folds, each of which sets its own. An accumulator may hold an error: a later step may absorb it. */
  readonly locals: (Value | EvaluationError)[] = [];
  readonly #budget: number;
  #work = -freeWork;
  /** The work at which the run costs too much, or the request becomes long. */
  #longWork: number;
  readonly #variables: Variables;
  /** What its slots belong to. */
  readonly #environment: object;
  readonly #meter: WorkMeter | undefined;

  constructor(variables: Variables, budget: number, environment: object, meter?: WorkMeter) {
    this.#variables = variables;
    this.#budget = budget;
    this.#environment = environment;
    this.#meter = meter;
    this.#longWork = Math.min(budget * workPerCost, meter?.left ?? Number.POSITIVE_INFINITY);
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost * workPerCost > this.#longWork) this.#report();
  }

  /** See `work.ts`. */
  work(units: number): void {
    this.#work += units;
    if (this.#work > this.#longWork) this.#report();
  }

  /** See `work.ts`. */
  occupy(units: number): void {
    this.#meter?.add(units);
  }

  /** The run has cost too much, or it is long. */
  #report(): void {
    const mostWork = this.#budget * workPerCost;
    if (this.cost > this.#budget || this.#work > mostWork) throw new BudgetExceeded();
    this.#longWork = mostWork;
    this.#meter?.add(Number.POSITIVE_INFINITY);
  }

  /** What Kubernetes charges, or what the work was, whichever is more. */
  get totalCost(): number {
    return Math.max(this.cost, Math.floor(this.#work / workPerCost));
  }

  /** Begins a run on the same variables; reuses the frame of the last run if possible. */
  static begin(variables: Variables, budget: number, environment: object, meter: WorkMeter | undefined): Frame {
    const idle = variables instanceof Activation ? variables.idle : undefined;
    if (idle === undefined || idle.#environment !== environment || idle.#budget !== budget || idle.#meter !== meter)
      return new Frame(variables, budget, environment, meter);
    (variables as Activation).idle = undefined;
    idle.#reset();
    return idle;
  }

  #reset(): void {
    this.cost = 0;
    this.#work = -freeWork;
    this.#longWork = Math.min(this.#budget * workPerCost, this.#meter?.left ?? Number.POSITIVE_INFINITY);
  }

  /** The run has a value: the next one may reuse its variables. */
  keep(): void {
    if (this.#variables instanceof Activation) this.#variables.idle = this;
  }

  /** Undefined when no such variable was given. */
  raw(name: string): unknown {
    return variableOf(this.#variables, name);
  }
}

export type Evaluator = (frame: Frame) => Value;

/** Returns an error of the expression as a value; rethrows other errors. */
export function attempt(evaluate: Evaluator, frame: Frame): Value | EvaluationError {
  try {
    return evaluate(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}
