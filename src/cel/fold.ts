// Comprehensions: one walk over a list or map that carries an accumulator.

import { attempt, type Evaluator, type Frame } from './frame.ts';
import { Done, Interruption, Progress } from './progress.ts';
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

/** A walk that can be gone on with in a later turn. */
class Walk {
  readonly target: ListValue | MapValue | ObjectValue;
  /** Of a map: it is walked in the order that it had at first. */
  readonly keys: readonly Value[] | undefined;
  readonly size: number;
  /** The step at which it rests: nothing of it has been done. */
  index = 0;
  /** What the fold had cost before that. */
  cost = 0;
  /** What the accumulator was before that: it is changed at the end of a step only. */
  accumulated: Value | EvaluationError;
  /** What is known of that step from the turns before. */
  progress: Progress | undefined;

  constructor(target: Value, start: Value, isPaired: boolean) {
    if (target instanceof ListValue) this.size = target.size;
    else if (target instanceof MapValue || target instanceof ObjectValue) {
      this.keys = target.keys();
      this.size = this.keys.length;
    } else throw notIterable(target, isPaired);
    this.target = target;
    this.accumulated = start;
  }

  rest(index: number, cost: number, accumulated: Value | EvaluationError, interruption: Interruption): void {
    this.index = index;
    this.cost = cost;
    this.accumulated = accumulated;
    this.progress = Progress.after(interruption, this.progress);
  }
}

export function fold(parts: Fold): Evaluator {
  const { range, start, accumulator, second } = parts;
  const isPaired = second !== undefined;
  const evaluator: Evaluator = (frame) => {
    const outer = frame.progress;
    const began = frame.cost;
    if (outer === undefined) {
      const target = range(frame);
      const walk = new Walk(target, growing(start(frame)), isPaired);
      frame.locals[accumulator] = walk.accumulated;
      return go(evaluator, parts, frame, walk, began);
    }
    const done = frame.known(evaluator);
    if (done !== undefined) return done.value;
    const walk =
      goneOnWith(outer.get(evaluator), frame, began) ?? new Walk(range(frame), growing(start(frame)), isPaired);
    frame.locals[accumulator] = walk.accumulated;
    return kept(evaluator, parts, frame, walk, began);
  };
  return evaluator;
}

function goneOnWith(state: object | undefined, frame: Frame, began: number): Walk | undefined {
  if (!(state instanceof Walk)) return undefined;
  frame.cost = began + state.cost;
  return state;
}

/** After the first turn: a fold that is over is not walked again. */
function kept(part: Evaluator, parts: Fold, frame: Frame, walk: Walk, began: number): Value {
  const outer = frame.progress as Progress;
  walk.progress ??= new Progress();
  frame.progress = walk.progress;
  try {
    const value = go(part, parts, frame, walk, began);
    outer.set(part, new Done(value, frame.cost - began));
    return value;
  } catch (error) {
    if (error instanceof EvaluationError) outer.set(part, new Done(error, frame.cost - began));
    throw error;
  } finally {
    frame.progress = outer;
  }
}

/** Walks to the end, if the turn is long enough. An error of a step stays in the accumulator, where the next may absorb it. */
function go(part: Evaluator, parts: Fold, frame: Frame, walk: Walk, began: number): Value {
  const { condition, step, accumulator, result } = parts;
  const { size, progress } = walk;
  const { locals } = frame;
  let { index } = walk;
  let cost = walk.cost;
  try {
    while (index < size) {
      cost = frame.cost - began;
      bind(parts, locals, walk, index);
      if (condition(frame) !== true) break;
      locals[accumulator] = attempt(step, frame);
      index++;
      if (progress !== undefined) progress.clear();
      if (frame.isTurnOver()) {
        cost = frame.cost - began;
        throw new Interruption();
      }
    }
    // where the walk ended early, the items after that are not looked at, whatever happens to the result
    index = size;
    cost = frame.cost - began;
    complete(locals[accumulator]);
    return result(frame);
  } catch (error) {
    if (error instanceof Interruption) {
      walk.rest(index, cost, locals[accumulator] as Value | EvaluationError, error);
      error.left = { part, state: walk };
    }
    throw error;
  }
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
