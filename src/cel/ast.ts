// The tree that the parser makes. Macros are expanded; a comprehension keeps its source form.

import type { Value } from './values.ts';

interface Node {
  /** Offset in the source. */
  readonly at: number;
  /** Height of the tree under this node: what walks it recurses as deep. */
  readonly depth: number;
  /** Nodes of the tree; one that a macro used twice counts twice, as those who walk the tree meet it. */
  readonly size: number;
}

interface Literal extends Node {
  readonly is: 'literal';
  readonly value: Value;
}
export interface Identifier extends Node {
  readonly is: 'identifier';
  readonly name: string;
}
export interface Select extends Node {
  readonly is: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** `has(operand.field)` */
  readonly test: boolean;
}
export interface Call extends Node {
  readonly is: 'call';
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
  /** What a macro made it of. */
  readonly writtenAs?: Call;
}
export interface ListLiteral extends Node {
  readonly is: 'list';
  readonly items: readonly ListItem[];
}
export interface ListItem {
  readonly value: Expression;
  /** `?value`: left out when the optional is empty. */
  readonly optional: boolean;
}
export interface MapLiteral extends Node {
  readonly is: 'map';
  readonly entries: readonly MapLiteralEntry[];
}
export interface MapLiteralEntry {
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}
export interface ObjectLiteral extends Node {
  readonly is: 'object';
  readonly typeName: string;
  readonly fields: readonly ObjectLiteralField[];
}
export interface ObjectLiteralField {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}
/** A fold over a list or the keys of a map. */
export interface Comprehension extends Node {
  readonly is: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  /** With two, the first is the index or key, the second the value. */
  readonly second?: string;
  readonly accumulator: string;
  readonly start: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
  readonly writtenAs: Call;
}
export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | ObjectLiteral
  | Comprehension;

type Bare<T extends Expression> = T extends Expression ? Omit<T, 'depth' | 'size'> : never;

/** Adds depth and size. */
export function node(bare: Bare<Expression>): Expression {
  let depth = 0;
  let size = 1;
  for (const child of children(bare as Expression)) {
    depth = Math.max(depth, child.depth);
    size += child.size;
  }
  return { ...bare, depth: depth + 1, size } as Expression;
}

/** Direct parts, in the order in which they are written. */
export function children(expression: Expression): readonly Expression[] {
  switch (expression.is) {
    case 'literal':
    case 'identifier':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case 'list':
      return expression.items.map((item) => item.value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'object':
      return expression.fields.map((field) => field.value);
    case 'comprehension':
      return [expression.range, expression.start, expression.condition, expression.step, expression.result];
  }
}

export const literal = (at: number, value: Value): Expression => node({ is: 'literal', at, value });
export const identifier = (at: number, name: string): Expression => node({ is: 'identifier', at, name });
export const call = (at: number, name: string, ...args: readonly Expression[]): Expression =>
  node({ is: 'call', at, name, args });

/** `a.b.c` when the expression is such a name and nothing else. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.is === 'identifier') return expression.name;
  if (expression.is !== 'select' || expression.test) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}
