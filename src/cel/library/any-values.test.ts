// Whatever values a function meets behind `dyn`, the outcome is a value or an error of the expression.

import { describe, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { extendedLibraries } from '../conformance/extended-libraries.ts';
import { Environment } from '../environment.ts';
import { dyn, int, list, record, string } from '../types.ts';
import { UintValue } from '../values.ts';
import { AuthorizerValue } from './authorizer.ts';

const thing = record('Thing', { size: int, names: list(string) });
const environment = new Environment({
  variables: { a: dyn, b: dyn, c: dyn, d: dyn, thing },
  libraries: extendedLibraries,
});

/** Expressions that give a value of each type, and of odd ones. */
const pool = [
  'null',
  'true',
  '0',
  '-1',
  '9223372036854775807',
  '2u',
  '1.5',
  "double('NaN')",
  "double('inf')",
  "''",
  "'1'",
  "'😀('",
  "b'\\xff'",
  '[]',
  '[1]',
  "['a']",
  '[null]',
  '{}',
  "{'a': 1}",
  '{1: 2}',
  'thing',
  'int',
  "timestamp('2024-01-01T00:00:00Z')",
  "duration('1s')",
  'optional.none()',
  'optional.of(1)',
  "ip('::1')",
  "cidr('10.0.0.0/8')",
  "quantity('1')",
  "semver('1.0.0')",
  "url('/a')",
  'format.uuid()',
];

const evaluated = (source: string): unknown => {
  const compiled = compile(source, environment);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  const outcome = compiled.program.evaluate({ thing: { size: 1, names: ['a'] } });
  return 'value' in outcome ? outcome.value : null;
};
const values = [
  ...pool.map(evaluated),
  AuthorizerValue.of({ check: () => ({ allowed: true, reason: '' }) }),
  new UintValue(2n ** 64n - 1n),
];

const operators: Readonly<Record<string, string>> = {
  '_?_:_': 'a ? b : c',
  '_[_]': 'a[b]',
  '_[?_]': 'a[?b]',
  '!_': '!a',
  '-_': '-a',
  '@in': 'a in b',
  '@not_strictly_false': 'a.all(i, b)',
  '@sortByAssociatedKeys': 'a.sortBy(i, b)',
  'cel.@mapInsert': 'a.transformMap(k, v, b)',
};

function sourceOf(name: string, member: boolean, count: number): string {
  if (Object.hasOwn(operators, name)) return operators[name] as string;
  const args = ['a', 'b', 'c', 'd'].slice(0, count);
  if (/^_.+_$/.test(name)) return `a ${name.slice(1, -1)} b`;
  return member ? `a.${name}(${args.slice(1).join(', ')})` : `${name}(${args.join(', ')})`;
}

const sources = new Set(
  extendedLibraries
    .flatMap((library) => Object.entries(library.functions))
    .flatMap(([name, overloads]) => overloads.map(({ member, args }) => sourceOf(name, member, args.length)))
    .concat([
      'a.size',
      'has(a.b)',
      'a.?b',
      'a.map(i, i)',
      'a.all(i, v, v == b)',
      '{a: b}',
      '[a, ?b]',
      "'%s %d %f'.format([a, b, c])",
    ]),
);

describe('functions that meet any values', () => {
  test.each([...sources])('%s', (source) => {
    const compiled = compile(source, environment);
    if ('errors' in compiled) throw new Error(compiled.errors.message);
    const { program } = compiled;
    const outcomes = values.flatMap((a) => values.map((b) => program.evaluate({ a, b, c: b, d: a })));
    expect(outcomes.filter((outcome) => !('value' in outcome) && outcome.error === '')).toEqual([]);
  });
});
