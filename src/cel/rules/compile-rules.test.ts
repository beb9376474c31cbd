// Rules of schemas: what compiles, what it may cost, and what is said of the rest.

import { describe, expect, test } from 'vitest';
import type { Schema } from '../../schema/structural/schema.ts';
import { declareSchema } from '../structural-types.ts';
import { type CompiledRule, compileRules, hasRules, type Rule } from './compile-rules.ts';

function compiled(schema: Schema, rule: Rule | string): CompiledRule {
  const declared = declareSchema(schema, false);
  if (declared === undefined) throw new Error('no type');
  const rules = [typeof rule === 'string' ? { rule } : rule];
  return compileRules({ ...schema, 'x-kubernetes-validations': rules }, declared)[0] as CompiledRule;
}

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const formatted = (format: string): Schema => ({ type: 'string', format });
const intOrString: Schema = { 'x-kubernetes-int-or-string': true };
const either: Schema = { type: 'object', required: ['required'], properties: { required: text, optional: text } };
const list = (items: Schema, maxItems?: number): Schema => ({
  type: 'array',
  items,
  ...(maxItems ? { maxItems } : {}),
});
const map = (values: Schema, maxProperties?: number): Schema => ({
  type: 'object',
  additionalProperties: values,
  ...(maxProperties ? { maxProperties } : {}),
});
const unlimited = 2 ** 64;
const short = (maxLength: number, schema = text): Schema => ({ ...schema, maxLength });

/** Costs as kube-apiserver's own tests have them. */
describe('the estimated cost', () => {
  test.each<[string, Schema, string, number]>([
    ['a list of numbers', list(number), 'self.all(x, true)', 4718591],
    ['a short list of numbers', list(number, 10), 'self.all(x, true)', 32],
    ['a list of texts', list(text), 'self.all(x, true)', 3145727],
    ['a list of truths', list({ type: 'boolean' }), 'self.all(x, true)', 1887437],
    ['a list of lists', list(list(number)), 'self.all(x, true)', 3145727],
    ['a list of objects', list(either), 'self.all(x, true)', 555128],
    ['a list of numbers or texts', list(intOrString), 'self.all(x, true)', 4718591],
    ['a list of durations', list(formatted('duration')), 'self.all(x, true)', 2359295],
    ['a list of days', list(formatted('date')), 'self.all(x, true)', 725936],
    ['a list of times', list(formatted('date-time')), 'self.all(x, true)', 428963],
    ['a map of numbers', map(number), 'self.all(x, true)', 1348169],
    ['a map of texts', map(text), 'self.all(x, true)', 1179647],
    ['a map of truths', map({ type: 'boolean' }), 'self.all(x, true)', 943718],
    ['a map of objects', map(either), 'self.all(x, true)', 428963],
    ['a small map of objects', map(either, 20), 'self.all(x, true)', 62],
    ['a map of times', map(formatted('date-time')), 'self.all(x, true)', 349526],
    ['a text that is searched', text, "self.contains('test')", 314574],
    ['a short text that is searched', short(10), "self.contains('test')", 5],
    ['the start of a text', text, "self.startsWith('test')", 2],
    ['a text that grows', text, 'size(self + "hello") > size("hello")', 314578],
    ['a short text that grows', short(4), 'size(self + "hello") > size("hello")', 7],
    ['one of many numbers', list(number), 'self[1] == 0.0', 2],
    ['one of many texts', list(text), 'self[1] == self[1]', 314577],
    ['one number or text', list(intOrString), 'self[0] == 5', 3],
    ['one object', list(either), 'self[0] == null', 2],
    ['a list in itself', list(number, 10), 'self.all(x, self.all(y, true))', 352],
    ['a list in itself in itself', list(number, 10), 'self.all(x, self.all(y, self.all(z, true)))', 3552],
    ['a pattern', text, 'self.matches("x")', 314574],
    ['a pattern on short text', short(50), 'self.matches("x")', 22],
    ['no pattern', text, 'self.matches("")', 1],
    ['values by their keys', map(text), 'self.all(x, x.contains(self[x]))', 2752507],
    ['short values by their keys', map(short(10), 10), 'self.all(x, x.contains(self[x]))', 72],
    ['no text', { ...text, maxLength: 0 }, 'self == "x"', 1],
    ['bytes', formatted('byte'), 'self == b"x"', 2],
    ['more items than fit', list(number, 6291456), 'self.all(x, x == 0.0)', 25165826],
    ['maps in a list', list(map(either)), 'self.all(x, x["y"].required == "z")', 7340027],
    ['maps in a short list', list(map(either), 10), 'self.all(x, x["y"].required == "z")', 72],
    ['a duration of a list', list(formatted('duration')), 'self[0].getHours() == 2', 4],
    ['what a pattern finds', text, "self.find('[0-9]+') == ''", 629147],
    ['a joined list', list(text), "self.join(' ') == 'aa bb'", 329853068905],
    ['a short joined list', list(short(10), 10), "self.join(' ') == 'aa bb'", 43],
    ['a sorted list', list(short(10), 10), 'self.isSorted() == true', 52],
    ['a text in small letters', short(10), "self.lowerAscii() == 'lower!'", 6],
    ['sizes', map({ type: 'integer' }), 'oldSelf.size() == self.size()', 5],
    ['times of a map', map(formatted('date-time')), 'self["a"] == self["b"]', 8],
    ['one of a few texts', { ...text, enum: ['A', 'B', 'C', 'LongValue'] }, "self.contains('A')", 2],
    ['one of a few long texts', { ...text, enum: ['A'], maxLength: 1000 }, "self.contains('A')", 401],
  ])('of %s', (_, schema, rule, cost) => {
    expect(compiled(schema, rule).test).toMatchObject({ cost });
  });

  /** As the reference estimates them; sizes that it does not know are as good as endless. */
  test.each<[string, number]>([
    ["self.parts.map(p, p.name).exists(n, n == 'a')", 109],
    ["[self.text, self.note].exists(t, t == 'a')", 25],
    ["[self.text].join(',') == ''", unlimited / 10],
    ["self.words.join(',') == ''", 67],
    ["dyn(self.words).all(w, w == 'a')", 36],
    ['dyn([1, 2]).sum() == 3', 13],
    ["self.labels[?'a'] == optional.of('b')", unlimited / 10],
    ["self.?text.orValue('') == 'a'", 4],
    ['self.?count.orValue(1) == 1', 4],
    ['self.labels.?a.hasValue()', 4],
    ["type(ip('10.0.0.1')) == net.IP", 3],
    ['type(self.count) == google.protobuf.Duration', 4],
    ['optional.ofNonZeroValue(self.count) == optional.none()', 5],
    ["quantity(self.text) == quantity('1')", 24],
    ["quantity(self.text) != quantity('1')", unlimited / 10],
    ["ip(self.text) == ip('10.0.0.1')", 24],
    ["url(self.text) == url('https://a.example')", 26],
    ["format.named('uuid').value() == format.named('uuid').value()", 11],
    ['self.words.sort() == self.words', 151],
    ['self.numbers.sort() == self.numbers', 216],
    ['self.words.distinct() == self.words', 144],
    ['self.words.sortBy(w, w.size()) == self.words', 279],
    ["self.text.split(',', -1).all(t, t == 'a')", unlimited],
    ["self.text.split(',', 2).all(t, t == 'a')", 51],
    ['self.numbers.slice(-1, 3).size() == 3', 18],
    ['self.numbers.slice(1, 3).all(n, n > 0)', 26],
    ['[[1], [2]].flatten(-1).size() == 2', 43],
    ["(self.count > 1 ? self.words : ['a']).all(w, w == 'b')", 46],
    ["(self.words + ['a']).all(w, w == 'b')", 50],
    ["(['a'] + ['bcd']).all(w, w == 'b')", 30],
    ["self.labels.transformList(k, v, v).all(v, v == 'a')", 116],
    ["{'a': self.text}.all(k, v, v == 'b')", 37],
    ['lists.range(3).all(i, i < 9)', 30],
    ['self.parts.map(p, p.sizes).flatten().all(s, s > 0)', 125],
  ])('of %s', (rule, cost) => {
    const properties = {
      text: short(50),
      note: text,
      count: { type: 'integer' },
      numbers: list({ type: 'integer' }, 10),
      words: list(short(20), 8),
      labels: map(short(12), 6),
      parts: list(
        {
          type: 'object',
          required: ['name'],
          properties: { name: short(9), sizes: list({ type: 'integer' }, 4) },
        },
        5,
      ),
    };
    const { test: found } = compiled({ type: 'object', properties }, rule);
    // doubles have fewer digits than integers of 64 bits
    expect(found?.cost).toBeGreaterThanOrEqual(cost);
    expect(found?.cost).toBeLessThanOrEqual(cost < unlimited / 10 ? cost : cost * 1.000001);
  });

  test('has a price for what a replacement makes', () => {
    const properties = { str: short(4), before: short(2), after: short(4) };
    const rule = "self.str.replace(self.before, self.after) == 'does not matter'";
    expect(compiled({ type: 'object', properties }, rule).test).toMatchObject({ cost: 12 });
    const endless = { type: 'object', properties: { ...properties, str: text } };
    expect(compiled(endless, rule).test).toMatchObject({ cost: 629154 });
  });
});

const fault = (schema: Schema, rule: string) => {
  const { test: found } = compiled(schema, rule);
  return found && 'fault' in found ? found.fault.split('\n')[0] : undefined;
};

describe('a rule that does not compile', () => {
  const object = { type: 'object', properties: { a: { type: 'integer' }, b: { ...either }, c: { ...either } } };
  test.each<[string, Schema, string, string]>([
    ['names no field', object, 'self.x > 0', "compilation failed: ERROR: <input>:1:5: undefined field 'x'"],
    [
      'compares other types',
      { type: 'integer' },
      'self == true',
      "compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(int, bool)'",
    ],
    [
      'compares other objects',
      object,
      'self.b == self.c',
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(selfType.b, selfType.c)'",
    ],
    [
      'names no variable',
      object,
      'object.a > 0',
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')",
    ],
    ['is no test', object, 'self.a', 'cel expression must evaluate to a bool'],
    ['may be no test', list(intOrString), 'self[0]', 'cel expression must evaluate to a bool'],
    [
      'has a constant that cannot be converted',
      { type: 'integer' },
      "self == 0 || int('x') == self",
      "program instantiation failed: type conversion error from 'string' to 'int'",
    ],
    [
      'has no pattern',
      text,
      "self.find('(') == ''",
      'program instantiation failed: error parsing regexp: missing closing ): `(`',
    ],
    [
      'names a type that has no name',
      text,
      'type(quantity(self)) == kubernetes.Quantity',
      "compilation failed: ERROR: <input>:1:25: undeclared reference to 'kubernetes' (in container '')",
    ],
    [
      'has no time',
      text,
      'timestamp(253402300800) < timestamp(self)',
      'compilation failed: ERROR: <input>:1:11: invalid timestamp argument',
    ],
  ])('%s', (_, schema, rule, expected) => {
    expect(fault(schema, rule)).toBe(expected);
  });

  test('calls a reserved name by itself', () => {
    const reserved = { type: 'object', properties: { namespace: text, 'a-b': text, '1': text } };
    expect(fault(reserved, "self.namespace == ''")).toContain("undefined field 'namespace'");
    expect(fault(reserved, 'self.__namespace__ == self.a__dash__b')).toBeUndefined();
    expect(fault(reserved, "self['1'] == ''")).toContain('found no matching overload');
  });

  test('compares a value with itself', () => {
    expect(fault(object, 'self.b == oldSelf.b && self.b == self.b')).toBeUndefined();
  });
});

describe('messages', () => {
  const message = (messageExpression: string) => compiled(text, { rule: 'true', messageExpression }).message;

  test('are expressions of text', () => {
    expect(message("'not ' + self")).toHaveProperty('program');
    expect(message('size(self)')).toEqual({ fault: 'messageExpression must evaluate to a string', cost: 0 });
    expect(message('self.x')).toHaveProperty(
      'fault',
      expect.stringMatching(/^messageExpression compilation failed: ERROR: <input>:1:5: type 'string' does not/),
    );
  });

  test('are not looked at where the rule is at fault', () => {
    expect(compiled(text, { rule: 'x', messageExpression: 'y' }).message).toBeUndefined();
  });
});

describe('rules about changes', () => {
  test('are those that look at what was before', () => {
    expect(compiled(text, 'self == oldSelf').usesOldSelf).toBe(true);
    expect(compiled(text, "self == 'oldSelf'").usesOldSelf).toBe(false);
    expect(compiled(text, { rule: 'true', messageExpression: 'oldSelf' }).usesOldSelf).toBe(false);
  });

  test('may take it that nothing was before', () => {
    const rule = "oldSelf.orValue('') != self";
    expect(compiled(text, { rule, optionalOldSelf: true }).test).toHaveProperty('program');
    expect(compiled(text, rule).test).toHaveProperty('fault');
  });
});

test('schemas that have rules somewhere inside are told from others', () => {
  const withRule = { ...text, 'x-kubernetes-validations': [{ rule: 'true' }] };
  expect(hasRules(list(map(withRule)))).toBe(true);
  expect(hasRules({ type: 'object', properties: { a: withRule } })).toBe(true);
  expect(hasRules({ ...list(text), 'x-kubernetes-validations': [] })).toBe(false);
});
