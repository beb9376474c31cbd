import { expect, test } from 'vitest';
import { RecentMap } from './recent-map.ts';

test('keeps what was set last, within its bound', () => {
  const recent = new RecentMap<number>(100);
  for (let i = 0; i < 1000; i++) recent.set(`key ${i}`, i);
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => recent.get(`key ${i}`) !== undefined);
  expect(kept.length).toBeGreaterThanOrEqual(50);
  expect(kept.length).toBeLessThanOrEqual(100);
  expect(kept.at(-1)).toBe(999);
  expect(kept).toEqual(kept.map((_, index) => 1000 - kept.length + index));
});

test('the last value of a key counts, and a key that was deleted is gone from both halves', () => {
  const recent = new RecentMap<number>(4);
  recent.set('a', 1);
  recent.set('b', 1);
  recent.set('a', 2);
  expect(recent.get('a')).toBe(2);
  recent.delete('a');
  expect(recent.get('a')).toBeUndefined();
});
