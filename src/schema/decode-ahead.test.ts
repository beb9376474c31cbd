import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce, type Steps } from '../base/steps.ts';
import { decoderOf } from './decode.ts';
import { decodingAhead } from './decode-ahead.ts';
import { DecodeContext } from './decode-context.ts';
import { bool, bytes, field, int32, listOf, mapOf, quantity, string, struct, union } from './types.ts';

const port = struct('test/v1', 'Port', '', {
  number: field(1, int32, { always: true }),
  name: field(2, string),
  hosts: field(3, listOf(string), { always: true }),
});

const either = union('test/v1', 'Either', '', () => [
  { number: 1, type: bool },
  { number: 2, type: listOf(port) },
]);

const part = struct('test/v1', 'Part', '', () => ({
  name: field(1, string),
  ports: field(2, listOf(port)),
  labels: field(3, mapOf(string)),
  amounts: field(4, mapOf(quantity, 3000)),
  few: field(5, listOf(int32, 900)),
  dropped: field(6, listOf(int32), { off: true }),
  either: field(7, either),
  listsByName: field(8, mapOf(listOf(string))),
  secrets: field(9, mapOf(bytes)),
}));

const whole = struct('test/v1', 'Whole', '', {
  first: field(1, part),
  parts: field(2, listOf(part)),
  last: field(3, part, { pointer: true }),
});

interface Outcome {
  readonly decoded?: unknown;
  readonly text?: string;
  readonly error?: string;
  readonly metUnknown: boolean;
}

function outcome(value: unknown, known: unknown, ahead: boolean): Outcome {
  const context = new DecodeContext({ kind: 'Whole', apiVersion: 'test/v1' });
  try {
    if (ahead) atOnce(decodingAhead(whole, value, context, known));
    const decoded = decoderOf(whole)(value, context, known);
    // as text: the order of keys counts
    return { decoded, text: JSON.stringify(decoded), metUnknown: context.metUnknown };
  } catch (error) {
    return { error: (error as Error).message, metUnknown: false };
  }
}

function sameEitherWay(value: unknown, known?: unknown): void {
  expect(outcome(value, known, true)).toEqual(outcome(value, known, false));
}

function stepsOf(steps: Steps<void>): number {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
}

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const record = (count: number, make: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(many(count, make));

const labels = record(3000, (i) => [`l${(i * 7919) % 3001}`, 'v']);
const ports = many(3000, (i) => ({ number: i, name: `p${i}` }));

describe('what decoding ahead leaves for the decoder', () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['nothing', {}],
    ['no object', []],
    ['a long list', { first: { ports } }],
    ['a list with a mistake at its end', { first: { ports: [...ports, { number: 'x' }] }, last: { name: 1 } }],
    ['a mistake before a long list', { first: { name: 1, ports } }],
    ['a mistake behind a long list', { first: { ports }, last: { name: 1 } }],
    ['nothing in the items of a list', { first: { ports: [...ports, null, {}, ...many(500, () => null)] } }],
    ['empty lists in items', { first: { ports: ports.map((one) => ({ ...one, hosts: [] })) } }],
    ['a large map', { last: { labels } }],
    ['a large map with a mistake', { last: { labels: { ...labels, l17: 5 } } }],
    [
      'a key that could be a prototype',
      { last: { labels: JSON.parse(`{"__proto__":"x",${JSON.stringify(labels).slice(1)}`) as unknown } },
    ],
    ['as many entries as there may be', { first: { amounts: record(3000, (i) => [`a${i}`, '1000m']) } }],
    ['more entries than there may be', { first: { amounts: record(3001, (i) => [`a${i}`, '1000m']) } }],
    ['more entries than any map may have', { last: { labels: record(20_001, (i) => [`l${i}`, 'v']) } }],
    ['more items than there may be', { first: { few: many(901, (i) => i) }, last: { labels } }],
    ['nothing in the entries of a large map', { last: { labels: { ...labels, l17: null } } }],
    ['no bytes in a large map', { last: { secrets: record(1000, (i) => [`s${i}`, i % 2 ? null : 'dg==']) } }],
    ['a list that is dropped', { first: { dropped: many(5000, () => 'x') } }],
    ['unknown fields in a list', { first: { ports: ports.map((one) => ({ ...one, other: 1 })) } }],
    ['a form of several', { first: { either: ports } }],
    ['no form of several', { first: { either: { ports } } }],
    ['long lists in a map', { first: { listsByName: record(300, (i) => [`n${i}`, many(300, String)]) } }],
    ['many parts of some size', { parts: many(60, () => ({ ports: ports.slice(0, 60), labels: { b: '', a: 'x' } })) }],
    ['one long list in two places', { first: { ports, either: ports }, last: { ports } }],
    ['wrong forms', { first: { ports: { a: ports }, labels: [labels] }, parts: { a: 1 } }],
  ];

  test.each(rows)('%s', (_title, value) => {
    sameEitherWay(value);
    sameEitherWay({ last: {}, ...(value as object) }, { first: { ports }, last: { labels } });
  });

  test('values that are known already', () => {
    const known = { first: { ports, labels }, last: { labels } };
    sameEitherWay({ first: { ports, labels: { ...labels, more: 'x' } }, last: known.last }, known);
  });
});

test('a large value is decoded in many steps, a small one in none', () => {
  const context = new DecodeContext();
  expect(stepsOf(decodingAhead(whole, { first: { ports: ports.slice(0, 20) } }, context))).toBe(0);
  expect(stepsOf(decodingAhead(whole, { first: { ports } }, context))).toBeGreaterThan(10);
  expect(stepsOf(decodingAhead(whole, { last: { labels } }, context))).toBeGreaterThan(5);
  expect(
    stepsOf(decodingAhead(whole, { first: { dropped: ports.map(({ number }) => number) } }, context)),
  ).toBeGreaterThan(5);
});

test('a map has 20,000 entries at most', () => {
  const ofEntries = (count: number) => ({ last: { labels: record(count, (i) => [`l${i}`, 'v']) } });
  expect(outcome(ofEntries(20_000), undefined, false).error).toBeUndefined();
  expect(outcome(ofEntries(20_001), undefined, false).error).toContain('last.labels');
});

test('the entries of a map that has too many are counted once, in a step of their own', () => {
  let counted = 0;
  const amounts = new Proxy(
    record(3001, (i) => [`a${i}`, '1']),
    {
      ownKeys(target) {
        counted++;
        return Reflect.ownKeys(target);
      },
    },
  );
  const context = new DecodeContext();
  const value = { first: { amounts } };
  expect(stepsOf(decodingAhead(whole, value, context))).toBe(1);
  expect(() => decoderOf(whole)(value, context)).toThrow('first.amounts');
  expect(counted).toBe(1);
});

test('whatever the value, the outcome is that of decoding at once', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean());
  const somePort = fc.record({ number: leaf, name: fc.string(), hosts: fc.array(fc.string()) }, { requiredKeys: [] });
  const somePart = fc.record(
    {
      name: fc.string(),
      ports: fc.array(somePort, { maxLength: 40 }).map((list) => many(20, () => list).flat()),
      labels: fc.dictionary(fc.string(), fc.string()),
      listsByName: fc.dictionary(fc.string(), fc.array(fc.string())),
    },
    { requiredKeys: [] },
  );
  const value = fc.record({ first: somePart, parts: fc.array(somePart), last: somePart }, { requiredKeys: [] });
  fc.assert(
    fc.property(value, (one) => sameEitherWay(one)),
    { numRuns: 60 },
  );
});
