// Calls as closures: which overload runs, which arguments it needs, what it costs.

import type { Reference } from './check.ts';
import { type CallCost, callCost, isNominal, nominal, none, resultCost } from './cost.ts';
import type { Overload } from './declarations.ts';
import { failedCall, paid } from './failed-parts.ts';
import { type Evaluator, Frame } from './frame.ts';
import { conversions } from './library/conversions.ts';
import { inMap, quickCall } from './plan-quick.ts';
import { constant, isConstant, type Planned } from './planned.ts';
import { Done, Interruption } from './progress.ts';
import { fits, testOf, typeOf } from './type-of.ts';
import type { CelType } from './types.ts';
import {
  EvaluationError,
  ListValue,
  MapValue,
  noSuchOverload,
  ObjectValue,
  OptionalValue,
  UintValue,
  type Value,
} from './values.ts';
import { workOnText } from './work.ts';

export function planCall(
  { name, overloads }: Reference & { readonly to: 'function' },
  args: readonly Planned[],
): Evaluator {
  const only = overloads.length === 1 ? (overloads[0] as Overload) : undefined;
  const cost = callCost(name, only?.id);
  const after = resultCost(name);
  if (only?.steps !== undefined) return stepwise(name, only, only.steps, cost, args);
  const run = dispatcher(
    overloads.map((overload) => specialized(overload, args[1])),
    name,
  );
  const [first, second] = args as readonly [Planned, Planned];
  if (isNominal(cost)) {
    const quick = only && quickCall(only, args);
    if (quick !== undefined) return quick;
    if (args.length === 1) return nominalUnary(run, first);
    if (name === '@in') return inMap(first, second, run);
    if (args.length === 2) return nominalBinary(run, first, second);
  }
  if (args.length === 2 && only?.apart === undefined && after === undefined && !name.startsWith('cel.@'))
    return binary(run, cost, first, second);
  const failing = failingCost(overloads, args, cost);
  // what adds to the accumulator of a fold in place must not be done twice
  const mayLast = !name.startsWith('cel.@');
  // what could not be made beforehand is made by each call, such as a pattern
  const isMaking = overloads.some(({ withConstant }) => withConstant) && typeof second?.constant !== 'string';
  const call: Evaluator = (frame) => {
    const done = frame.progress && frame.known(call);
    if (done !== undefined) return done.value;
    const began = frame.cost;
    const values = valuesOf(args, failing, frame);
    for (const value of values) workOnArgument(value);
    frame.charge(cost(values));
    // further arguments are positions and limits
    const isLasting = mayLast && (isMaking || isLarge(values[0]) || isLarge(values[1]));
    if (isLasting && only?.apart !== undefined && frame.mayWait)
      sendApart(only, only.apart, values, frame, call, began);
    const result = isLasting || after !== undefined ? tried(run, values) : run(...values);
    if (after !== undefined) frame.charge(after(result as Value));
    if (isLasting) return ran(frame, call, result, began);
    if (result instanceof EvaluationError) throw result;
    return result;
  };
  return call;
}

/**
 * What a call costs whose arguments fail: what costs by its result has one of size one.
 * compat: a call whose pattern is a literal is not paid for where its text fails
 */
function failingCost(overloads: readonly Overload[], [, second]: readonly Planned[], cost: CallCost): CallCost {
  const isCompiled = typeof second?.constant === 'string' && overloads.some(({ withConstant }) => withConstant);
  if (isCompiled) return () => 0;
  return cost === none ? nominal : cost;
}

function valuesOf(args: readonly Evaluator[], cost: CallCost, frame: Frame): readonly Value[] {
  const values: Value[] = [];
  try {
    for (const arg of args) values.push(arg(frame));
  } catch (error) {
    throw failedCall(error, values, args, cost, frame);
  }
  return values;
}

/** A call may read each of its texts, whatever it costs. */
function workOnArgument(value: Value): void {
  if (typeof value === 'string') workOnText(value);
}

/** Texts that are shorter are worked on in no time. */
const longText = 4096;

const isLong = (value: Value): boolean => typeof value === 'string' && value.length > longText;

/** Whether it takes long to do something with a value, as far as that can be told at a glance. */
function isLarge(value: Value | undefined): boolean {
  if (typeof value === 'string') return value.length > longText;
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof ListValue || value instanceof MapValue || value instanceof ObjectValue;
}

function tried(run: Overload['run'], values: readonly Value[]): Value | EvaluationError {
  try {
    return run(...values);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/** Interrupts the run where another thread is to answer. */
function sendApart(
  overload: Overload,
  apart: NonNullable<Overload['apart']>,
  values: readonly Value[],
  frame: Frame,
  part: Evaluator,
  began: number,
): void {
  const answer = fitsAll(overload, values) ? apart(...values) : undefined;
  if (answer === undefined) return;
  const state = new Done(null, frame.cost - began);
  const kept = answer.then((result) => {
    state.result = result;
  });
  throw new Interruption(kept, { part, state });
}

/** A call that may have taken long is over: its result is kept, and the turn may end here. */
function ran(frame: Frame, part: Evaluator, result: Value | EvaluationError, began: number): Value {
  frame.ran(part, result, frame.cost - began);
  if (result instanceof EvaluationError) throw result;
  return result;
}

function nominalUnary(run: Overload['run'], arg: Evaluator): Evaluator {
  const call: Evaluator = (frame) => {
    const done = frame.progress && frame.known(call);
    if (done !== undefined) return done.value;
    const began = frame.cost;
    const value = paid(arg, 1, frame);
    workOnArgument(value);
    return isLong(value) ? ran(frame, call, tried(run, [value]), began) : run(value);
  };
  return call;
}

function nominalBinary(run: Overload['run'], left: Evaluator, right: Evaluator): Evaluator {
  const call: Evaluator = (frame) => {
    const done = frame.progress && frame.known(call);
    if (done !== undefined) return done.value;
    const began = frame.cost;
    let first: Value | undefined;
    let second: Value;
    try {
      first = left(frame);
      second = right(frame);
    } catch (error) {
      throw failedCall(error, [first], [left, right], nominal, frame);
    }
    frame.charge(1);
    workOnArgument(first);
    workOnArgument(second);
    return isLong(first) ? ran(frame, call, tried(run, [first, second]), began) : run(first, second);
  };
  return call;
}

/** Most calls on texts, and comparisons. */
function binary(run: Overload['run'], cost: CallCost, left: Evaluator, right: Planned): Evaluator {
  const fixed = right.constant;
  const call: Evaluator = (frame) => {
    const done = frame.progress && frame.known(call);
    if (done !== undefined) return done.value;
    const began = frame.cost;
    let first: Value | undefined;
    let second: Value;
    try {
      first = left(frame);
      second = fixed === undefined ? right(frame) : fixed;
    } catch (error) {
      throw failedCall(error, [first], [left, right], cost, frame);
    }
    const values = [first, second];
    workOnArgument(first);
    workOnArgument(second);
    frame.charge(cost(values));
    return isLarge(first) || isLarge(second) ? ran(frame, call, tried(run, values), began) : run(first, second);
  };
  return call;
}

/** A call that can be left in the middle, and what it and its arguments cost. */
class Work {
  readonly steps: Iterator<void, Value>;
  readonly cost: number;

  constructor(steps: Iterator<void, Value>, cost: number) {
    this.steps = steps;
    this.cost = cost;
  }
}

function stepwise(
  name: string,
  overload: Overload,
  steps: NonNullable<Overload['steps']>,
  cost: (args: readonly Value[]) => number,
  args: readonly Evaluator[],
): Evaluator {
  const begin = (frame: Frame, began: number): Work => {
    const values = valuesOf(args, cost, frame);
    frame.charge(cost(values));
    if (!fitsAll(overload, values)) throw noOverload(name, [overload], values);
    return new Work(steps(...values), frame.cost - began);
  };
  const call: Evaluator = (frame) => {
    const done = frame.progress && frame.known(call);
    if (done !== undefined) return done.value;
    const began = frame.cost;
    const left = frame.progress?.get(call);
    const work = left instanceof Work ? left : begin(frame, began);
    frame.cost = began + work.cost;
    const result = goOn(work, frame);
    if (result === undefined) throw new Interruption(undefined, { part: call, state: work });
    return ran(frame, call, result, began);
  };
  return call;
}

/** The result; undefined where the turn was not long enough. */
function goOn({ steps }: Work, frame: Frame): Value | EvaluationError | undefined {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (frame.isTurnOver()) return undefined;
    }
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/** Patterns that are literals are compiled with the expression. */
function specialized(overload: Overload, second: Planned | undefined): Overload {
  const { withConstant } = overload;
  const constant = second?.constant;
  if (withConstant === undefined || typeof constant !== 'string') return overload;
  return { ...overload, run: ofConstants(() => withConstant(constant)) };
}

/** A part of an expression that needs no variables fails: the expression is refused as a whole. */
export class ConstantFault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

function ofConstants<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof EvaluationError ? new ConstantFault(error.message) : error;
  }
}

/** Conversions of constants are done once, and cost nothing then. */
export function foldedOr(call: Evaluator, name: string, args: readonly Planned[]): Planned {
  if (!conversionNames.has(name) || !args.every(isConstant)) return call;
  return ofConstants(() => constant(call(new Frame({}, Number.POSITIVE_INFINITY, {}))));
}

const conversionNames = new Set(Object.keys(conversions.functions));

/** What needs no variables is run when it is planned; if it fails, it does so when it is needed. */
export function constantOr(run: Evaluator): Planned {
  try {
    return constant(run(new Frame({}, Number.POSITIVE_INFINITY, {})));
  } catch (error) {
    if (error instanceof EvaluationError) return run;
    throw error;
  }
}

/** The second argument is looked at only if the optional is empty. */
export function orElse([first, second]: readonly Planned[], isValue: boolean): Evaluator {
  return (frame) => {
    const optional = (first as Planned)(frame);
    if (!(optional instanceof OptionalValue)) throw noSuchOverload();
    if (optional.value === undefined) return (second as Planned)(frame);
    return isValue ? optional.value : optional;
  };
}

/** The overload that the values fit: with `dyn` about, the checker cannot promise even a single one. */
function dispatcher(overloads: readonly Overload[], name: string): Overload['run'] {
  if (overloads.every(({ args }) => args.length === 1)) return unaryDispatcher(overloads, name);
  if (overloads.every(({ args }) => args.length === 2)) return binaryDispatcher(overloads, name);
  return (...values) => {
    for (const overload of overloads) {
      if (fitsAll(overload, values)) return overload.run(...values);
    }
    throw noOverload(name, overloads, values);
  };
}

/** The usual cases, without a list of arguments. */
function unaryDispatcher(overloads: readonly Overload[], name: string): Overload['run'] {
  const choices = overloads.map(({ args, run }) => ({ fits: testOf(args[0] as CelType), run }));
  const ofText = choices.find((choice) => choice.fits(''))?.run;
  return (value) => {
    if (typeof value === 'string' && ofText !== undefined) return ofText(value);
    for (const choice of choices) {
      if (choice.fits(value as Value)) return choice.run(value as Value);
    }
    throw noOverload(name, overloads, [value as Value]);
  };
}

function binaryDispatcher(overloads: readonly Overload[], name: string): Overload['run'] {
  const choices = overloads.map(({ args, run }) => ({
    fitsFirst: testOf(args[0] as CelType),
    fitsSecond: testOf(args[1] as CelType),
    run,
  }));
  return (first, second) => {
    for (const choice of choices) {
      if (choice.fitsFirst(first as Value) && choice.fitsSecond(second as Value))
        return choice.run(first as Value, second as Value);
    }
    throw noOverload(name, overloads, [first as Value, second as Value]);
  };
}

const unnamed = new Set(['find', 'findAll', 'contains', 'startsWith', 'endsWith', 'matches', '@in', '!_']);
/** Values of these types are asked themselves what an operator means for them. */
const receivers = new Set(['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration']);

/** Operators name themselves where the first value knows none of their kind, functions what they were given. */
function noOverload(name: string, overloads: readonly Overload[], values: readonly Value[]): EvaluationError {
  if (unnamed.has(name)) return noSuchOverload();
  if (/^[a-z]/i.test(name) && name !== 'size')
    return new EvaluationError(`no such overload: ${name}(${values.map(typeOf).join(', ')})`);
  const [first] = values as readonly [Value];
  const isKnown = receivers.has(typeOf(first)) || overloads.some(({ args }) => fits(args[0] as CelType, first));
  return isKnown ? noSuchOverload() : new EvaluationError(`no such overload: ${name}`);
}

function fitsAll({ args }: Overload, values: readonly Value[]): boolean {
  for (let index = 0; index < args.length; index++) {
    if (!fits(args[index] as CelType, values[index] as Value)) return false;
  }
  return true;
}

/** `x in ['a', 'b']` is a look-up that costs nothing. */
export function membership(name: string, [value, items]: readonly Planned[]): Evaluator | undefined {
  if (name !== '@in' || !(items?.constant instanceof ListValue)) return undefined;
  const keys = items.constant.toArray().map(keyOf);
  if (keys.includes(undefined)) return undefined;
  const known = new Set(keys);
  // it is not equal to itself
  known.delete(Number.NaN);
  return (frame) => known.has(keyOf((value as Planned)(frame)));
}

/** What equal values have in common: whole numbers of all types are one. Undefined for values that have nothing of the kind. */
function keyOf(value: Value): string | boolean | number | bigint | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (value instanceof UintValue) return value.value;
  return typeof value === 'object' ? undefined : value;
}
