import { expect, test } from 'vitest';
import { goPlain, goSyntax, goTypeName } from './go-format.ts';

test.each<[unknown, string, string, string]>([
  [null, '<nil>', 'interface {}(nil)', '<nil>'],
  ['a"b', 'a"b', '"a\\"b"', 'string'],
  [1, '1', '1', 'int64'],
  [1.5, '1.5', '1.5', 'float64'],
  [2n ** 60n, '1152921504606846976', '1152921504606846976', 'int64'],
  [true, 'true', 'true', 'bool'],
  [['a', 1, null], '[a 1 <nil>]', '[]interface {}{"a", 1, interface {}(nil)}', '[]interface {}'],
  [
    { b: {}, a: ['x'] },
    'map[a:[x] b:map[]]',
    'map[string]interface {}{"a":[]interface {}{"x"}, "b":map[string]interface {}{}}',
    'map[string]interface {}',
  ],
])('value %#', (value, plain, syntax, type) => {
  expect([goPlain(value), goSyntax(value), goTypeName(value)]).toEqual([plain, syntax, type]);
});
