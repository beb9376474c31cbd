// Expressions whose work is more than what Kubernetes charges for it: the work counts.

import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { toJson } from './adapt.ts';
import { compile, type Program } from './compile.ts';
import { Environment } from './environment.ts';
import { dyn, int, list, map, string } from './types.ts';
import type { Value } from './values.ts';

const environment = new Environment({
  bindings: true,
  variables: {
    text: string,
    other: string,
    pairs: string,
    url: string,
    numbers: list(int),
    entries: map(string, string),
    any: dyn,
  },
});

const long = Buffer.alloc(900_000, 'x').toString();
const entries = () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'v'.repeat(30)]));
const variables = {
  text: long,
  // another string object: it has to be compared
  other: Buffer.alloc(900_000, 'x').toString(),
  pairs: '😀'.repeat(200_000),
  url: `http://a/?${'a&'.repeat(450_000)}`,
  numbers: Array.from({ length: 20_000 }, (_, index) => index),
  entries: entries(),
  any: entries(),
};

function program(source: string): Program {
  const compiled = compile(source, environment);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  return compiled.program;
}

/** A list of lists of lists, each of which is there twice. */
const doubled = (times: number, innermost: string): string =>
  times === 0 ? innermost : `cel.bind(a${times}, ${doubled(times - 1, innermost)}, [a${times}, a${times}])`;

const repeated = (use: string) =>
  `cel.bind(l, lists.range(20000).map(i, text), cel.bind(m, lists.range(20000).map(i, other), ${use}))`;
const again = (use: string) => `lists.range(20000).all(i, ${use})`;

const concatenated = Array.from({ length: 45 }, () => 'numbers').join(' + ');

const tooMuch = 'operation cancelled: actual cost limit exceeded';
const tooLong = 'string is longer than 1000000 characters';

describe('the work of a run is limited', () => {
  test.each([
    ['format, of nested lists', `'%s'.format([${doubled(25, '0')}]).size() > 0`, tooMuch],
    ['format, of one text in a list many times', repeated("'%s'.format([l]).size() > 0"), tooLong],
    ['a comparison of nested lists', `${doubled(25, '0')} == ${doubled(25, '0')}`, tooMuch],
    ['a comparison of nested lists without an item', `${doubled(25, '[]')} == ${doubled(25, '[]')}`, tooMuch],
    ['flatten, of nested lists', `${doubled(25, '[]')}.flatten(30).size() == 0`, tooMuch],
    ['isSorted', repeated('l.isSorted()'), tooMuch],
    ['min', repeated("l.min() == ''"), tooMuch],
    ['max', repeated("(l + m).max() == ''"), tooMuch],
    ['indexOf', repeated("l.indexOf('a') == 0"), tooMuch],
    ['sort', repeated('(l.slice(0, 300) + m.slice(0, 300)).sort().size() > 0'), tooMuch],
    ['in', repeated("l.all(x, (text + 'a') in m || x in m)"), tooMuch],
    ['==, of lists', repeated('l == m'), tooMuch],
    ['==, of maps', again('any == dyn(entries)'), tooMuch],
    ['==, of optionals', again('optional.of(text) == optional.of(other)'), tooMuch],
    ['size, of a text', again('pairs.size() > 0'), tooMuch],
    ['charAt', again("pairs.charAt(5) != 'x'"), tooMuch],
    ['double', again('double(text) == 1.0 || true'), tooMuch],
    ['matches, as a function', again("!matches(text.substring(0, 5000), '^[a-z]+[0-9]')"), tooMuch],
    ['a look-up in a map by a long text', again('{text: 1}[other] == 1'), tooMuch],
    ['getQuery', "url(url).getQuery()['a'].size() > 0", tooMuch],
    ['getEscapedPath', "url('http://a/' + pairs + pairs).getEscapedPath() == ''", tooMuch],
    ['a concatenation of long lists', `lists.range(100).all(i, (${concatenated}).sum() > 0)`, tooMuch],
  ])('%s', async (_, source, error) => {
    const made = program(source);
    await expectProcessorTime(2000, () => {
      expect(made.evaluate(variables)).toMatchObject({ error });
    });
  });

  test('and most runs cost exactly what Kubernetes charges', () => {
    expect(program('numbers.size() > 0 && text.size() > 5').evaluate({ ...variables, text: 'x'.repeat(5000) })).toEqual(
      {
        value: true,
        cost: 6,
      },
    );
  });

  test('a query that is read again and again is read once', async () => {
    const source = `cel.bind(u, url('http://a/?' + text.substring(0, 100000)), ${again('u.getQuery().size() == 1')})`;
    await expectProcessorTime(2000, () => {
      expect(program(source).evaluate(variables)).toMatchObject({ value: true });
    });
  });
});

test('values that are nested deeper than the stack are an error of the expression', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 200_000; depth++) deep = [deep];
  let same: unknown = 1;
  for (let depth = 0; depth < 200_000; depth++) same = [same];
  const nested = new Environment({ variables: { deep: dyn, same: dyn } });
  const compiled = compile('deep == same', nested);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  expect(compiled.program.evaluate({ deep, same })).toMatchObject({ error: 'values are nested too deep' });
});

test('a list of many concatenations is read without recursion', () => {
  const chain = Array.from({ length: 200 }, (_, index) => `[${index}]`).join(' + ');
  expect(program(`(${chain})[199] == 199 && (${chain}).sum() == 19900`).evaluate(variables)).toMatchObject({
    value: true,
  });
});

test('a value that has many parts more than once is not written as JSON', async () => {
  const outcome = program(doubled(25, '0')).evaluate(variables);
  const texts = program('lists.range(20000).map(i, text)').evaluate(variables);
  for (const made of [outcome, texts]) {
    const { value } = made as { readonly value: Value };
    await expectProcessorTime(1000, () => {
      expect(() => toJson(value)).toThrow(
        expect.objectContaining({ message: 'the value is too large to be written as JSON' }),
      );
    });
  }
});
