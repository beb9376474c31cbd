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
  /** `run` for a second argument that is constant when the expression is compiled; throws the error of that argument. */
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

/** A function that is called on something, its first argument. */
export function member<A extends readonly (Value | undefined)[]>(
  id: string,
  args: readonly CelType[],
  result: CelType,
  run: (...args: A) => Value,
): Overload {
  return { ...plain(id, args, result, run), member: true };
}
