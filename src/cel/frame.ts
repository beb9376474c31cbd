// What one run of an expression has at hand: variables, and how much it may still cost.

import { Done, Interruption, Progress } from './progress.ts';
import { EvaluationError, type Value } from './values.ts';
import { freeWork, workPerCost } from './work.ts';

/** The run has cost more than it may. Not absorbed by anything. */
export class BudgetExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/** The run needs an answer that is still on its way; see `evaluateAsync`. */
export class Pending extends Interruption {
  declare readonly answer: Promise<unknown>;
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

/** A run gives up its turn after so many milliseconds. */
const turnMs = 5;
/** So many steps of a fold are taken between two looks at the clock, and fewer where they are slow. */
const stepsALook = 64;
/** Two looks at the clock are to be nearer to each other than this, in milliseconds. */
const lookMs = 0.5;
/** What may take about a millisecond counts as so many steps. */
const heavy = stepsALook;

/** Whether a run gives up its turn: never, when it has lasted long enough, or when the function says so. */
export type Turns = 'none' | 'timed' | (() => boolean);

export class Frame {
  cost = 0;
  /** Values of the variables, adapted when they are first read. */
  readonly globals: (Value | undefined)[] = [];
  /** Of folds, each of which sets its own. An accumulator may hold an error: a later step may absorb it. */
  readonly locals: (Value | EvaluationError)[] = [];
  /** What is known from the turns before of the step, or the expression, at hand; undefined in the first turn. */
  progress: Progress | undefined;
  readonly #budget: number;
  #work = -freeWork;
  /** Up to this cost, a turn repeats work of the turns before. */
  #repeatedCost = 0;
  readonly #variables: Variables;
  /** What its slots belong to. */
  readonly #environment: object;
  readonly #isOver: (() => boolean) | undefined;
  /** Steps until the clock is looked at. */
  #steps: number;
  #lookedAt = 0;
  /** Whether the run may wait for what is done elsewhere. */
  readonly mayWait: boolean;
  /** Zero until the clock is first looked at: short runs do without it. */
  #endsAt = 0;

  constructor(variables: Variables, budget: number, environment: object, turns: Turns = 'none') {
    this.#variables = variables;
    this.#budget = budget;
    this.#environment = environment;
    this.mayWait = turns !== 'none';
    this.#isOver = typeof turns === 'function' ? turns : undefined;
    this.#steps = turns === 'none' ? Number.POSITIVE_INFINITY : turns === 'timed' ? stepsALook : 0;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#budget) throw new BudgetExceeded();
  }

  /** See `work.ts`. */
  work(units: number): void {
    if (this.cost < this.#repeatedCost) return;
    this.#work += units;
    if (this.#work > this.#budget * workPerCost) throw new BudgetExceeded();
  }

  /** What Kubernetes charges, or what the work was, whichever is more. */
  get totalCost(): number {
    return Math.max(this.cost, Math.floor(this.#work / workPerCost));
  }

  /** Whether the turn has lasted long enough; to be asked after each step of a fold. */
  isTurnOver(steps = 1): boolean {
    this.#steps -= steps;
    return this.#steps < 0 && this.#look();
  }

  #look(): boolean {
    if (this.#isOver !== undefined) return this.#isOver();
    const now = performance.now();
    if (this.#endsAt === 0) this.#endsAt = now + turnMs;
    this.#steps = this.#lookedAt !== 0 && now - this.#lookedAt > lookMs ? 0 : stepsALook;
    this.#lookedAt = now;
    return now > this.#endsAt;
  }

  /** Keeps the result of a part that may have taken long, and ends the turn if it is time. */
  ran(part: object, result: Value | EvaluationError, cost: number): void {
    const isOver = this.isTurnOver(heavy);
    if (!isOver && this.progress === undefined) return;
    const state = new Done(result, cost);
    this.progress?.set(part, state);
    if (isOver) throw new Interruption(undefined, { part, state });
  }

  /** What a part gave in an earlier turn, paid again; undefined where that is not known. */
  known(part: object): Done | undefined {
    const state = this.progress?.get(part);
    if (!(state instanceof Done) || this.cost + state.cost > this.#budget) return undefined;
    this.cost += state.cost;
    return state;
  }

  /** A run on the same variables, in timed turns: with what is left of the last one where that can be. */
  static begin(variables: Variables, budget: number, environment: object): Frame {
    const idle = variables instanceof Activation ? variables.idle : undefined;
    if (idle === undefined || idle.#environment !== environment || idle.#budget !== budget)
      return new Frame(variables, budget, environment, 'timed');
    (variables as Activation).idle = undefined;
    idle.cost = 0;
    idle.#work = -freeWork;
    idle.#repeatedCost = 0;
    return idle;
  }

  /** The run is over, and no part of it is needed any more. */
  end(): void {
    const variables = this.#variables;
    if (!(variables instanceof Activation) || this.#isOver !== undefined || !this.mayWait) return;
    if (this.progress === undefined && this.#endsAt === 0) variables.idle = this;
  }

  /** After an interruption: the same from the beginning, with what it left. */
  again(interruption: Interruption): void {
    this.progress = Progress.after(interruption, this.progress);
    this.#repeatedCost = Math.max(this.#repeatedCost, this.cost);
    this.cost = 0;
    this.#endsAt = 0;
    this.#lookedAt = 0;
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
