import { describe, expect, test } from 'vitest';
import { selecting } from '../groups/meta/v1/label-selector.ts';
import { processorMs } from '../testing/processor-time.ts';
import { matchesFields } from './field-selector.ts';
import { matchesLabels, parseLabelSelector } from './label-selector.ts';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Requirements that an object without any of the labels fulfils, and one that it has. */
const absent = (count: number) =>
  selecting({
    matchLabels: { app: 'web' },
    matchExpressions: many(count, (i) => ({ key: `k${i}`, operator: 'NotIn', values: ['v'] })),
  });
const labels: Record<string, string> = { app: 'web' };
for (const index of many(10, (i) => i)) labels[`l${index}`] = 'v';

/** The least time of some attempts in which all objects are matched, in milliseconds of processor time. */
function timeOf(matches: () => boolean): number {
  const times = many(5, () => {
    const begun = processorMs();
    for (let index = 0; index < 20_000; index++) if (!matches()) throw new Error('does not match');
    return processorMs() - begun;
  });
  return Math.min(...times);
}

describe('a selector of thousands of requirements', () => {
  test('takes as long for an object as one of ten', () => {
    const [few, all] = [absent(10), absent(8000)];
    expect(timeOf(() => all(labels))).toBeLessThan(5 * timeOf(() => few(labels)) + 20);
  });

  test('in a query does so too', () => {
    const selectorOf = (count: number) => parseLabelSelector(many(count, (i) => `!k${i}`).join(','));
    const [few, all] = [selectorOf(10), selectorOf(8000)];
    const bare = timeOf(() => matchesLabels(few, labels));
    expect(timeOf(() => matchesLabels(all, labels))).toBeLessThan(5 * bare + 20);
    const fields = many(8000, (i) => ({ field: 'metadata.name', operator: '!=' as const, value: `n${i}` }));
    expect(timeOf(() => matchesFields(fields, () => 'other'))).toBeLessThan(5 * bare + 20);
  });
});

test.each([
  ['a=1,b', { a: '1', b: '' }, true],
  ['a=1,b', { a: '1' }, false],
  ['a=1,a=2', { a: '1' }, false],
  ['a,!a', { a: '1' }, false],
  ['a,b,c,d,e', { a: '1', b: '', c: '', d: '', e: '' }, true],
  ['a,b,c,d,e', { a: '1', b: '', c: '', d: '' }, false],
  ['a,b,c,d,!e', { a: '1', b: '', c: '', d: '' }, true],
  ['a,b,c,d,!e', { a: '1', b: '', c: '', d: '', e: '' }, false],
  ['a!=1,b!=1,c!=1,d!=1,e!=1', {}, true],
  ['a!=1,b!=1,c!=1,d!=1,e!=1', { e: '1' }, false],
  ['a>1,b,c,d,e notin (x,y)', { a: '2', b: '', c: '', d: '', e: 'z' }, true],
  ['a>1,b,c,d,e notin (x,y)', { a: '2', b: '', c: '', d: '', e: 'y' }, false],
  ['a>1', { a: 'x' }, false],
])('%s and %o', (text, labels, expected) => {
  expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
});

test.each([
  [[['a', '=', '1']], true],
  [[['a', '!=', '1']], false],
  [
    [
      ['a', '=', '1'],
      ['a', '=', '2'],
    ],
    false,
  ],
  [
    [
      ['a', '!=', '2'],
      ['a', '!=', '3'],
    ],
    true,
  ],
] as const)('fields %j', (terms, expected) => {
  const selector = terms.map(([field, operator, value]) => ({ field, operator, value }));
  expect(matchesFields(selector, () => '1')).toBe(expected);
});
