// What an expression may cost at most, before it has run: from the sizes that a schema allows.

import type { Call, Comprehension, Expression, Identifier, ListLiteral, MapLiteral, Select } from './ast.ts';
import type { Checked, Reference } from './check.ts';
import { listCost, mapCost, objectCost } from './cost.ts';
import { type CallEstimate, estimateCall, type Operand } from './estimate-call.ts';
import { either, fixed, free, plus, type Range, sum, times, unknown } from './ranges.ts';
import { type CelType, dyn, optionalName } from './types.ts';
import { lengthOf } from './values.ts';

/** Limits that Kubernetes has for one rule of a custom resource, and for all rules of a definition. */
export const ruleLimit = 10_000_000;
export const definitionLimit = 100_000_000;

/**
 * The most characters, items or entries that a value can have, if there is a limit. Paths begin with a variable; `@items`,
 * `@keys`, `@values` and `@indices` stand for the content of a list or map.
 * In a path to what an expression makes itself, the first of these stands where a variable would.
 */
export type MaxSize = (path: readonly string[]) => number | undefined;

export function estimateCost(checked: Checked, maxSize: MaxSize = () => undefined): Range {
  return new Estimator(checked, maxSize).cost(checked.expression);
}

/** In the words that users know; `what` is for example `estimated rule cost`. */
export function costFault(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shownFactor = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shownFactor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

type Path = readonly string[];

interface Entries {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly name: string;
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries?: Entries | undefined;
}

class Estimator {
  readonly #checked: Checked;
  readonly #maxSize: MaxSize;
  readonly #sizes = new Map<Expression, Range>();
  readonly #entries = new Map<Expression, Entries>();
  readonly #paths = new Map<Expression, Path>();
  readonly #locals: Local[] = [];

  constructor(checked: Checked, maxSize: MaxSize) {
    this.#checked = checked;
    this.#maxSize = maxSize;
  }

  cost(expression: Expression): Range {
    switch (expression.is) {
      case 'literal':
        return free;
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'object':
        return plus(sum(expression.fields.map((field) => this.cost(field.value))), fixed(objectCost));
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #comprehension(expression: Comprehension): Range {
    return isBinding(expression) ? this.#binding(expression) : this.#fold(expression);
  }

  #identifier(expression: Identifier): Range {
    this.#paths.set(expression, this.#local(expression.name)?.path ?? [expression.name]);
    return fixed(1);
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast((local) => local.name === name);
  }

  #select(expression: Select): Range {
    const reference = this.#checked.references.get(expression);
    if (reference !== undefined) {
      this.#paths.set(expression, [reference.to === 'type' ? expression.field : reference.name]);
      return fixed(1);
    }
    const operand = this.cost(expression.operand);
    if (expression.test) return operand;
    this.#paths.set(expression, [...this.#pathOf(expression.operand), expression.field]);
    const target = this.#typeOf(expression.operand);
    return target.is === 'map' || target.is === 'object' ? plus(operand, fixed(1)) : operand;
  }

  #pathOf(expression: Expression): Path {
    return this.#paths.get(expression) ?? [];
  }

  #typeOf(expression: Expression): CelType {
    return this.#checked.types.get(expression) ?? dyn;
  }

  #sizeOf(expression: Expression): Range | undefined {
    const knownSize = this.#sizes.get(expression) ?? literalSize(expression);
    if (knownSize !== undefined) return knownSize;
    const path = this.#pathOf(expression);
    const max = path.length === 0 ? undefined : this.#maxSize(path);
    if (max !== undefined) return { min: 0, max };
    if (isScalar(this.#typeOf(expression))) return fixed(1);
    return expression.is === 'identifier' ? this.#local(expression.name)?.size : undefined;
  }

  #entriesOf(expression: Expression): Entries | undefined {
    const knownEntries = this.#entries.get(expression);
    if (knownEntries !== undefined || expression.is !== 'identifier') return knownEntries;
    return this.#local(expression.name)?.entries;
  }

  #operand(expression: Expression): Operand {
    const cost = this.cost(expression);
    const value = expression.is === 'literal' ? expression.value : undefined;
    return {
      cost,
      size: this.#sizeOf(expression) ?? unknown,
      item: this.#itemOf(expression),
      literal: typeof value === 'bigint' ? Number(value) : undefined,
      type: this.#typeOf(expression),
    };
  }

  #itemOf(expression: Expression): Operand['item'] {
    const type = this.#typeOf(expression);
    if (type.is !== 'list') return undefined;
    const path = this.#pathOf(expression);
    // compat: calls that walk a list do not know how long its items are when an expression made the list
    const max = path.length === 0 ? undefined : this.#maxSize([...path, '@items']);
    const size = max === undefined ? unknown : { min: 0, max };
    return { size, isText: type.of.is === 'string' || type.of.is === 'bytes' };
  }

  #call(expression: Call): Range {
    if (expression.name === 'dyn') return this.#untyped(expression);
    if (expression.name === '_?._') return plus(this.cost(expression.args[0] as Expression), fixed(1));
    const reference = this.#checked.references.get(expression) as Reference & { readonly to: 'function' };
    const parts =
      expression.target === undefined || reference.qualified
        ? expression.args
        : [expression.target, ...expression.args];
    const operands = parts.map((part) => this.#operand(part));
    const estimates = reference.overloads.map(({ id }) => estimateCall(reference.name, id, operands));
    this.#track(expression, reference, estimates);
    const args = sum(operands.map(({ cost }) => cost));
    return estimates.map(({ cost, whole }) => (whole ? cost : plus(cost, args))).reduce(either);
  }

  /** A type that is not checked changes nothing of the value. */
  #untyped(expression: Call): Range {
    const [arg] = expression.args as readonly [Expression];
    const cost = plus(this.cost(arg), fixed(1));
    this.#copySizes(expression, arg);
    return cost;
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#sizeOf(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  /** Records the known ranges of the result. */
  #track(
    expression: Call,
    { overloads, name }: { overloads: readonly { id: string }[]; name: string },
    estimates: readonly CallEstimate[],
  ): void {
    const [first] = expression.args;
    const sizes = estimates.flatMap(({ size }) => (size === undefined ? [] : [size]));
    if (sizes.length > 0) this.#sizes.set(expression, sizes.reduce(either));
    if (first === undefined) return;
    if (name === '_[_]') this.#trackIndex(expression, first, overloads.at(-1)?.id);
    else this.#trackEntries(expression, name);
  }

  #trackIndex(expression: Call, first: Expression, overload: string | undefined): void {
    if (overload !== 'index_list' && overload !== 'index_map') return;
    this.#paths.set(expression, [...this.#pathOf(first), overload === 'index_list' ? '@items' : '@values']);
    const value = this.#entriesOf(first)?.value;
    if (value !== undefined) this.#sizes.set(expression, value);
  }

  /** Known where it is known of each part that the result may have entries of. */
  #trackEntries(expression: Call, name: string): void {
    const from = name === '_?_:_' ? expression.args.slice(1) : name === '_+_' ? expression.args : [];
    const entryRanges = from.flatMap((part) => this.#entriesOf(part) ?? []);
    if (entryRanges.length > 0 && entryRanges.length === from.length)
      this.#entries.set(expression, entryRanges.reduce(eitherEntries));
  }

  #list(expression: ListLiteral): Range {
    const values = this.#together(expression.items.map(({ value }) => value));
    this.#entries.set(expression, { isList: true, key: fixed(1), value: values.size });
    return plus(values.cost, fixed(listCost));
  }

  #map(expression: MapLiteral): Range {
    const keys = this.#together(expression.entries.map(({ key }) => key));
    const values = this.#together(expression.entries.map(({ value }) => value));
    this.#entries.set(expression, { isList: false, key: keys.size, value: values.size });
    return plus(plus(keys.cost, values.cost), fixed(mapCost));
  }

  /** What expressions cost together, and how large any of their values is. */
  #together(expressions: readonly Expression[]): { readonly cost: Range; readonly size: Range } {
    let cost = free;
    let size: Range | undefined;
    for (const expression of expressions) {
      cost = plus(cost, this.cost(expression));
      const own = this.#sizeOf(expression) ?? unknown;
      size = size === undefined ? own : either(size, own);
    }
    return { cost, size: size ?? free };
  }

  #binding(expression: Comprehension): Range {
    const range = this.cost(expression.range);
    const start = this.cost(expression.start);
    const result = this.#within([this.#bound(expression)], [expression.result]);
    this.#copySizes(expression, expression.result);
    return sum([range, start, result]);
  }

  #bound({ accumulator, start }: Comprehension): Local {
    return {
      name: accumulator,
      path: this.#pathOf(start),
      size: this.#sizeOf(start),
      entries: this.#entriesOf(start),
    };
  }

  /** What the parts cost together, with more names that they may use. */
  #within(locals: readonly Local[], parts: readonly Expression[]): Range {
    const depth = this.#locals.length;
    this.#locals.push(...locals);
    const costs: Range[] = [];
    for (const part of parts) costs.push(this.cost(part));
    this.#locals.length = depth;
    return sum(costs);
  }

  #fold(expression: Comprehension): Range {
    const range = this.cost(expression.range);
    const start = this.cost(expression.start);
    const accumulator = this.#bound(expression);
    const { condition, step } = expression;
    const each = this.#within([accumulator, ...this.#variables(expression)], [condition, step]);
    const result = this.#within([accumulator], [expression.result]);
    const count = this.#sizeOf(expression.range) ?? unknown;
    this.#trackFold(expression, count);
    return sum([range, start, result, times(count, each)]);
  }

  #trackFold(expression: Comprehension, count: Range): void {
    if (expression.start.is === 'literal') this.#sizes.set(expression, fixed(1));
    if (expression.start.is !== 'list' && expression.start.is !== 'map') return;
    this.#sizes.set(expression, count);
    const entries = this.#entriesOf(expression.step);
    if (entries !== undefined) this.#entries.set(expression, entries);
  }

  #variables({ range, variable, second }: Comprehension): Local[] {
    const entries = this.#entriesOf(range);
    const path = this.#pathOf(range);
    const isList = entries?.isList ?? this.#typeOf(range).is === 'list';
    const key: Local = { name: variable, path: [...path, isList ? '@indices' : '@keys'], size: entries?.key };
    const value = (name: string): Local => ({
      name,
      path: [...path, isList ? '@items' : '@values'],
      size: entries?.value,
    });
    if (second !== undefined) return [key, value(second)];
    return isList ? [value(variable)] : [key];
  }
}

const eitherEntries = (a: Entries, b: Entries): Entries => ({
  isList: a.isList,
  key: either(a.key, b.key),
  value: either(a.value, b.value),
});

/** A name for a value is a fold over nothing. */
const isBinding = ({ range, condition }: Comprehension): boolean =>
  range.is === 'list' && range.items.length === 0 && condition.is === 'literal' && condition.value === false;

function literalSize(expression: Expression): Range | undefined {
  if (expression.is === 'list') return fixed(expression.items.length);
  if (expression.is === 'map') return fixed(expression.entries.length);
  if (expression.is !== 'literal') return undefined;
  const { value } = expression;
  if (typeof value === 'string') return fixed(lengthOf(value));
  return fixed(value instanceof Uint8Array ? value.length : 1);
}

const scalars: ReadonlySet<CelType['is']> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'timestamp',
  'duration',
] as const);
const isScalar = (type: CelType): boolean =>
  scalars.has(type.is) || (type.is === 'opaque' && type.name === optionalName && type.params.every(isScalar));
