// Functions as libraries declare them: overloads with types, and what they do.

import type { CelType } from './types.ts';
import type { Value } from './values.ts';

export interface Overload {
  readonly id: string;
  /** Called on its first argument. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly run: (...args: readonly Value[]) => Value;
  /** The result of a call that takes too long for this thread, from another one; undefined for calls that do not. */
  readonly apart?: (...args: readonly Value[]) => Promise<Value> | undefined;
  /** `run` for calls that may take long, with rests; the only overload of its function. */
  readonly steps?: (...args: readonly Value[]) => Iterator<void, Value>;
  /** `run` for a second argument that is known when the expression is compiled; throws what is wrong with it. */
  readonly withConstant?: (second: Value) => Overload['run'];
}

/** Overloads by the name of the function. */
export interface Library {
  /** The minor release that it came with; without one, every release has it. */
  readonly since?: number;
  readonly functions: Readonly<Record<string, readonly Overload[]>>;
  /** Names that stand for types. */
  readonly types?: readonly CelType[];
}

/** A plain function. The arguments fit the declared types when it runs. */
export function plain<A extends readonly (Value | undefined)[]>(
  id: string,
  args: readonly CelType[],
  result: CelType,
  run: (...args: A) => Value,
): Overload {
  return { id, member: false, args, result, run: run as unknown as Overload['run'] };
}

/** The same with a function that takes long for large values: it yields now and then. */
export function inSteps<A extends readonly (Value | undefined)[]>(
  overload: Overload,
  steps: (...args: A) => Generator<void, Value>,
): Overload {
  const run = (...args: A): Value => {
    const work = steps(...args);
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
    }
  };
  return {
    ...overload,
    run: run as unknown as Overload['run'],
    steps: steps as unknown as NonNullable<Overload['steps']>,
  };
}

/** A function that is called on something, its first argument. */
export function member<A extends readonly (Value | undefined)[]>(
  id: string,
  args: readonly CelType[],
  result: CelType,
  run: (...args: A) => Value,
): Overload {
  return { ...plain(id, args, result, run), member: true };
}
