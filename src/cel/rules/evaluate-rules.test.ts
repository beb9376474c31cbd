// Rules of schemas on values.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { WorkMeter } from '../../base/time/work-meter.ts';
import type { Schema } from '../../schema/structural/schema.ts';
import { lines } from '../../testing/error-lines.ts';
import type { Rule } from './compile-rules.ts';
import { RuleEvaluator } from './evaluate-rules.ts';

const ruled = (schema: Schema, ...rules: readonly (Rule | string)[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const text: Schema = { type: 'string' };
const number: Schema = { type: 'integer' };

function found(schema: Schema, value: JsonValue, old?: JsonValue, budget?: number): readonly string[] {
  const evaluator = new RuleEvaluator(schema, false);
  return lines(
    evaluator.validate(value, old, { at: 'v', ...(budget === undefined ? {} : { budget }) }).validationErrors,
  );
}

describe('a broken rule', () => {
  const object: Schema = {
    type: 'object',
    properties: { a: number, b: { type: 'object', additionalProperties: text } },
  };
  test.each<[string, Schema, JsonValue, string[]]>([
    ['holds', ruled(number, 'self > 1'), 2, []],
    ['names the value', ruled(number, 'self > 1'), 1, ['v: Invalid value: 1: failed rule: self > 1']],
    ['does not repeat objects', ruled(object, 'self.a > 1'), { a: 1 }, ['v: Invalid value: failed rule: self.a > 1']],
    ['says its message', ruled(number, { rule: 'false', message: ' too bad ' }), 1, ['v: Invalid value: 1: too bad']],
    [
      'says what an expression says',
      ruled(number, { rule: 'false', message: 'm', messageExpression: "'got ' + string(self)" }),
      1,
      ['v: Invalid value: 1: got 1'],
    ],
    [
      'says its message where the expression fails or says nothing',
      ruled(
        number,
        { rule: 'false', message: 'm', messageExpression: 'string(self / 0)' },
        { rule: 'false', message: 'n', messageExpression: "' '" },
        { rule: 'false', messageExpression: "'a\\nb'" },
      ),
      1,
      ['v: Invalid value: 1: m', 'v: Invalid value: 1: n', 'v: Invalid value: 1: failed rule: false'],
    ],
    [
      'blames a field, with its reason',
      ruled(
        object,
        { rule: 'false', fieldPath: '.a', reason: 'FieldValueForbidden' },
        { rule: 'false', fieldPath: ".b['x']", reason: 'FieldValueRequired', message: 'please' },
        { rule: 'false', reason: 'FieldValueDuplicate' },
      ),
      {},
      ['v.a: Forbidden: failed rule: false', 'v.b[x]: Required value: please', 'v: Duplicate value'],
    ],
    [
      'is told where it stands',
      {
        type: 'object',
        properties: { list: { type: 'array', items: ruled(number, 'self > 0') } },
      },
      { list: [1, 0, null, -1], other: 0 },
      ['v.list[1]: Invalid value: 0: failed rule: self > 0', 'v.list[3]: Invalid value: -1: failed rule: self > 0'],
    ],
    [
      'stands in a map',
      { type: 'object', additionalProperties: ruled(text, "self != ''") },
      { a: '', b: 'x' },
      ['v[a]: Invalid value: "": failed rule: self != \'\''],
    ],
    [
      'reads a field that is not there',
      ruled(object, 'self.a > 1'),
      {},
      ['v: Invalid value: "object": no such key: a evaluating rule: self.a > 1'],
    ],
    [
      'does not know what it has',
      ruled({ 'x-kubernetes-int-or-string': true }, 'self < 5'),
      'x',
      [
        `v: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self < 5`,
      ],
    ],
    [
      'does not compile',
      ruled(number, 'true', '1'),
      1,
      ['v: Invalid value: "integer": rule compile error: cel expression must evaluate to a bool'],
    ],
    ['sees dates', ruled({ type: 'string', format: 'date' }, 'self.getFullYear() == 2024'), '2024-02-29', []],
    [
      'sees null',
      ruled({ type: 'object', properties: { a: { ...text, nullable: true } } }, 'dyn(self.a) == null'),
      { a: null },
      [],
    ],
    [
      'sees keys of objects as they are',
      ruled({ type: 'object', properties: { 'a-b': text } }, "self.a__dash__b == 'x' && has(self.a__dash__b)"),
      { 'a-b': 'x' },
      [],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(found(schema, value)).toEqual(expected);
  });
});

describe('a rule about changes', () => {
  const grows = ruled(number, 'self >= oldSelf');

  test('has nothing to say of what is new', () => {
    expect(found(grows, 1)).toEqual([]);
    expect(found(grows, 1, 2)).toEqual(['v: Invalid value: 1: failed rule: self >= oldSelf']);
  });

  test('may speak of what is new, too', () => {
    const rule = { rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 0', optionalOldSelf: true };
    const schema = ruled(number, { ...rule, message: 'no' });
    expect(found(schema, 0)).toEqual([]);
    expect(found(schema, 1)).toEqual(['v: Invalid value: 1: no']);
    expect(found(schema, 1, 1)).toEqual([]);
    expect(found(schema, 1, 2)).toEqual(['v: Invalid value: 1: no']);
  });

  test('finds the old field, and the old item of a list that is a map', () => {
    const item = { type: 'object', properties: { k: text, n: grows } };
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const schema = { type: 'object', properties: { a: grows, l: { type: 'array', items: item, ...keyed } } };
    const old = {
      a: 2,
      l: [
        { k: 'x', n: 5 },
        { k: 'y', n: 1 },
      ],
    };
    expect(
      found(
        schema,
        {
          a: 1,
          l: [
            { k: 'y', n: 1 },
            { k: 'x', n: 4 },
            { k: 'z', n: 0 },
          ],
        },
        old,
      ),
    ).toEqual([
      'v.a: Invalid value: 1: failed rule: self >= oldSelf',
      'v.l[1].n: Invalid value: 4: failed rule: self >= oldSelf',
    ]);
  });

  test('has no old item in other lists', () => {
    expect(found({ type: 'array', items: grows }, [1], [2])).toEqual([]);
  });
});

describe('the budget', () => {
  const list = ruled({ type: 'array', items: ruled(number, 'self > 0') }, 'self.all(x, x > 0)');

  test('ends the run', () => {
    const end = 'validation failed due to running out of cost budget, no further validation rules will be run';
    expect(found(list, [1, 2, 3], undefined, 1000)).toEqual([]);
    expect(found(list, [1, 2, 3], undefined, 5)).toEqual([`v: Invalid value: "array": ${end}`]);
    expect(found(list, [1, 2, 3], undefined, 18)).toEqual([`v[0]: Invalid value: "integer": ${end}`]);
  });

  test('is spent by rules that cost nothing', () => {
    const verdict = new RuleEvaluator(ruled(number, 'true', 'true'), false).validate(1, undefined, {
      at: '',
      budget: 5,
    });
    expect(verdict).toEqual({ validationErrors: [], budget: 3, tolerated: [] });
  });

  test('has a limit for one rule', () => {
    const [line] = found(
      ruled({ type: 'array', items: number }, 'self.all(x, self.all(y, x >= 0))'),
      Array(1000).fill(1),
    );
    expect(line).toBe(
      `v: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, x >= 0))`,
    );
  });

  test('is not needed to stop an endless answer', () => {
    expect(found({ type: 'array', items: ruled(number, 'false') }, Array(5000).fill(1))).toHaveLength(1000);
  });
});

describe('a list whose order means nothing', () => {
  const part: Schema = { type: 'object', required: ['k'], properties: { k: text, n: number } };
  const schema: Schema = {
    type: 'object',
    properties: {
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: part,
      },
      pairs: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'n'],
        items: part,
      },
      row: { type: 'array', items: text },
    },
  };
  const value = {
    set: ['a', 'b'],
    row: ['a', 'b'],
    parts: [
      { k: 'x', n: 1 },
      { k: 'y', n: 2 },
    ],
    pairs: [
      { k: 'x', n: 1 },
      { k: 'x', n: 2 },
    ],
  };
  const old = {
    set: ['b', 'a'],
    row: ['b', 'a'],
    parts: [
      { k: 'y', n: 2 },
      { k: 'x', n: 1 },
    ],
    pairs: [
      { k: 'x', n: 2 },
      { k: 'x', n: 1 },
    ],
  };
  test.each([
    "self.set == ['b', 'a']",
    "self.set != ['b', 'c'] && self.set != ['a']",
    'self.set == oldSelf.set && self.parts == oldSelf.parts && self.pairs == oldSelf.pairs',
    'self.row != oldSelf.row && self != oldSelf',
    "['b', 'a'] != self.set",
    "self.set + ['c', 'b'] == ['a', 'b', 'c']",
    "(self.set + ['c', 'b'])[2] == 'c'",
    'self.row + self.row != self.row',
    'self.parts + oldSelf.parts == self.parts && (self.parts + oldSelf.parts)[0].k == "x"',
    'self.parts + [oldSelf.parts[0]] == self.parts',
    'self.pairs + self.pairs == oldSelf.pairs',
    'self.parts != self.pairs.map(p, p)',
  ])('%s', (rule) => {
    expect(found(ruled(schema, rule), value, old)).toEqual([]);
  });

  test('differs where an item of the same key does', () => {
    const changed = {
      ...value,
      parts: [
        { k: 'x', n: 1 },
        { k: 'y', n: 3 },
      ],
    };
    expect(found(ruled(schema, 'self.parts == oldSelf.parts'), changed, old)).toHaveLength(1);
    expect(found(ruled(schema, '(oldSelf.parts + self.parts)[0].n == 3'), changed, old)).toEqual([]);
  });
});

test('rules of many items, and rules that are long to compile, are counted as long work', () => {
  const validate = (items: number, rule: string) => {
    let isLong = false;
    const meter = new WorkMeter(() => {
      isLong = true;
    });
    const evaluator = new RuleEvaluator({ type: 'array', items: ruled(number, rule) }, false);
    evaluator.validate(Array(items).fill(1), undefined, { at: 'v', meter });
    return isLong;
  };
  const long = Array.from({ length: 600 }, (_, index) => `self != ${index}`).join(' && ');
  expect([validate(100, 'self > 0'), validate(100_000, 'self > 0'), validate(1, long)]).toEqual([false, true, true]);
});
