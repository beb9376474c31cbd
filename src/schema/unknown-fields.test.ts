import { describe, expect, test } from 'vitest';
import { field, listOf, mapOf, type SchemaType, type StructType, string, struct } from './types.ts';
import { unknownFields } from './unknown-fields.ts';

const part = struct('test/v1', 'Part', '', { name: field(1, string), tags: field(2, mapOf(string)) });
const whole = struct('test/v1', 'Whole', '', {
  name: field(1, string),
  part: field(2, part),
  parts: field(3, listOf(part)),
  byName: field(4, mapOf(part)),
  grid: field(5, listOf(listOf(part))),
});

const find = (value: unknown, known: readonly string[] = []) => unknownFields(whole, value, new Set(known));

describe('unknown fields', () => {
  test.each<[unknown, string[]]>([
    [{}, []],
    [{ name: 'a', part: { name: 'b', tags: { any: 'thing' } } }, []],
    [{ top: 1 }, ['top']],
    [{ top: null }, ['top']],
    [{ Name: 'a' }, ['Name']],
    [{ part: { more: {} } }, ['part.more']],
    [{ parts: [{}, { bogus: 1 }] }, ['parts[1].bogus']],
    [{ byName: { 'a.b': { odd: 1 } } }, ['byName.a.b.odd']],
    [{ grid: [[], [{ odd: 1 }]] }, ['grid[1][0].odd']],
    [{ top: { part: { odd: 1 } } }, ['top']],
    [{ name: { not: 'a string' }, part: [{ odd: 1 }], parts: { odd: 1 } }, []],
    [{ part: null, parts: [null], byName: { a: null } }, []],
  ])('of %j are %j', (value, expected) => {
    expect(find(value)).toEqual(expected);
  });

  test('come in the order of the document', () => {
    const value = { z: 1, parts: [{ b: 1, a: 1 }], a: 1 };
    expect(find(value)).toEqual(['z', 'parts[0].b', 'parts[0].a', 'a']);
  });

  test('do not include what the top level may have besides, and only there', () => {
    expect(find({ kind: 'A', part: { kind: 'B' } }, ['kind'])).toEqual(['part.kind']);
  });

  test('may have names that JavaScript knows', () => {
    expect(find(JSON.parse('{"__proto__":{},"part":{"constructor":1}}'))).toEqual(['__proto__', 'part.constructor']);
  });

  test('are a hundred at most', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
    expect(find({ parts: [many, many] })).toHaveLength(100);
  });

  test('are found in types that contain themselves', () => {
    const fields: { name: string; number: number; type: SchemaType }[] = [];
    const tree: StructType = { is: 'struct', home: 'test/v1', name: 'Tree', about: '', fields };
    fields.push({ name: 'children', number: 1, type: listOf(tree) });
    const value = { children: [{ children: [{ odd: 1 }] }] };
    expect(unknownFields(tree, value, new Set())).toEqual(['children[0].children[0].odd']);
  });
});
