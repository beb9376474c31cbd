// The variables of a policy while it runs: each is computed when an expression first reads it, and then remembered.

import type { WorkMeter } from '../../base/time/work-meter.ts';
import { adapterOf } from '../../cel/adapt.ts';
import type { CompiledTo } from '../../cel/compile-to.ts';
import { Activation, type Variables, variableOf } from '../../cel/frame.ts';
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

interface LazyPrograms {
  readonly type: ObjectType;
  readonly programs: ReadonlyMap<string, CompiledTo>;
}

export class LazyVariables extends ObjectValue {
  readonly #programs: ReadonlyMap<string, CompiledTo>;
  /** What expressions see. */
  readonly inputs: Activation;
  readonly #known = new Map<string, Value | EvaluationError>();
  readonly #meter: WorkMeter | undefined;
  #cost = 0;

  constructor({ type, programs }: LazyPrograms, inputs: Variables, meter: WorkMeter | undefined) {
    super(type, {}, adapterOf);
    this.#programs = programs;
    this.#meter = meter;
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
      const value = this.#valueOf(label, compiled);
      this.#known.set(name, value);
      return value;
    } catch (error) {
      // an answer is needed first
      this.#known.delete(name);
      throw error;
    }
  }

  #valueOf(label: string, compiled: CompiledTo): Value | EvaluationError {
    if ('fault' in compiled) return new EvaluationError(`${label} fails to compile: ${compiled.fault}`);
    const outcome = compiled.program.evaluate(this.inputs, { meter: this.#meter });
    this.#cost += outcome.cost;
    return 'value' in outcome ? outcome.value : new EvaluationError(`${label} fails to evaluate: ${outcome.error}`);
  }
}
