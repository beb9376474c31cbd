import { expect, test } from 'vitest';
import { goPlain, goSyntax, goText, goTypeName } from './go-format.ts';

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

test('of a large value only the beginning is written', () => {
  const large = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, ['v'.repeat(20)]]));
  for (const text of [goPlain(large), goText([large]), goSyntax({ a: large }), goPlain(['v'.repeat(100_000)])]) {
    expect(text).toHaveLength(65_539);
    expect(text.endsWith('...')).toBe(true);
  }
  expect(goPlain('v'.repeat(100_000))).toHaveLength(100_000);
});
