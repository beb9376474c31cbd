// Built-in kinds in expressions.

import { describe, expect, test } from 'vitest';
import {
  dateTime,
  field,
  int32,
  intOrString,
  listOf,
  mapOf,
  quantity,
  type StructType,
  string,
  struct,
} from '../schema/types.ts';
import { compile } from './compile.ts';
import { Environment } from './environment.ts';
import { fieldName, typeOfKind } from './schema-types.ts';

const part: StructType = struct('test/v1', 'Part', 'A part with parts.', () => ({
  name: field(1, string),
  parts: field(2, listOf(part)),
  amount: field(3, mapOf(quantity)),
}));
const widget = struct('test/v1', 'Widget', 'A thing.', {
  size: field(1, int32),
  port: field(2, intOrString),
  since: field(3, dateTime),
  namespace: field(4, string),
  root: field(5, part),
});

const environment = new Environment({ variables: { object: typeOfKind(widget) } });
const object = {
  apiVersion: 'test/v1',
  kind: 'Widget',
  size: 3,
  port: 'http',
  since: '2024-01-01T00:00:00Z',
  namespace: 'here',
  root: { name: 'a', parts: [{ name: 'b', parts: [{ name: 'c' }] }], amount: { cpu: '500m' } },
};

function run(source: string): unknown {
  const compiled = compile(source, environment);
  if ('errors' in compiled) return compiled.errors.message.split('\n')[0];
  const outcome = compiled.program.evaluate({ object });
  return 'error' in outcome ? outcome.error : outcome.value;
}

describe('fields of a definition', () => {
  test.each([
    ['object.kind + object.apiVersion', 'Widgettest/v1'],
    ['object.size / 2', 1n],
    ["object.port == 'http' && object.port != 80", true],
    ["object.since < timestamp('2025-01-01T00:00:00Z')", true],
    ["object.namespace == 'here' && object.__namespace__ == 'here'", true],
    ['object.root.parts[0].parts[0].name', 'c'],
    ['has(object.root.parts[0].parts[0].parts)', false],
    ['object.root.parts[0].parts[0].parts', 'no such key: parts'],
    ['object.root.amount', expect.stringContaining("undefined field 'amount'") as string],
    ['object.root == object.root && object.root != object.root.parts[0]', true],
    ['object.width', "ERROR: <input>:1:7: undefined field 'width'"],
    ['object.size + 1.5', "ERROR: <input>:1:13: found no matching overload for '_+_' applied to '(int, double)'"],
  ])('%s', (source, expected) => {
    expect(run(source)).toEqual(expected);
  });
});

describe('names that expressions cannot write', () => {
  test.each([
    ['in', '__in__'],
    ['a-b.c/d', 'a__dash__b__dot__c__slash__d'],
    ['a__b', 'a__underscores__b'],
    ['plain', 'plain'],
  ])('%s', (key, name) => {
    expect(fieldName(key)).toBe(name);
  });
});
