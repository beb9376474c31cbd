import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { PolicyRule } from '../../meta/access.ts';
import { expectProcessorTime } from '../../testing/processor-time.ts';
import { compareRules } from './compare-rules.ts';
import { RuleSet } from './rule-set.ts';
import { describeRule, missingParts } from './rules.ts';

const some = (...words: string[]) => fc.subarray(words);
/** In any order, and more than once. */
const many = (...words: string[]) => fc.array(fc.constantFrom(...words), { maxLength: 5 });

const ruleOf = (list: typeof some): fc.Arbitrary<PolicyRule> =>
  fc.record(
    {
      verbs: list('*', 'get', 'list', 'watch'),
      apiGroups: list('*', '', 'apps'),
      resources: list('*', 'pods', 'pods/log', '*/log', 'nodes', 'pods/', '*/', 'a/b/c', '*/b/c'),
      resourceNames: list('a', 'b', '*', ''),
      nonResourceURLs: list('*', '/healthz', '/healthz/*', '/healthz/a', '/h**', '/*x'),
    },
    { requiredKeys: ['verbs'] },
  );

/** What Kubernetes would list: a line for each group, resource and name, and for each path and verb. */
function naive(held: readonly PolicyRule[], granted: readonly PolicyRule[]): string {
  const lines = new Map<string, PolicyRule>();
  for (const part of missingParts(held, granted)) {
    const { verbs = [], ...about } = part;
    const key = JSON.stringify(part.nonResourceURLs === undefined ? about : part);
    const verbsOfLine = lines.get(key)?.verbs ?? [];
    lines.set(key, { ...about, verbs: [...new Set([...verbsOfLine, ...verbs])] });
  }
  return [...lines.values()].map(describeRule).sort().join('\n');
}

const compared = (held: readonly PolicyRule[], granted: readonly PolicyRule[]) =>
  compareRules([new RuleSet(held)], granted);

describe('rules to be granted', () => {
  test.each([
    ['few words', ruleOf(some)],
    ['words that repeat', ruleOf(many)],
  ])('are missing exactly where no single held rule covers a combination: %s', async (_, rule) => {
    const rules = fc.array(rule, { maxLength: 6 });
    fc.assert(
      fc.property(rules, rules, (held, granted) => {
        const { missing, isGivenUp } = compared(held, granted);
        expect(isGivenUp).toBe(false);
        if (!missing.isFull) expect(missing.describe()).toBe(naive(held, granted));
        expect(missing.isEmpty).toBe(missingParts(held, granted).length === 0);
      }),
      { numRuns: 300 },
    );
  });

  test('are compared by single combinations where lists are cut into pieces', async () => {
    const words = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const [verbs, apiGroups, resources, names] = [words('v', 70), words('g', 3), words('r', 130), words('n', 66)];
    const granted = { verbs, apiGroups, resources, resourceNames: names };
    const half = (list: string[], odd: boolean) => list.filter((_, i) => (i % 2 === 1) === odd);
    const held = [
      { ...granted, names, resources: half(resources, true) },
      { ...granted, resourceNames: half(names, true), resources: half(resources, false) },
      { ...granted, resourceNames: undefined, verbs: half(verbs, true), resources: ['*'] },
      { ...granted, resourceNames: half(names, false), verbs: half(verbs, false), resources: half(resources, false) },
    ] as PolicyRule[];
    expect(compared(held, [granted]).missing.isEmpty).toBe(true);
    const [, , , last] = held;
    const without = { ...last, verbs: last?.verbs?.filter((verb) => verb !== 'v68') } as PolicyRule;
    const { missing } = compared([...held.slice(0, 3), without], [{ ...granted, apiGroups: ['g1'] }]);
    expect(missing.describe()).toContain('{APIGroups:["g1"], Resources:["r0"], ResourceNames:["n0"], Verbs:["v68"]}');
  });

  test('name objects literally: a star among the names is no pattern', async () => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
    const { missing } = compared([{ ...rule, resourceNames: ['*'] }], [{ ...rule, resourceNames: ['root'] }]);
    expect(missing.describe()).toBe('{APIGroups:[""], Resources:["secrets"], ResourceNames:["root"], Verbs:["get"]}');
    const same = compared([{ ...rule, resourceNames: ['*'] }], [{ ...rule, resourceNames: ['*'] }]);
    expect(same.missing.isEmpty).toBe(true);
  });
});

describe('what is listed', () => {
  test('is at most a hundred lines, and says that there are more', async () => {
    const rules = Array.from({ length: 300 }, (_, i) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] }));
    const lines = compared([], rules).missing.describe().split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([101, '... and more']);
    const exactly = compared([], rules.slice(0, 100)).missing.describe().split('\n');
    expect(exactly).toHaveLength(100);
  });

  test('is short however long the words are', async () => {
    const long = 'x'.repeat(1_000_000);
    const { missing } = compared([], [{ verbs: [long], apiGroups: [''], resources: ['a', 'b', 'c'] }]);
    expect(missing.describe().length).toBeLessThan(70_000);
  });
});

const words = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const cube = (n: number) => ({
  verbs: words('v', n),
  apiGroups: words('g', n),
  resources: words('r', n),
  resourceNames: words('n', n),
});
/** About half of the words of each list, another half in each rule. */
function halves(n: number, count: number): PolicyRule[] {
  let seed = 1;
  const half = (list: readonly string[]) =>
    list.filter(() => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed >>> 31 === 1;
    });
  const { verbs, apiGroups, resources, resourceNames } = cube(n);
  return Array.from({ length: count }, () => ({
    verbs: half(verbs),
    apiGroups: half(apiGroups),
    resources: half(resources),
    resourceNames: half(resourceNames),
  }));
}
const single = (count: number, extra = '') =>
  Array.from({ length: count }, (_, i) => ({
    verbs: ['get'],
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [`n${i}${extra}`],
  }));

describe('hostile rules', () => {
  test.each<[string, PolicyRule[], PolicyRule[], 'held' | 'missing' | 'given up']>([
    ['30 of each', [], [cube(30)], 'missing'],
    ['45 of each', [], [cube(45)], 'missing'],
    ['45 of each, held by verb', cube(45).verbs.map((verb) => ({ ...cube(45), verbs: [verb] })), [cube(45)], 'held'],
    ['45 of each, all but one verb held', [{ ...cube(45), verbs: words('v', 44) }], [cube(45)], 'missing'],
    ['10,000 of each', [], [cube(10_000)], 'missing'],
    ['10,000 of each, held by the same rule', [cube(10_000)], [cube(10_000)], 'given up'],
    ['10,000 of each, all held', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [cube(10_000)], 'held'],
    ['random halves', halves(40, 400), [cube(40)], 'given up'],
    ['random halves in every rule', halves(40, 400), halves(40, 400), 'given up'],
    ['20,000 rules of one name', single(20_000), single(20_000), 'held'],
    ['20,000 rules of other names', single(20_000, 'x'), single(20_000), 'missing'],
    ['20,000 names in one rule', single(20_000), [{ ...single(1)[0], resourceNames: words('n', 20_000) }], 'held'],
    [
      '50,000 paths',
      [{ verbs: ['get'], nonResourceURLs: words('/a*', 50_000) }],
      [{ verbs: ['get'], nonResourceURLs: words('/b', 50_000) }],
      'missing',
    ],
  ])('take little time: %s', async (_title, held, granted, expected) => {
    const compare = () => {
      const { missing, isGivenUp } = compared(held, granted);
      expect(isGivenUp ? 'given up' : missing.isEmpty ? 'held' : 'missing').toBe(expected);
    };
    compare();
    await expectProcessorTime(2000, compare);
  });

  test('are reported once when they take long, and few rules never', () => {
    const report = (rules: PolicyRule[]) => {
      const onLong = vi.fn<() => void>();
      compareRules([new RuleSet(rules)], rules, onLong);
      return onLong.mock.calls.length;
    };
    expect(report(halves(40, 400))).toBe(1);
    expect(report(single(200))).toBe(0);
  });

  test('end with the error that the report throws', () => {
    const rules = halves(40, 400);
    const moved = new Error('moved');
    const fail = () => {
      throw moved;
    };
    expect(() => compareRules([new RuleSet(rules)], rules, fail)).toThrow(moved);
  });
});
