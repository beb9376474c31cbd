import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransientMap } from './transient-map.ts';

const change = fc.record({ key: fc.nat(9), value: fc.option(fc.nat(), { nil: undefined }) });

test('holds what a Map holds', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
      const map = new TransientMap<number, number>();
      const model = new Map<number, number>();
      for (const { key, value } of changes) {
        if (value === undefined) expect(map.delete(key)).toBe(model.delete(key));
        else for (const one of [map, model]) one.set(key, value);
        expect([map.size, map.get(key), map.has(key)]).toEqual([model.size, model.get(key), model.has(key)]);
      }
      expect([...map]).toEqual([...model]);
      expect([...map.keys()]).toEqual([...model.keys()]);
      expect([...map.values()]).toEqual([...model.values()]);
    }),
  );
});

test('is walked through like a Map', () => {
  const map = new TransientMap<string, number>().set('a', 1).set('b', 2);
  const met: unknown[] = [];
  map.forEach(function (this: unknown, value, key, whole) {
    met.push([this, key, value, whole === map]);
  }, 'self');
  expect(met).toEqual([
    ['self', 'a', 1, true],
    ['self', 'b', 2, true],
  ]);
  map.clear();
  expect([map.size, map.get('a')]).toEqual([0, undefined]);
});

test('removing all entries one by one is walked through to the end', () => {
  const map = new TransientMap<number, number>();
  for (let key = 0; key < 1000; key++) map.set(key, key);
  let met = 0;
  for (const key of map.keys()) {
    met++;
    map.delete(key);
  }
  expect([met, map.size]).toEqual([1000, 0]);
});

test('what was removed does not pile up among old values', () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const pileOf = (map: Map<number, unknown>) => {
    for (let key = 0; key < 32; key++) map.set(key, []);
    // makes it old
    gc();
    const before = oldBytes();
    for (let key = 32; key < 6400; key++) {
      map.delete(key - 32);
      map.set(key, new Array(100).fill(key));
      if (key % 200 === 0) gc({ type: 'minor' });
    }
    return oldBytes() - before;
  };
  expect(pileOf(new TransientMap())).toBeLessThan(pileOf(new Map()) / 4);
});

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}
