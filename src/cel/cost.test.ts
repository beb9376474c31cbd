// What runs cost, and what they are expected to cost at most.

import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { compile, type Program } from './compile.ts';
import { Environment } from './environment.ts';
import { costFault, estimateCost } from './estimate.ts';
import { bool, bytes, dyn, int, list, map, record, string, timestamp } from './types.ts';

const self = record('Self', {
  name: string,
  names: list(string),
  numbers: list(int),
  labels: map(string, string),
  nested: list(list(string)),
});
const environment = new Environment({
  bindings: true,
  variables: {
    a: bool,
    b: bool,
    input: dyn,
    list1: list(int),
    list2: list(int),
    nested: map(string, map(string, string)),
    text: string,
    other: string,
    raw: bytes,
    time: timestamp,
    self,
  },
});
const long = 'x'.repeat(500);
const variables = {
  a: false,
  b: false,
  input: { testAttr: { nestedAttr: '0' } },
  list1: [],
  list2: [],
  nested: { val: { k: 'v' } },
  text: long,
  other: long,
  raw: Buffer.from(long).toString('base64'),
  time: '2024-01-01T00:00:00Z',
  self: { name: long, names: ['a', 'b'], numbers: [1, 2, 3], labels: { k: 'v' }, nested: [['a'], ['b', 'c']] },
};

function program(source: string): Program {
  const compiled = compile(source, environment);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  return compiled.program;
}

/** Sizes that a schema would allow. */
const limits: Readonly<Record<string, number>> = {
  'self.name': 1000,
  'self.names': 10,
  'self.names.@items': 20,
  'self.numbers': 5,
  'self.labels': 4,
  'self.labels.@keys': 30,
  'self.labels.@values': 40,
  'self.nested': 3,
  'self.nested.@items': 6,
  'self.nested.@items.@items': 9,
};
const maxSize = (path: readonly string[]) => limits[path.join('.')];

/** Source, cost of a run. */
const runs: readonly (readonly [string, number])[] = [
  ['1', 0],
  ['a', 1],
  ['input.testAttr.nestedAttr', 3],
  ['has(input.testAttr.nestedAttr)', 2],
  ['a || b || a || b', 4],
  ['1 < 2', 1],
  ['true ? 1 : 2', 0],
  ['false ? false : 1 > 3', 1],
  ['size(text)', 2],
  ['text.size()', 2],
  ["'12345678901234567890' == '123456789012345678901234567890'", 2],
  ['string(raw)', 51],
  ['bytes(text)', 51],
  ['text.contains(other)', 2502],
  ["text.matches('[0-9]')", 103],
  ["'123'.matches('[0-9]')", 2],
  ['text.startsWith(other)', 52],
  ['text + other', 102],
  ['(list1 + list2).all(x, true)', 4],
  ['list1.all(x, true)', 2],
  ['[1, 2, 3].all(x, true)', 10],
  ["nested.all(k, nested[k].k == 'v')", 9],
  ['time.getFullYear()', 2],
  ['(1 > 2 ? 5 : 3) > 1', 2],
  ['(1 > 2 || 2 > 1) == true', 3],
  ['[self.name, other]', 13],
  ["{'k': other}", 31],
  ['self.numbers.sum()', 5],
  ['self.names.join(other)', 104],
  ["self.name.find('x+')", 53],
  ["quantity('1Gi').isLessThan(quantity('2Gi'))", 3],
  ["ip('2001:db8:3333:4444:5555:6666:7777:8888') == ip('192.168.0.1')", 7],
  ["cidr('192.168.0.0/16').containsCIDR('192.168.0.0/24')", 7],
  ["'x' in ['a', 'b']", 0],
  ['[1, 2, 3].reverse()', 14],
  ['[1, 2, 3].sort()', 29],
  ["['a', 'b'].distinct()", 19],
  ['lists.range(5).slice(1, 3)', 29],
  ['[[1], [2]].flatten()', 13],
  ["duration('1s') > duration('2s')", 1],
  // what is not there costs nothing
  ["self.labels[?'k'].hasValue()", 4],
  ["self.labels[?'z'].hasValue()", 3],
  ['self.labels.?z.hasValue()', 3],
  ["input.?none.?none.orValue('')", 1],
  ["input.?testAttr.?none.orValue('')", 2],
  ['self.?labels.z.hasValue()', 3],
];

describe('a run costs', () => {
  test.each(runs)('%s', (source, cost) => {
    expect(program(source).evaluate(variables)).toMatchObject({ cost });
  });
});

/** What the reference implementation counts where `[1][5]` fails: it looks at more than is needed, and that costs. */
const failures: readonly (readonly [string, number])[] = [
  ['[1][5] == 1', 3],
  ['1 == [1][5]', 3],
  ['[1][5] + 1 == 2', 4],
  ['[[1][5], 1].size() == 1', 14],
  ['[1, [1][5]].size() == 1', 14],
  ["{'a': [1][5]}.size() == 1", 34],
  ['{[1][5]: 1}.size() == 1', 34],
  ['[1,2][[1][5]] == 1', 4],
  ["{'q': 1}['a' + string([1][5])] == 1", 7],
  ['[1][5] == 1 && [1][5] == 2', 6],
  ['[1][5] == 1 || [1][5] == 2 || false', 6],
  ['[1][5] == 1 ? true : false', 3],
  ['true ? [1][5] == 1 : false', 3],
  ['[1,2].all(i, [1][5] == i)', 15],
  ['[1,2].exists(i, [1][5] == i)', 17],
  ['[1,2].exists_one(i, [1][5] == i)', 10],
  ['[1,2].map(i, [1][5]).size() == 1', 31],
  ['[1,2].filter(i, [1][5] == i).size() == 1', 11],
  ['[[1,2],[3]].all(l, l.all(i, i == [1][5]))', 32],
  ['!([1][5] == 1)', 4],
  ['-[1][5] == 1', 4],
  ['[1][5] in [1,2]', 2],
  ['[1][5] in [[1][5]]', 15],
  ['1 in [[1][5]]', 13],
  ["string([1][5]) == 'a'", 4],
  ["string([1][5]).startsWith('a')", 4],
  ["'a'.startsWith(string([1][5]))", 4],
  ["string([1][5]).matches('^a+$')", 3],
  ["'aaa'.matches(string([1][5]))", 4],
  ["string([1][5]).contains('abc')", 4],
  ["'aaaaaaaaaaaaaaaaaaaaaaa'.contains(string([1][5]))", 6],
  ["string([1][5]).replace('a','b') == ''", 3],
  ["'a'.replace('a', string([1][5])) == ''", 4],
  ["string([1][5]).split(',').size() == 0", 6],
  ["[string([1][5])].join() == ''", 14],
  ["['a'].join(string([1][5])) == ''", 4],
  ['string([1][5]).size() == 1', 5],
  ['size([[1][5]]) == 1', 14],
  ['optional.of([1][5]).hasValue()', 4],
  ['optional.none().orValue([1][5]) == 1', 4],
  ['[?optional.of([1][5])].size() == 1', 15],
  ["has({'a': [1][5]}.b)", 32],
  ["{'a': {'b': [1][5]}}.a.b == 1", 64],
  ['lists.range([1][5]).size() == 1', 16],
  ['[1,2].slice(0, [1][5]).size() == 1', 16],
  ['[1,2].reverse()[[1][5]] == 1', 17],
  ["'%d'.format([[1][5]]) == ''", 13],
  ['sets.contains([1], [[1][5]])', 14],
  ['sets.intersects([[1][5]], [1])', 14],
  ['[[1][5]].sum() == 1', 14],
  ['[3,1].indexOf([1][5]) == 1', 5],
  ['type([1][5]) == int', 4],
  ['timestamp([1][5]) < timestamp(5)', 4],
  ["duration(string([1][5])) < duration('1s')", 5],
  ["string([1][5]).find('a') == ''", 3],
  ["'aaa'.find(string([1][5])) == ''", 4],
  ["quantity(string([1][5])).add(quantity('1')) == quantity('1')", 8],
  ['ip(string([1][5])).family() == 4', 6],
  ["cidr('10.0.0.0/8').containsIP(string([1][5]))", 6],
  ["cidr(string([1][5])).containsIP('10.0.0.1')", 6],
  ["url(string([1][5])).getHost() == ''", 5],
  ['[1][5] % 2 == [1][5]', 6],
  ['[1][5] > 1 && [1][5] < 2', 6],
  ['[1][5] != [1][5]', 5],
  ['[[1][5]] == [1]', 13],
  ['[1] + [[1][5]] == [1]', 14],
  ["string([1][5]) + 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' == ''", 7],
  ['[1,2,3].transformList(i, v, [1][5]).size() == 1', 45],
  ["{'a':1}.transformMap(k, v, [1][5]).size() == 1", 8],
  ["{'a':1}.all(k, k == string([1][5]))", 9],
  ['format.dns1123Label().validate(string([1][5])).hasValue()', 13],
  ['uint([1][5]) == 1u', 4],
  ["b'a' == bytes(string([1][5]))", 5],
  ['dyn([1][5]) == 1', 4],
  ["string([1][5]).lowerAscii() == ''", 4],
  ["string([1][5]).trim() == ''", 4],
  ['semver(string([1][5])).major() == 1', 6],
  ["string([1][5]).charAt(1) == ''", 4],
  ["'abc'.charAt([1][5]) == ''", 3],
  ["'abc'.indexOf(string([1][5])) == 1", 4],
  ["'abc'.substring([1][5]) == ''", 3],
  ["'abc'.substring(1, [1][5]) == ''", 3],
];

describe('a run that fails costs', () => {
  test.each(failures)('%s', (source, cost) => {
    expect(program(source).evaluate(variables)).toMatchObject({ error: 'index out of bounds: 5', cost });
  });
});

/** Source, least and most. */
const estimates: readonly (readonly [string, number, number])[] = [
  ['1 + 2', 1, 1],
  ['self.name', 2, 2],
  ['has(self.name)', 1, 1],
  ['a || b', 1, 2],
  ["a ? self.name : 'x'", 1, 3],
  ["self.name == 'abc'", 3, 3],
  ['self.name == other', 4, 103],
  ["self.name.contains('abcdefghijk')", 2, 202],
  ["self.name.matches('^a.*')", 3, 103],
  ['self.numbers.all(n, n > 0)', 3, 3 + 5 * 5],
  ["self.names.all(n, n.startsWith('aaaaaaaaaaaa'))", 3, 3 + 10 * 6],
  ['self.names.exists(n, n == self.name)', 3, 3 + 10 * 9],
  ['self.labels.all(k, self.labels[k] == k)', 3, 3 + 4 * 11],
  ['self.nested.all(l, l.all(n, n.size() > 0))', 3, 3 + 3 * (5 + 6 * 6)],
  ['self.numbers.map(n, n + 1)', 13, 13 + 5 * 14],
  ['self.numbers.sum()', 2, 7],
  ['self.names.isSorted()', 2, 2 + 10 * 3],
  ["self.names.join(',')", 2, 2 + 21],
  ["self.name.replace('a', 'bb').size()", 3, 203],
  ["self.name.split(',').size()", 3, 203],
  ['2 in [1, 2, 3]', 13, 13],
  ['cel.bind(n, self.name, n == n)', 15, 15 + 99],
];

describe('a run is expected to cost', () => {
  test.each(estimates)('%s', (source, min, max) => {
    const ready = program(source);
    const estimate = estimateCost(ready.checked, maxSize);
    expect(estimate).toEqual({ min, max });
    const { cost } = ready.evaluate(variables);
    expect(cost).toBeLessThanOrEqual(max);
  });

  test('what Kubernetes expects of startsWith: the length of the argument, though a run pays for the text', () => {
    const ready = program("self.name.startsWith('abc')");
    expect(estimateCost(ready.checked, maxSize)).toEqual({ min: 3, max: 3 });
    expect(ready.evaluate(variables)).toMatchObject({ cost: 52 });
  });

  test('without limits, more than any budget', () => {
    const estimate = estimateCost(program('self.nested.all(l, l.all(n, n == self.name))').checked);
    expect(estimate.max).toBe(2 ** 64);
    expect(costFault('estimated rule cost', estimate.max, 10_000_000)).toBe(
      'estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    );
  });

  test.each([
    [12_000_000, '1.200000x'],
    [25_000_000, '2.5x'],
  ])('a little more than the budget: %d', (cost, factor) => {
    expect(costFault('estimated rule cost', cost, 10_000_000)).toContain(`by factor of ${factor} (`);
  });
});

/** A list twice, twice, and so on. */
const doubled = (times: number, name: string): string =>
  times === 0 ? `${name}.size() > 0` : `cel.bind(v${times}, ${name} + ${name}, ${doubled(times - 1, `v${times}`)})`;

describe('a budget', () => {
  const source = "'abcdefg'.contains(text + other)";

  test('may be used up', () => {
    const { cost } = program(source).evaluate(variables);
    expect(program(source).evaluate(variables, { budget: cost })).toMatchObject({ value: false });
  });

  test('ends a run that costs more, whatever would absorb an error', () => {
    const { cost } = program(source).evaluate(variables);
    const outcome = program(`${source} || true`).evaluate(variables, { budget: cost - 1 });
    expect(outcome).toMatchObject({
      reason: 'budget',
      error: 'operation cancelled: actual cost limit exceeded',
    });
  });

  test.each([
    ['lists.range(1000000).map(i, i).size() > 0'],
    ['list1.distinct() == list1.sort()'],
    ['lists.range(999999).all(i, lists.range(999999).all(j, true))'],
    ['sets.contains(list1, list1)'],
    ["text.matches('x'.replace('', text))"],
  ])('is charged before the work is done: %s', async (expensive) => {
    const items = Array.from({ length: 100_000 }, (_, index) => index);
    await expectProcessorTime(3000, () => {
      expect(program(expensive).evaluate({ list1: items, text: 'x'.repeat(1e5) })).toMatchObject({ reason: 'budget' });
    });
  });

  test.each([
    ["text.replace('', text) != ''", 'string is longer than 1000000 characters'],
    ["list1.map(i, 'a').join(text) != ''", 'string is longer than 1000000 characters'],
    [doubled(24, 'list1'), 'list is longer than 1000000 items'],
    ['lists.range(100).map(i, list1).flatten().size() > 0', 'list is longer than 1000000 items'],
  ])('does not have to pay for what cannot be: %s', (huge, error) => {
    const items = Array.from({ length: 20_000 }, (_, index) => index);
    expect(program(huge).evaluate({ list1: items, text: 'x'.repeat(1e5) })).toMatchObject({ error });
  });

  test('ends loops in loops soon', () => {
    const loops = 'list1.map(a, list1.map(b, list1.map(c, a * b * c))).size() > 0';
    const items = Array.from({ length: 1000 }, (_, index) => index);
    expect(program(loops).evaluate({ list1: items })).toMatchObject({ reason: 'budget' });
  });
});
