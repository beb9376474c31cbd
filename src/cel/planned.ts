// Parts of an expression as closures, with facts that are known before they run.

import { attempt, type Evaluator, type Frame } from './frame.ts';
import { EvaluationError, noSuchOverload, type Value } from './values.ts';

export type Planned = Evaluator & {
  /** It needs no run. */
  readonly constant?: Value;
  /** It reads this slot, for one step of cost: its parent may read the slot itself. */
  readonly local?: number;
  /** It is the negation of this slot. */
  readonly notLocal?: number;
  /** It reads these fields of what something else gives. */
  readonly path?: { readonly root: Evaluator; readonly fields: readonly string[] };
};

export function constant(value: Value): Planned {
  return Object.assign(() => value, { constant: value });
}

export const isConstant = (planned: Planned): boolean => Object.hasOwn(planned, 'constant');

/** A variable of a fold. */
export function readLocal(slot: number, cost: 0 | 1): Planned {
  const read = (frame: Frame): Value => {
    frame.charge(cost);
    const value = frame.locals[slot] as Value | EvaluationError;
    if (value instanceof EvaluationError) throw value;
    return value;
  };
  return cost === 0 ? read : Object.assign(read, { local: slot });
}

/** Functions that decide themselves which of their arguments they need. */
export const specials: Readonly<Record<string, (args: readonly Planned[]) => Evaluator>> = Object.assign(
  Object.create(null) as object,
  {
    '_&&_': ([left, right]: readonly Planned[]) => absorb(left as Planned, right as Planned, false),
    '_||_': ([left, right]: readonly Planned[]) => absorb(left as Planned, right as Planned, true),
    '_?_:_': ([test, then, otherwise]: readonly Planned[]): Evaluator => {
      return (frame) => {
        const value = (test as Planned)(frame);
        if (typeof value !== 'boolean') throw noSuchOverload();
        return value ? (then as Planned)(frame) : (otherwise as Planned)(frame);
      };
    },
    '@not_strictly_false': ([arg]: readonly Planned[]) => notStrictlyFalse(arg as Planned),
  },
);

/** Conditions of folds: nearly all of them look at the accumulator. */
function notStrictlyFalse(arg: Planned): Evaluator {
  const { local, notLocal } = arg;
  if (local !== undefined)
    return (frame) => {
      frame.charge(2);
      return frame.locals[local] !== false;
    };
  if (notLocal !== undefined)
    return (frame) => {
      const value = frame.locals[notLocal];
      frame.charge(3);
      return value !== true;
    };
  return (frame) => {
    const value = attempt(arg, frame);
    frame.charge(1);
    return value !== false;
  };
}

/** `&&` and `||`: one side may settle the matter even if the other fails. */
function absorb(left: Planned, right: Planned, decisive: boolean): Evaluator {
  const { local } = left;
  if (local !== undefined)
    return (frame) => {
      frame.charge(1);
      const first = frame.locals[local] as Value | EvaluationError;
      return first === decisive ? decisive : settled(first, attempt(right, frame), decisive);
    };
  return (frame) => {
    const first = attempt(left, frame);
    return first === decisive ? decisive : settled(first, attempt(right, frame), decisive);
  };
}

/** What follows where the first side did not settle it. */
function settled(first: Value | EvaluationError, second: Value | EvaluationError, decisive: boolean): boolean {
  if (second === decisive) return decisive;
  if (typeof first === 'boolean' && typeof second === 'boolean') return !decisive;
  if (first instanceof EvaluationError) throw first;
  if (second instanceof EvaluationError) throw second;
  throw noSuchOverload();
}
