import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { openMs, RequestRing, ringLimits } from './request-ring.ts';

function openRing() {
  const clock = new FakeClock();
  const changes: boolean[] = [];
  const ring = new RequestRing({ clock, onOpen: (isOpen) => changes.push(isOpen) });
  return { clock, changes, ring };
}

const all = { after: 0, most: 10_000, waitMs: 0 };
const sequencesIn = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence);

test('request ring: numbers the records of all threads without gaps', async () => {
  const { ring } = openRing();
  ring.add(0, ['{"name":"a"}']);
  ring.add(2, ['{"name":"b"}', '{"name":"c"}']);
  expect(await ring.read(all)).toEqual({
    lines: [
      '{"sequence":1,"thread":0,"name":"a"}',
      '{"sequence":2,"thread":2,"name":"b"}',
      '{"sequence":3,"thread":2,"name":"c"}',
    ],
    last: 3,
  });
  expect(sequencesIn((await ring.read({ ...all, after: 2 })).lines)).toEqual([3]);
  expect(sequencesIn((await ring.read({ ...all, most: 2 })).lines)).toEqual([2, 3]);
  expect((await ring.read({ ...all, after: 9 })).lines).toEqual([]);
});

test('request ring: drops the oldest records beyond its number', async () => {
  const { ring } = openRing();
  for (let round = 0; round < 5; round++)
    ring.add(
      0,
      Array.from({ length: 900 }, () => '{"name":"a"}'),
    );
  const { lines, last } = await ring.read(all);
  expect(last).toBe(4500);
  expect(lines).toHaveLength(ringLimits.records);
  expect(sequencesIn(lines)[0]).toBe(last - ringLimits.records + 1);
  expect(sequencesIn((await ring.read({ ...all, after: 4498 })).lines)).toEqual([4499, 4500]);
});

test('request ring: drops the oldest records beyond its bytes', async () => {
  const { ring } = openRing();
  const large = JSON.stringify({ path: 'p'.repeat(100_000) });
  ring.add(
    0,
    Array.from({ length: 100 }, () => large),
  );
  const { lines } = await ring.read(all);
  expect(lines.join('').length).toBeLessThanOrEqual(ringLimits.bytes);
  expect(sequencesIn(lines).at(-1)).toBe(100);
});

test('request ring: records from the first read until a while after the last', async () => {
  const { clock, changes, ring } = openRing();
  expect(ring.isOpen).toBe(false);
  await ring.read(all);
  clock.advance(openMs - 1);
  await ring.read(all);
  clock.advance(openMs - 1);
  expect(changes).toEqual([true]);
  clock.advance(1);
  expect(changes).toEqual([true, false]);
  expect(ring.isOpen).toBe(false);
});

test('request ring: a read can wait for the next record, or for its time', async () => {
  const { clock, ring } = openRing();
  const news = ring.read({ ...all, waitMs: 1000 });
  ring.add(1, ['{"name":"a"}']);
  expect((await news).last).toBe(1);
  const nothing = ring.read({ after: 1, most: 10, waitMs: 1000 });
  clock.advance(1000);
  expect(await nothing).toEqual({ lines: [], last: 1 });
});
