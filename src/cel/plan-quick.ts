// Calls on numbers and truth values, which need no look at the lengths of texts.

import { nominal } from './cost.ts';
import type { Overload } from './declarations.ts';
import { failedCall, paid } from './failed-parts.ts';
import type { Evaluator } from './frame.ts';
import type { Planned } from './planned.ts';
import type { CelType } from './types.ts';
import { MapValue, noSuchOverload, type Value } from './values.ts';

/** The result of `typeof` for values of a type, if no other type has it. */
const kinds: Readonly<Partial<Record<CelType['is'], string>>> = {
  int: 'bigint',
  double: 'number',
  bool: 'boolean',
  string: 'string',
};

/** Undefined for calls that are not of that form. For those that cost one. */
export function quickCall({ args, run }: Overload, parts: readonly Planned[]): Evaluator | undefined {
  const [first, second, third] = args.map(({ is }) => kinds[is]);
  if (first === undefined || first === 'string' || third !== undefined || args.length !== parts.length)
    return undefined;
  const [left, right] = parts as readonly [Planned, Planned];
  if (args.length === 1) return unary(first, run, left);
  return second === undefined ? undefined : binary({ first, second }, run, left, right);
}

function unary(kind: string, run: Overload['run'], arg: Evaluator): Evaluator {
  return (frame) => {
    const value = paid(arg, 1, frame);
    if (typeof value !== kind) throw noSuchOverload();
    return run(value);
  };
}

function binary(
  kind: { readonly first: string; readonly second: string },
  run: Overload['run'],
  left: Evaluator,
  right: Planned,
): Evaluator {
  const fixed = right.constant;
  return (frame) => {
    let first: Value | undefined;
    let second: Value;
    try {
      first = left(frame);
      second = fixed === undefined ? right(frame) : fixed;
    } catch (error) {
      throw failedCall(error, [first], [left, right], nominal, frame);
    }
    frame.charge(1);
    if (typeof first !== kind.first || typeof second !== kind.second) throw noSuchOverload();
    return run(first, second);
  };
}

/** `!` is in most policies, and in every `exists`. */
export function not(arg: Planned): Planned {
  const call = (frame: Parameters<Evaluator>[0]): Value => {
    const value = paid(arg, 1, frame);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return !value;
  };
  return arg.local === undefined ? call : Object.assign(call, { notLocal: arg.local });
}

/** `key in entries` where the checker cannot tell a map from a list: `otherwise` finds out. */
export function inMap(value: Evaluator, entries: Evaluator, otherwise: Overload['run']): Evaluator {
  return (frame) => {
    let key: Value | undefined;
    let items: Value;
    try {
      key = value(frame);
      items = entries(frame);
    } catch (error) {
      throw failedCall(error, [key], [value, entries], nominal, frame);
    }
    frame.charge(1);
    return items instanceof MapValue ? items.has(key) : otherwise(key, items);
  };
}
