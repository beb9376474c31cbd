import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../schema/structural/schema.ts';
import { lines } from '../../../testing/error-lines.ts';
import { validateSchemaExpressions } from './expression-rules.ts';

const mark = (name: string) => `x-kubernetes-${name}`;
type RuleLike = string | { readonly rule: string; readonly [part: string]: unknown };
const ruled = (schema: object, ...rules: readonly RuleLike[]): Schema => ({
  ...schema,
  [mark('validations')]: rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const root = (properties: Record<string, object>, more: object = {}): Schema => ({
  type: 'object',
  properties: properties as Record<string, Schema>,
  ...more,
});
const text = { type: 'string' };
const number = { type: 'integer' };
const list = (items: object, more: object = {}): Schema => ({ type: 'array', items: items as Schema, ...more });
const keyed = { [mark('list-type')]: 'map', [mark('list-map-keys')]: ['k'] };
const item = (more: object) => ({ type: 'object', required: ['k'], properties: { k: text }, ...more });

const validationErrors = (schema: Schema, isStored = false) =>
  lines(validateSchemaExpressions([{ schema, at: 's', isStored }]));
const at = `s.properties[a].${mark('validations')}[0]`;
const shown = (rule: string, more: object = {}) =>
  JSON.stringify({
    Rule: rule,
    Message: '',
    MessageExpression: '',
    Reason: null,
    FieldPath: '',
    OptionalOldSelf: null,
    ...more,
  }).replaceAll('>', '\\u003e');
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
const tooDear = (factor: string, what = 'estimated rule cost') =>
  `Forbidden: ${what} exceeds budget by factor of ${factor} ${advice}`;
const contributed =
  'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
const total = (factor: string) =>
  tooDear(factor, `${mark('validations')} estimated rule cost total for entire OpenAPIv3 schema`);
const loops = (count: number) =>
  `${Array.from({ length: count }, (_, i) => `self.all(x${i}, `).join('')}true${')'.repeat(count)}`;
const uncorrelated = (place: string) =>
  `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place}`;

test.each<[string, Schema, readonly string[]]>([
  ['holds', root({ a: ruled(number, 'self > 1') }), []],
  ['sees the names of an object', ruled(root({}), "self.metadata.name.startsWith('a') && self.kind != ''"), []],
  [
    'sees no other metadata',
    ruled(root({ metadata: { type: 'object' } }), 'self.metadata.labels.size() > 0'),
    [
      `s.${mark('validations')}[0].rule: Invalid value: ${shown('self.metadata.labels.size() > 0')}: compilation failed: ERROR: <input>:1:14: undefined field 'labels'\n | self.metadata.labels.size() > 0\n | .............^`,
    ],
  ],
  [
    'is no test',
    root({ a: ruled(number, 'self') }),
    [`${at}.rule: Invalid value: ${shown('self')}: cel expression must evaluate to a bool`],
  ],
  [
    'has a message of numbers',
    root({ a: ruled(number, { rule: 'true', message: 'm', messageExpression: 'self' }) }),
    [
      `${at}.messageExpression: Invalid value: ${shown('true', { Message: 'm', MessageExpression: 'self' })}: messageExpression must evaluate to a string`,
    ],
  ],
  [
    'has a message that is too expensive',
    root({ a: ruled(list(text), { rule: 'true', messageExpression: "self.join(',')" }) }),
    [
      `${at}.messageExpression: ${tooDear('more than 100x', 'estimated messageExpression cost')}`,
      `${at}.messageExpression: ${contributed}`,
      `s: ${total('more than 100x')}`,
    ],
  ],
  [
    'stands where nothing is known',
    root({ a: ruled({ [mark('preserve-unknown-fields')]: true }, 'true') }),
    [
      `s.properties[a].${mark('validations')}: Internal error: internal error: failed to construct type information for ${mark('validations')} rules: unable to convert structural schema to CEL declarations`,
    ],
  ],
  ['stands at a number or text', root({ a: ruled({ [mark('int-or-string')]: true }, 'type(self) == int') }), []],
  [
    'stands at an object that keeps anything',
    root({ a: ruled({ type: 'object', [mark('preserve-unknown-fields')]: true }, 'true') }),
    [],
  ],
  ['compares', root({ a: ruled(number, 'self >= oldSelf') }), []],
  ['compares items of a map', root({ a: list(ruled(item({}), 'self == oldSelf'), { ...keyed, maxItems: 9 }) }), []],
  [
    'compares fields of an atomic map',
    root({ a: { ...root({ b: ruled(number, 'self == oldSelf') }), [mark('map-type')]: 'atomic' } }),
    [],
  ],
  [
    'compares items of a list',
    root({ a: list(root({ b: list(ruled(number, 'self == oldSelf'), { maxItems: 2 }) }), { maxItems: 2 }) }),
    [
      `s.properties[a].items.properties[b].items.${mark('validations')}[0].rule: Invalid value: "self == oldSelf": ${uncorrelated('s.properties[a]')}`,
    ],
  ],
  [
    'compares members of a set',
    root({ a: list(ruled(text, 'self == oldSelf'), { [mark('list-type')]: 'set', maxItems: 2 }) }),
    [
      `s.properties[a].items.${mark('validations')}[0].rule: Invalid value: "self == oldSelf": ${uncorrelated('s.properties[a]')}`,
    ],
  ],
  ['may compare with nothing', root({ a: ruled(number, { rule: 'oldSelf.hasValue()', optionalOldSelf: true }) }), []],
  [
    'says that it may compare',
    root({ a: ruled(number, { rule: 'self > 1', optionalOldSelf: false }) }),
    [`${at}.optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`],
  ],
  [
    'takes what is not there always for an optional',
    root({ a: ruled(number, { rule: 'oldSelf > 1', optionalOldSelf: true }) }),
    [
      expect.stringContaining("found no matching overload for '_>_' applied to '(optional_type(int), int)'"),
      `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ] as string[],
  ],
  ['costs little enough', root({ a: ruled(list(number, { maxItems: 100 }), loops(2)) }), []],
  ['costs too much', root({ a: ruled(list(number, { maxItems: 220 }), loops(3)) }), [`${at}.rule: ${tooDear('3.2x')}`]],
  [
    'costs a little too much',
    root({ a: ruled(list(number, { maxItems: 155 }), loops(3)) }),
    [`${at}.rule: ${tooDear('1.129253x')}`],
  ],
  [
    'costs far too much',
    root({ a: ruled(list(number), loops(2)) }),
    [`${at}.rule: ${tooDear('more than 100x')}`, `${at}.rule: ${contributed}`, `s: ${total('more than 100x')}`],
  ],
  [
    'is run often, by limits of lists',
    root({
      a: list(list(ruled({ ...text, maxLength: 1000 }, "self.contains('x')"), { maxItems: 100 }), { maxItems: 1000 }),
    }),
    [`s.properties[a].items.items.${mark('validations')}[0].rule: ${tooDear('4.0x')}`],
  ],
  [
    'is run as often as fits',
    root({
      a: list({
        type: 'object',
        maxProperties: 5,
        additionalProperties: ruled({ ...text, maxLength: 1000 }, "self.contains('x')"),
      }),
    }),
    [
      `s.properties[a].items.additionalProperties.${mark('validations')}[0].rule: ${tooDear('42.0x')}`,
      `s.properties[a].items.additionalProperties.${mark('validations')}[0].rule: ${contributed}`,
      `s: ${total('4.2x')}`,
    ],
  ],
])('a rule that %s', (_, schema, expected) => {
  expect(validationErrors(schema)).toEqual(expected);
});

test('rules that cost little may cost too much together: the most expensive are reported', () => {
  const expensive = ruled(list(number, { maxItems: 130 }), ...Array<string>(16).fill(loops(3)));
  const found = validationErrors(root({ a: expensive, b: ruled(number, 'self > 0') }));
  expect(found).toHaveLength(5);
  expect(found.slice(0, 4).every((line) => line.endsWith(contributed))).toBe(true);
  expect(found[4]).toBe(`s: ${total('1.068184x')}`);
});

test('what was stored may stay expensive, one by one', () => {
  expect(validationErrors(root({ a: ruled(list(number, { maxItems: 220 }), loops(3)) }), true)).toEqual([]);
});

describe('not looked at', () => {
  test('are rules of what has faults, here or inside', () => {
    const faulty = root({ b: { ...list(number), uniqueItems: true } });
    expect(validationErrors(root({ a: ruled(faulty, 'x'), c: ruled(number, 'self') }))).toEqual([
      `s.properties[c].${mark('validations')}[0].rule: Invalid value: ${shown('self')}: cel expression must evaluate to a bool`,
    ]);
  });

  test('are rules of a schema that is not structural', () => {
    expect(validationErrors(root({ a: ruled(number, 'x'), b: {} }))).toEqual([]);
  });

  test('are rules when a default does not fit', () => {
    expect(validationErrors(root({ a: ruled(number, 'x'), b: { ...number, default: 'x' } }))).toEqual([]);
  });
});

describe('a default', () => {
  test.each<[string, Schema, readonly string[]]>([
    ['that keeps the rules', root({ a: { ...ruled(number, 'self > 1'), default: 2 } }), []],
    [
      'that breaks a rule',
      root({ a: { ...ruled(number, 'self > 1'), default: 1 } }),
      ['s.properties[a].default: Invalid value: 1: failed rule: self > 1'],
    ],
    [
      'that breaks a rule inside',
      root({
        a: {
          ...root({ b: list(ruled(number, { rule: 'self > 1', message: 'small' }), { maxItems: 4 }) }),
          default: { b: [2, 1] },
        },
      }),
      ['s.properties[a].default.b[1]: Invalid value: 1: small'],
    ],
    ['that stays what it was', root({ a: { ...ruled(number, 'self == oldSelf'), default: 1 } }), []],
    [
      'that is new',
      root({
        a: { ...ruled(number, { rule: 'oldSelf.hasValue()', optionalOldSelf: true, message: 'never' }), default: 1 },
      }),
      ['s.properties[a].default: Invalid value: 1: never'],
    ],
    [
      'of a rule that does not compile',
      root({ a: { ...ruled(number, 'self'), default: 1 } }),
      ['s.properties[a].default: Invalid value: "integer": rule compile error: cel expression must evaluate to a bool'],
    ],
    [
      'of an object inside that lacks a field',
      root({ a: { ...ruled(root({ b: number }), 'self.b > 1'), default: {} } }),
      ['s.properties[a].default: Invalid value: "object": no such key: b evaluating rule: self.b > 1'],
    ],
  ])('%s', (_, schema, expected) => {
    expect(validationErrors(schema)).toEqual(expected);
  });
});

describe('many rules', () => {
  test('in a deep schema', () => {
    let deep: Schema = root({ a: text });
    for (let depth = 0; depth < 300; depth++) deep = ruled({ ...root({ a: deep }), default: { a: {} } }, 'has(self.a)');
    // the default of the whole object says neither kind nor version: its rule is not looked at
    expect(validationErrors(deep).length).toBe(298);
    let lists: Schema = text;
    for (let depth = 0; depth < 600; depth++) lists = ruled(list(lists, { maxItems: 1 }), 'self == self');
    expect(validationErrors(root({ a: lists }))).toEqual([]);
  });

  test('in a wide schema', () => {
    const properties = Array.from({ length: 3000 }, (_, index) => [`p${index}`, ruled(text, "self != ''")] as const);
    expect(validationErrors(ruled(root(Object.fromEntries(properties)), 'has(self.p1)'))).toEqual([]);
  });

  test('with faults are told up to a number', () => {
    const rule = Array<string>(200).fill('x.y').join(' || ');
    const found = validationErrors(root({ a: ruled(number, ...Array<string>(500).fill(rule)) }));
    expect(found.length).toBeGreaterThan(1);
    expect(found.join('').length).toBeLessThan(2_000_000);
  });
});
