// From a tree back to text that reads as the same tree.

import type { Call, Expression } from '../ast.ts';
import { quote } from '../literals.ts';
import { UintValue, type Value } from '../values.ts';

/** Higher binds tighter. */
const precedence: Readonly<Record<string, number>> = {
  '_?_:_': 1,
  '_||_': 2,
  '_&&_': 3,
  '_<_': 4,
  '_<=_': 4,
  '_>_': 4,
  '_>=_': 4,
  '_==_': 4,
  '_!=_': 4,
  '@in': 4,
  '_+_': 5,
  '_-_': 5,
  '_*_': 6,
  '_/_': 6,
  '_%_': 6,
  '!_': 7,
  '-_': 7,
};

export function print(expression: Expression): string {
  switch (expression.is) {
    case 'literal':
      return printLiteral(expression.value);
    case 'identifier':
      return expression.name;
    case 'select': {
      const selection = `${printOperand(expression.operand)}.${expression.field}`;
      return expression.test ? `has(${selection})` : selection;
    }
    case 'call':
      return expression.writtenAs === undefined ? printCall(expression) : printCall(expression.writtenAs);
    case 'comprehension':
      return printCall(expression.writtenAs);
    case 'list':
      return `[${expression.items.map(({ value, optional }) => `${optional ? '?' : ''}${print(value)}`).join(', ')}]`;
    case 'map':
      return `{${expression.entries
        .map(({ key, value, optional }) => `${optional ? '?' : ''}${print(key)}: ${print(value)}`)
        .join(', ')}}`;
    case 'object':
      return `${expression.typeName}{${expression.fields
        .map(({ name, value, optional }) => `${optional ? '?' : ''}${name}: ${print(value)}`)
        .join(', ')}}`;
  }
}

function printCall({ name, target, args }: Call): string {
  const [first, second] = args as readonly [Expression, Expression];
  const level = precedence[name];
  if (level !== undefined) return printOperator(name, level, args);
  if (name === '_[_]') return `${printOperand(first)}[${print(second)}]`;
  if (name === '_[?_]') return `${printOperand(first)}[?${print(second)}]`;
  if (name === '_?._') return `${printOperand(first)}.?${second.is === 'literal' ? String(second.value) : ''}`;
  const list = args.map(print).join(', ');
  return target === undefined ? `${name}(${list})` : `${printOperand(target)}.${name}(${list})`;
}

function printOperator(name: string, level: number, args: readonly Expression[]): string {
  const [first, second, third] = args as readonly [Expression, Expression, Expression];
  if (name === '_?_:_') return `${within(first, 2)} ? ${within(second, 2)} : ${within(third, 1)}`;
  if (level === 7) return `${name[0]}${unsigned(within(first, 8))}`;
  const symbol = name === '@in' ? 'in' : name.slice(1, -1);
  // chains of && and || are balanced again when they are read: both sides keep their brackets only if they need them
  const right = name === '_&&_' || name === '_||_' ? level : level + 1;
  return `${within(first, level)} ${symbol} ${within(second, right)}`;
}

const levelOf = (expression: Expression): number => {
  const call = expression.is === 'call' && expression.writtenAs === undefined ? expression : undefined;
  if (call !== undefined) return precedence[call.name] ?? 9;
  return isNegative(expression) ? 7 : 9;
};

/** A minus before a number would become a part of it. */
const unsigned = (operand: string): string => (/^\.?[0-9]/.test(operand) ? `(${operand})` : operand);

const isNegative = (expression: Expression): boolean =>
  expression.is === 'literal' &&
  (typeof expression.value === 'bigint' || typeof expression.value === 'number') &&
  (expression.value < 0 || Object.is(expression.value, -0));

const within = (expression: Expression, level: number): string =>
  levelOf(expression) < level ? `(${print(expression)})` : print(expression);

const printOperand = (expression: Expression): string => within(expression, 9);

function printLiteral(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value instanceof UintValue) return `${value.value}u`;
  if (value instanceof Uint8Array)
    return `b"${[...value].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
  if (typeof value === 'number') return printDouble(value);
  return String(value);
}

function printDouble(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
