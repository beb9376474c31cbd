// Calls as closures: the overload that runs, its arguments, and its cost.

import type { Reference } from './check.ts';
import { type CallCost, callCost, isNominal, nominal, none, resultCost } from './cost.ts';
import type { Overload } from './declarations.ts';
import { failedCall, paid } from './failed-parts.ts';
import { type Evaluator, Frame } from './frame.ts';
import { conversions } from './library/conversions.ts';
import { inMap, quickCall } from './plan-quick.ts';
import { constant, isConstant, type Planned } from './planned.ts';
import { fits, testOf, typeOf } from './type-of.ts';
import type { CelType } from './types.ts';
import { EvaluationError, ListValue, noSuchOverload, OptionalValue, UintValue, type Value } from './values.ts';
import { workOnText } from './work.ts';

export function planCall(
  { name, overloads }: Reference & { readonly to: 'function' },
  args: readonly Planned[],
): Evaluator {
  const only = overloads.length === 1 ? (overloads[0] as Overload) : undefined;
  const cost = callCost(name, only?.id);
  const after = resultCost(name);
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
  const failing = failingCost(overloads, args, cost);
  if (args.length === 2 && failing === cost && after === undefined) return binary(run, cost, first, second);
  return (frame) => {
    const values = valuesOf(args, failing, frame);
    for (const value of values) workOnArgument(value);
    frame.charge(cost(values));
    const result = run(...values);
    if (after !== undefined) frame.charge(after(result));
    return result;
  };
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

function nominalUnary(run: Overload['run'], arg: Evaluator): Evaluator {
  return (frame) => {
    const value = paid(arg, 1, frame);
    workOnArgument(value);
    return run(value);
  };
}

function nominalBinary(run: Overload['run'], left: Evaluator, right: Evaluator): Evaluator {
  return (frame) => {
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
    return run(first, second);
  };
}

/** Most calls on texts, and comparisons. */
function binary(run: Overload['run'], cost: CallCost, left: Evaluator, right: Planned): Evaluator {
  const fixed = right.constant;
  return (frame) => {
    let first: Value | undefined;
    let second: Value;
    try {
      first = left(frame);
      second = fixed === undefined ? right(frame) : fixed;
    } catch (error) {
      throw failedCall(error, [first], [left, right], cost, frame);
    }
    workOnArgument(first);
    workOnArgument(second);
    frame.charge(cost([first, second]));
    return run(first, second);
  };
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
/** Values of these types implement operators themselves. */
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
  const knownKeys = new Set(keys);
  // it is not equal to itself
  knownKeys.delete(Number.NaN);
  return (frame) => knownKeys.has(keyOf((value as Planned)(frame)));
}

/** What equal values have in common: whole numbers of all types are one. Undefined for values that have nothing of the kind. */
function keyOf(value: Value): string | boolean | number | bigint | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (value instanceof UintValue) return value.value;
  return typeof value === 'object' ? undefined : value;
}
