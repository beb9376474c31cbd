// Comprehensions: one walk over a list or map that carries an accumulator.

import { attempt, type Evaluator, type Frame } from './frame.ts';
import { typeOf } from './type-of.ts';
import {
  EntryMap,
  EvaluationError,
  intOf,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  type Value,
} from './values.ts';

interface Fold {
  readonly range: Evaluator;
  readonly start: Evaluator;
  /** Slots of the variables. */
  readonly accumulator: number;
  readonly variable: number;
  readonly second: number | undefined;
  readonly condition: Evaluator;
  readonly step: Evaluator;
  readonly result: Evaluator;
}

/** What the reference calls values that cannot be walked over, by their types. */
const goNames: Readonly<Record<string, string>> = {
  null_type: 'types.Null',
  bool: 'types.Bool',
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
  string: 'types.String',
  bytes: 'types.Bytes',
  type: '*types.Type',
  optional_type: '*types.Optional',
};

function notIterable(value: Value, isPaired: boolean): EvaluationError {
  const type = typeOf(value);
  const last = type.slice(type.lastIndexOf('.') + 1);
  const name = goNames[type] ?? `${value instanceof OpaqueValue ? 'cel' : 'types'}.${last}`;
  return new EvaluationError(
    isPaired ? `unsupported comprehension range type: ${name}` : `got '${name}', expected iterable type`,
  );
}

interface Walk {
  readonly target: ListValue | MapValue | ObjectValue;
  /** Of a map. */
  readonly keys: readonly Value[] | undefined;
  readonly size: number;
}

function walkOver(target: Value, isPaired: boolean): Walk {
  if (target instanceof ListValue) return { target, keys: undefined, size: target.size };
  if (!(target instanceof MapValue || target instanceof ObjectValue)) throw notIterable(target, isPaired);
  const keys = target.keys();
  return { target, keys, size: keys.length };
}

/** An error of a step stays in the accumulator, where the next may absorb it. */
export function fold(parts: Fold): Evaluator {
  const { range, start, accumulator, second, condition, step, result } = parts;
  return (frame) => {
    const target = range(frame);
    const first = growable(start(frame));
    const walk = walkOver(target, second !== undefined);
    const { locals } = frame;
    locals[accumulator] = first;
    for (let index = 0; index < walk.size; index++) {
      bind(parts, locals, walk, index);
      if (condition(frame) !== true) break;
      locals[accumulator] = attempt(step, frame);
    }
    complete(locals[accumulator]);
    return result(frame);
  };
}

/** An empty collection that steps may add to in place. */
function growable(value: Value): Value {
  const isEmpty = (value instanceof ListValue || value instanceof EntryMap) && value.size === 0;
  if (!isEmpty) return value;
  const own = value instanceof ListValue ? new ListValue([]) : new EntryMap();
  own.growing = true;
  return own;
}

function complete(value: Value | EvaluationError | undefined): void {
  if (value instanceof ListValue || value instanceof EntryMap) value.growing = false;
}

/** The variables of a step. */
function bind({ variable, second }: Fold, locals: Frame['locals'], { target, keys }: Walk, index: number): void {
  if (target instanceof ListValue) {
    locals[variable] = second === undefined ? target.at(index) : intOf(index);
    if (second !== undefined) locals[second] = target.at(index);
  } else {
    const key = (keys as readonly Value[])[index] as Value;
    locals[variable] = key;
    if (second !== undefined) locals[second] = entryOf(target, key);
  }
}

function entryOf(entries: MapValue | ObjectValue, key: Value): Value {
  const value = entries instanceof MapValue ? entries.get(key) : entries.get(key as string);
  return value ?? null;
}
