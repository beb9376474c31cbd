import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SortedMap } from './sorted-map.ts';

/** The same promises, kept in the most obvious way. */
class NaiveMap {
  readonly #values = new Map<string, number>();

  set(key: string, value: number): void {
    this.#values.set(key, value);
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  keys(prefix: string, from = prefix): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix) && key >= from).sort();
  }

  range(prefix: string, from = prefix): number[] {
    return this.keys(prefix, from).map((key) => this.#values.get(key) as number);
  }

  get size(): number {
    return this.#values.size;
  }
}

/** Runs the same changes on both and compares what can be seen after each. */
function follow(changes: readonly { readonly key: string; readonly value: number | undefined }[]): void {
  const map = new SortedMap<number>();
  const model = new NaiveMap();
  for (const { key, value } of changes) {
    if (value === undefined) expect(map.delete(key)).toBe(model.delete(key));
    else {
      map.set(key, value);
      model.set(key, value);
    }
    expect(map.get(key)).toBe(value);
    expect(map.size).toBe(model.size);
  }
  expect([...map.keys('')]).toEqual(model.keys(''));
  for (const { key } of changes) {
    const prefix = key.slice(0, Math.ceil(key.length / 2));
    expect([...map.keys(prefix)]).toEqual(model.keys(prefix));
    expect([...map.keys(prefix, key)]).toEqual(model.keys(prefix, key));
    expect([...map.range(prefix, key)]).toEqual(model.range(prefix, key));
    expect(map.count(prefix)).toBe(model.keys(prefix).length);
    expect(map.count(prefix, key)).toBe(model.keys(prefix, key).length);
    expect(map.slice(prefix, key)).toEqual(model.range(prefix, key));
    expect(map.last(prefix)).toBe(model.keys(prefix).at(-1));
    expect(map.slice(prefix, key, 2)).toEqual(model.range(prefix, key).slice(0, 2));
  }
}

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'z', 'é'), maxLength: 6 });
const change = fc.record({ key, value: fc.option(fc.nat(), { nil: undefined, freq: 3 }) });

/** Keys in an order that looks random and is always the same. */
function shuffled(count: number, format: (index: number) => string): string[] {
  const step = 7919;
  return Array.from({ length: count }, (_, index) => format((index * step) % count));
}

const padded = (index: number) => `/pods/${index % 7}/${String(index).padStart(5, '0')}`;

describe('a sorted map', () => {
  test('behaves like a plain map whose keys are sorted when asked for', () => {
    fc.assert(fc.property(fc.array(change, { maxLength: 60 }), follow), { numRuns: 100 });
  });

  test('keeps its order through the splitting and emptying of blocks', () => {
    const keys = shuffled(5000, padded);
    const map = new SortedMap<string>();
    for (const each of keys) map.set(each, `value of ${each}`);
    const sorted = [...keys].sort();
    expect([...map.keys('')]).toEqual(sorted);
    expect(map.size).toBe(5000);
    const gone = new Set(keys.filter((_, index) => index % 3 !== 0));
    for (const each of gone) expect(map.delete(each)).toBe(true);
    expect([...map.keys('')]).toEqual(sorted.filter((each) => !gone.has(each)));
    for (const each of keys) map.delete(each);
    expect(map.size).toBe(0);
    expect([...map.keys('')]).toEqual([]);
  });

  test.each([
    { prefix: '/pods/3/' },
    { prefix: '/pods/3/', from: '/pods/3/02' },
    { prefix: '/pods/', from: '/pods/6/04' },
    { prefix: '/pods/6/', from: '/pods/2/' },
    { prefix: '', from: '/pods/6/04993' },
    { prefix: '/secrets/' },
  ])('finds $prefix from $from among many blocks', ({ prefix, from }) => {
    const map = new SortedMap<number>();
    const model = new NaiveMap();
    shuffled(3000, padded).forEach((each, index) => {
      map.set(each, index);
      model.set(each, index);
    });
    expect([...map.range(prefix, from)]).toEqual(model.range(prefix, from));
    expect([...map.keys(prefix, from)]).toEqual(model.keys(prefix, from));
    expect(map.count(prefix)).toBe(model.keys(prefix).length);
    expect(map.count(prefix, from)).toBe(model.keys(prefix, from).length);
    expect(map.slice(prefix, from)).toEqual(model.range(prefix, from));
    expect(map.slice(prefix, from, 700)).toEqual(model.range(prefix, from).slice(0, 700));
  });

  test('random changes of a big map leave it as sorted as a small one', () => {
    const churn = fc.array(fc.record({ index: fc.nat(2999), value: fc.option(fc.nat(), { nil: undefined }) }), {
      minLength: 200,
      maxLength: 800,
      size: 'max',
    });
    fc.assert(
      fc.property(churn, (changes) => {
        const map = new SortedMap<number>();
        const model = new NaiveMap();
        shuffled(2500, padded).forEach((each, index) => {
          map.set(each, index);
          model.set(each, index);
        });
        for (const { index, value } of changes) {
          if (value === undefined) expect(map.delete(padded(index))).toBe(model.delete(padded(index)));
          else {
            map.set(padded(index), value);
            model.set(padded(index), value);
          }
        }
        expect([...map.range('')]).toEqual(model.range(''));
        for (const prefix of ['/pods/0/', '/pods/3/01', '/pods/6']) {
          expect(map.count(prefix)).toBe(model.keys(prefix).length);
        }
      }),
      { numRuns: 10 },
    );
  });

  test('setting a key again changes its value and not its place', () => {
    const map = new SortedMap<number>();
    for (const each of ['b', 'a', 'c', 'b']) map.set(each, map.size);
    expect([...map.keys('')]).toEqual(['a', 'b', 'c']);
    expect(map.get('b')).toBe(3);
  });

  test('is empty after clear, and usable', () => {
    const map = new SortedMap<number>();
    map.set('a', 1);
    map.clear();
    expect(map.size).toBe(0);
    expect([...map.range('')]).toEqual([]);
    map.set('b', 2);
    expect([...map.range('')]).toEqual([2]);
  });

  // count looks for the end at prefix + U+FFFF, so a key that continues with that very character is left out
  test('counts every key that keys() finds, whatever characters it has', () => {
    const map = new SortedMap<number>();
    map.set('a\uffffb', 1);
    expect(map.count('a')).toBe([...map.keys('a')].length);
  });
});
