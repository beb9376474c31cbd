// The variables of a policy while it runs: each is computed when an expression first reads it, and then remembered.

import { adapterOf } from '../../cel/adapt.ts';
import type { Outcome, Program } from '../../cel/compile.ts';
import type { CompiledTo } from '../../cel/compile-to.ts';
import { Activation, type Frame, type Variables, variableOf } from '../../cel/frame.ts';
import { Interruption } from '../../cel/progress.ts';
import type { ObjectType } from '../../cel/types.ts';
import { EvaluationError, ObjectValue, type Value } from '../../cel/values.ts';

/** What was given, and the variables. */
class ComposedInputs extends Activation {
  readonly #given: Variables;
  readonly #variables: LazyVariables;

  constructor(given: Variables, variables: LazyVariables) {
    super();
    this.#given = given;
    this.#variables = variables;
  }

  read(name: string): unknown {
    return name === 'variables' ? this.#variables : variableOf(this.#given, name);
  }
}

export class LazyVariables extends ObjectValue {
  readonly #programs: ReadonlyMap<string, CompiledTo>;
  /** What expressions see. */
  readonly inputs: Activation;
  readonly #known = new Map<string, Value | EvaluationError>();
  /** Of variables that have to be gone on with. */
  readonly #runs = new Map<string, Frame>();
  #cost = 0;

  constructor(type: ObjectType, programs: ReadonlyMap<string, CompiledTo>, inputs: Variables) {
    super(type, {}, adapterOf);
    this.#programs = programs;
    this.inputs = new ComposedInputs(inputs, this);
  }

  override get size(): number {
    return this.#programs.size;
  }

  override keys(): readonly string[] {
    return [...this.#programs.keys()];
  }

  override has(name: string): boolean {
    return this.#programs.has(name);
  }

  override get(name: string): Value | undefined {
    const compiled = this.#programs.get(name);
    if (compiled === undefined) return undefined;
    const value = this.#known.get(name) ?? this.#compute(name, compiled);
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  override member(name: string): Value | undefined {
    return this.get(name);
  }

  override read(name: string): Value | undefined {
    return this.get(name);
  }

  /** What was computed since the last question cost so much. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #compute(name: string, compiled: CompiledTo): Value | EvaluationError {
    const label = `composited variable ${JSON.stringify(name)}`;
    // a name that is given twice may lead back to itself
    this.#known.set(name, new EvaluationError(`${label} fails to evaluate: it refers to itself`));
    try {
      const value = this.#valueOf(name, label, compiled);
      this.#known.set(name, value);
      return value;
    } catch (interruption) {
      this.#known.delete(name);
      throw interruption;
    }
  }

  #valueOf(name: string, label: string, compiled: CompiledTo): Value | EvaluationError {
    if ('fault' in compiled) return new EvaluationError(`${label} fails to compile: ${compiled.fault}`);
    const outcome = this.#outcomeOf(name, compiled.program);
    this.#cost += outcome.cost;
    return 'value' in outcome ? outcome.value : new EvaluationError(`${label} fails to evaluate: ${outcome.error}`);
  }

  /** Throws an `Interruption` as one of the expression that reads the variable, which goes on with it by reading it again. */
  #outcomeOf(name: string, program: Program): Outcome {
    const run = this.#runs.get(name) ?? program.begin(this.inputs);
    const outcome = program.advance(run);
    if (!(outcome instanceof Interruption)) {
      this.#runs.delete(name);
      return outcome;
    }
    this.#runs.set(name, run);
    throw new Interruption(outcome.answer);
  }
}
