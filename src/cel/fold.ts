// Comprehensions: one walk over a list or map that carries an accumulator.

import { attempt, type Evaluator, type Frame } from './frame.ts';
import {
  EntryMap,
  type EvaluationError,
  ListValue,
  MapValue,
  noSuchOverload,
  ObjectValue,
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

export function fold(parts: Fold): Evaluator {
  const { range, start, accumulator, result } = parts;
  return (frame) => {
    const target = range(frame);
    frame.locals[accumulator] = growing(start(frame));
    if (target instanceof ListValue) overList(parts, frame, target);
    else if (target instanceof MapValue || target instanceof ObjectValue) overMap(parts, frame, target);
    else throw noSuchOverload();
    complete(frame.locals[accumulator]);
    return result(frame);
  };
}

/** An empty collection that steps may add to in place. */
function growing(value: Value): Value {
  const isEmpty = (value instanceof ListValue || value instanceof EntryMap) && value.size === 0;
  if (!isEmpty) return value;
  const own = value instanceof ListValue ? new ListValue([]) : new EntryMap();
  own.growing = true;
  return own;
}

function complete(value: Value | EvaluationError | undefined): void {
  if (value instanceof ListValue || value instanceof EntryMap) value.growing = false;
}

function overList(parts: Fold, frame: Frame, items: ListValue): void {
  for (let index = 0; index < items.size; index++) {
    if (parts.second === undefined) frame.locals[parts.variable] = items.at(index);
    else {
      frame.locals[parts.variable] = BigInt(index);
      frame.locals[parts.second] = items.at(index);
    }
    if (!advance(parts, frame)) return;
  }
}

function overMap(parts: Fold, frame: Frame, entries: MapValue | ObjectValue): void {
  for (const key of entries.keys()) {
    frame.locals[parts.variable] = key;
    if (parts.second !== undefined) frame.locals[parts.second] = entryOf(entries, key);
    if (!advance(parts, frame)) return;
  }
}

function entryOf(entries: MapValue | ObjectValue, key: Value): Value {
  const value = entries instanceof MapValue ? entries.get(key) : entries.get(key as string);
  return value ?? null;
}

/** One step; false ends the walk. An error stays in the accumulator, where the next step may absorb it. */
function advance({ condition, step, accumulator }: Fold, frame: Frame): boolean {
  if (condition(frame) !== true) return false;
  frame.locals[accumulator] = attempt(step, frame);
  return true;
}
