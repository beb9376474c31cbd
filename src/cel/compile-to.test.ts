// Expressions of which a type is wanted.

import { expect, test } from 'vitest';
import { compileTo } from './compile-to.ts';
import { Environment } from './environment.ts';
import { anyValue, bool, type CelType, dyn, list, map, nullType, string } from './types.ts';

const environment = new Environment({ variables: { x: dyn, values: map(string, anyValue) } });

function fault(source: string, types?: readonly CelType[]): string | undefined {
  const compiled = compileTo(source, environment, types);
  return 'fault' in compiled ? compiled.fault : undefined;
}

test.each<[string, readonly CelType[], string | undefined]>([
  ['x == 1', [bool], undefined],
  ['x', [], undefined],
  ['null', [string, nullType], undefined],
  ['[string(x)]', [list(string)], undefined],
  ['values.a', [bool, anyValue], undefined],
  ['x', [bool], 'must evaluate to bool but got dyn'],
  ['[]', [list(string)], 'must evaluate to list(string) but got list(dyn)'],
  ["timestamp('2020-01-01T00:00:00Z')", [bool], 'must evaluate to bool but got google.protobuf.Timestamp'],
  ["{'a': [1]}", [bool], 'must evaluate to bool but got map(string, list(int))'],
  ['int', [bool], 'must evaluate to bool but got type(int)'],
  ['optional.of(1)', [bool], 'must evaluate to bool but got optional_type(int)'],
  ['values.a', [bool], 'must evaluate to bool but got google.protobuf.Any'],
  ['1', [string, nullType], 'must evaluate to one of [string null_type] but got int'],
])('%s to %j', (source, types, expected) => {
  expect(fault(source, types)).toBe(expected);
});

test('what cannot be compiled', () => {
  expect(fault('y', [bool])).toBe(
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'y' (in container '')\n | y\n | ^",
  );
});

test.each([
  ['values.a > 1 && values.b == "x"', undefined],
  ['values.a.b.c == 1', undefined],
  ['(x ? values.a : true) && true', undefined],
  ['[1, values.a].size() == 2', "expected type 'int' but found 'any'"],
  ['values.a.exists(v, v)', "expression of type 'any' cannot be range of a comprehension"],
])('a value of any type: %s', (source, expected) => {
  const error = fault(source, [bool]);
  if (expected === undefined) expect(error).toBeUndefined();
  else expect(error).toContain(expected);
});
