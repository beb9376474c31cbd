// A run that rests gives what one without rests gives: the same value or error, at the same cost.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StandingTime } from '../testing/standing-time.ts';
import { toJson } from './adapt.ts';
import { compile, type Outcome, type Program } from './compile.ts';
import { Environment } from './environment.ts';
import type { Turns } from './frame.ts';
import { Interruption } from './progress.ts';
import { dyn, int, list, map, string } from './types.ts';

const environment = new Environment({
  variables: { l: list(int), m: map(string, list(int)), s: string, long: string, x: dyn },
  bindings: true,
});

const variables = {
  l: [3, 1, 2, 3],
  m: { a: [1, 2], b: [], c: [3] },
  s: 'text',
  long: 'abc'.repeat(2000),
  x: { one: 1, list: [1, 'a', { b: null }], none: null },
};

function programOf(source: string): Program | undefined {
  const compiled = compile(source, environment);
  return 'program' in compiled ? compiled.program : undefined;
}

interface Rested {
  readonly outcome: Outcome;
  readonly turns: number;
}

function inTurns(program: Program, turns: Turns, budget?: number, given: object = variables): Rested {
  const frame = program.begin(given as Record<string, unknown>, { turns, ...(budget === undefined ? {} : { budget }) });
  for (let count = 1; count < 1_000_000; count++) {
    const outcome = program.advance(frame);
    if (!(outcome instanceof Interruption)) return { outcome, turns: count };
  }
  throw new Error('the run never ends');
}

const shown = (outcome: Outcome): unknown =>
  'error' in outcome ? outcome : { value: toJson(outcome.value), cost: outcome.cost };

/** Expressions of one type, with the variables that comprehensions around them declare. */
interface Grammar {
  bool: string;
  int: string;
  list: string;
  text: string;
  any: string;
}

/** One for all: each alternative counts, whatever its type. */
const depth = fc.createDepthIdentifier();

const { bool, list: listOf } = fc.letrec<Grammar>((tie) => {
  const pick = <K extends keyof Grammar>(...names: K[]) => fc.tuple(...names.map((name) => tie(name)));
  const made = <K extends keyof Grammar>(names: K[], write: (...parts: string[]) => string) =>
    pick(...names).map((parts) => write(...(parts as string[])));
  return {
    int: fc.oneof(
      { maxDepth: 3, depthIdentifier: depth, withCrossShrink: true },
      fc.constantFrom('0', '1', '2', '7', 'size(l)', 'size(long)'),
      made(['list'], (a) => `size(${a})`),
      made(['int', 'int'], (a, b) => `(${a} + ${b})`),
      made(['int', 'int'], (a, b) => `(${a} / ${b})`),
      made(['list', 'int'], (a, b) => `${a}[${b}]`),
      made(['list'], (a) => `${a}.sum()`),
      made(['text', 'text'], (a, b) => `${a}.indexOf(${b})`),
      made(['bool', 'int', 'int'], (a, b, c) => `(${a} ? ${b} : ${c})`),
      made(['int', 'int'], (a, b) => `cel.bind(c, ${a}, c + ${b})`),
    ),
    text: fc.oneof(
      { maxDepth: 3, depthIdentifier: depth, withCrossShrink: true },
      fc.constantFrom("'a'", 's', 'long', "''"),
      made(['text', 'text'], (a, b) => `(${a} + ${b})`),
      made(['list'], (a) => `${a}.map(i, string(i)).join(',')`),
      made(['text'], (a) => `${a}.replace('a', 'bb')`),
    ),
    list: fc.oneof(
      { maxDepth: 3, depthIdentifier: depth, withCrossShrink: true },
      fc.constantFrom('l', '[1, 2]', 'm.a', 'lists.range(5)'),
      made(['list', 'int'], (a, b) => `${a}.map(v, v + ${b})`),
      made(['list', 'bool'], (a, b) => `${a}.filter(v, v > 1 || ${b})`),
      made(['list', 'list'], (a, b) => `(${a} + ${b})`),
      made(['list'], (a) => `${a}.distinct()`),
      made(['list'], (a) => `${a}.sort()`),
      made(['list'], (a) => `${a}.sortBy(v, -v)`),
      made(['list', 'int'], (a, b) => `${a}.transformList(i, v, i < 3, v * ${b})`),
    ),
    any: fc.constantFrom('x.one', 'x.list', 'x.missing', 'x.list[2]', 'x', 'm', 'l'),
    bool: fc.oneof(
      { maxDepth: 3, depthIdentifier: depth, withCrossShrink: true },
      fc.constantFrom('true', 'false', 'x.missing', "x.list.exists(v, v == 'a')"),
      made(['any', 'any'], (a, b) => `dyn(${a}) == dyn(${b})`),
      made(['int', 'int'], (a, b) => `${a} < ${b}`),
      made(['bool', 'bool'], (a, b) => `(${a} && ${b})`),
      made(['bool', 'bool'], (a, b) => `(${a} || ${b})`),
      made(['list', 'bool'], (a, b) => `${a}.all(v, v < 3 && ${b})`),
      made(['list', 'bool'], (a, b) => `${a}.exists(v, v == 2 || ${b})`),
      made(['list', 'bool'], (a, b) => `${a}.exists_one(v, v > 2 || ${b})`),
      made(['list', 'list'], (a, b) => `${a}.all(v, ${b}.exists(w, v / w == 1))`),
      made(['bool', 'int'], (a, b) => `m.all(k, v, v.exists(w, w == ${b}) || ${a})`),
      made(['bool', 'int'], (a, b) => `m.transformMap(k, v, ${a}, size(v) + ${b}) == {'a': 2}`),
      made(['list', 'list'], (a, b) => `sets.contains(${a}, ${b})`),
      made(['list', 'list'], (a, b) => `sets.equivalent(${a}, ${b})`),
      made(['text', 'text'], (a, b) => `${a}.contains(${b})`),
      made(['text'], (a) => `${a}.matches('^a+b')`),
      made(['int', 'list'], (a, b) => `${a} in ${b}`),
    ),
  };
});

const chances = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }).map((pattern) => {
  let at = 0;
  return () => pattern[at++ % pattern.length] as boolean;
});

describe('a run that rests', () => {
  test('whenever it can gives the same value or error at the same cost', () => {
    fc.assert(
      fc.property(fc.oneof(bool, listOf), (source) => {
        const program = programOf(source);
        fc.pre(program !== undefined);
        const { outcome } = inTurns(program as Program, () => true);
        expect(shown(outcome)).toEqual(shown((program as Program).evaluate(variables)));
      }),
      { numRuns: 1000 },
    );
  });

  test('now and then, within any budget, does so as well', () => {
    const budget = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3000 }));
    fc.assert(
      fc.property(fc.oneof(bool, listOf), budget, chances, (source, most, turns) => {
        const program = programOf(source);
        fc.pre(program !== undefined);
        const { outcome } = inTurns(program as Program, turns, most);
        expect(shown(outcome)).toEqual(shown((program as Program).evaluate(variables, { budget: most })));
      }),
      { numRuns: 1000 },
    );
  });

  test('computes no step of a fold twice once it has rested', () => {
    const program = programOf('l.all(a, l.all(b, l.all(c, a + b + c < 100)))') as Program;
    const { outcome, turns } = inTurns(program, () => true);
    expect(outcome).toEqual(program.evaluate(variables));
    // one for each innermost step, each inner fold and each outer step, and the last
    expect(turns).toBe(4 * 4 * 4 + 4 * 4 + 4 + 1);
  });

  test('goes on after calls that took long, also those that failed', () => {
    const heavy = 'dyn(x) == dyn(m) || x.list.sum() == 1 || ';
    const program = programOf(`${heavy.repeat(20)} l.all(v, v > 0)`) as Program;
    const { outcome, turns } = inTurns(program, () => true);
    expect(outcome).toEqual(program.evaluate(variables));
    expect(turns).toBeGreaterThan(40);
  });
});

describe('by the clock', () => {
  const items = Array.from({ length: 400 }, (_, index) => index);
  const source = 'l.all(a, l.exists(b, a == b))';

  test('a short run has one turn', async () => {
    const time = await StandingTime.begin();
    expect(inTurns(programOf(source) as Program, 'timed').turns).toBe(1);
    time.end();
  });

  test('a run that uses its whole budget has short ones', () => {
    const program = programOf('l.all(a, l.all(b, a + b >= 0))') as Program;
    const frame = program.begin({ ...variables, l: items.concat(items) }, { turns: 'timed' });
    const longest: number[] = [];
    for (;;) {
      const before = process.cpuUsage();
      const outcome = program.advance(frame);
      const { user, system } = process.cpuUsage(before);
      longest.push((user + system) / 1000);
      if (outcome instanceof Interruption) continue;
      expect(outcome).toMatchObject({ reason: 'budget' });
      break;
    }
    expect(longest.length).toBeGreaterThan(3);
    expect(longest.sort((a, b) => a - b).at(Math.floor(longest.length * 0.8))).toBeLessThan(50);
  });

  test('a call that compares every item with every other rests in between', () => {
    const deep = Array.from({ length: 170 }, (_, index) => ({ a: Array.from({ length: 60 }, (_, i) => i), index }));
    const wide = new Environment({ variables: { x: dyn } });
    const compiled = compile('x.distinct().size() == 170', wide);
    if ('errors' in compiled) throw new Error(compiled.errors.message);
    const { turns, outcome } = inTurns(compiled.program, 'timed', undefined, { x: deep });
    expect(outcome).toMatchObject({ value: true });
    expect(turns).toBeGreaterThan(2);
  });
});

test('a pattern is matched against a long text by another thread', async () => {
  const text = `${'abc.'.repeat(50_000)}!`;
  const given = { ...variables, long: text };
  const sources = [
    "long.matches('^([a-z0-9]+[.])*[a-z]*$')",
    "long.matches('^([a-z0-9]+[.])*!$')",
    "long.find('[b-z]+[.]!') + long.find('nothing')",
    "long.findAll('[b-z]+[.]a').size() == 49999 && long.findAll('b', 3) == ['b', 'b', 'b']",
    "[1].exists(v, long.matches('[0-9]$')) || s.matches('x')",
  ];
  for (const source of sources) {
    const program = programOf(source) as Program;
    const first = program.advance(program.begin(given));
    expect(first).toBeInstanceOf(Interruption);
    expect((first as Interruption).answer).toBeInstanceOf(Promise);
    expect(shown(await program.evaluateAsync(given))).toEqual(shown(program.evaluate(given)));
  }
});
