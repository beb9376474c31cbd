import { expect, test } from 'vitest';
import { boundHeap } from './heap-bounds.ts';
import { OldGeneration } from './old-generation.ts';
import { YoungGeneration } from './young-generation.ts';

const MiB = 1024 * 1024;

test('new values get memory up to a bound, and again after V8 took some away', () => {
  const said: boolean[] = [];
  let size = 8 * MiB;
  const young = new YoungGeneration({ size: () => size, setGrowing: (growing) => said.push(growing) });
  young.adapt();
  young.adapt();
  expect(said).toEqual([]);
  size = 16 * MiB;
  young.adapt();
  young.adapt();
  expect(said).toEqual([false]);
  size = 2 * MiB;
  young.adapt();
  expect(said).toEqual([false, true]);
  young.restore();
  expect(said).toEqual([false, true]);
});

test('a small heap may grow several times over, a large one as V8 likes it', () => {
  const said: number[] = [];
  let used = 16 * MiB;
  const old = new OldGeneration({ used: () => used, setGrowth: (percent) => said.push(percent) });
  old.adapt();
  used = 63 * MiB;
  old.adapt();
  expect(said).toEqual([300]);
  used = 64 * MiB;
  old.adapt();
  old.adapt();
  expect(said).toEqual([300, 0]);
  used = 16 * MiB;
  old.adapt();
  expect(said).toEqual([300, 0, 300]);
});

test('the end leaves the process as it was', () => {
  const said: unknown[] = [];
  let isHeard = true;
  let collect = () => {};
  const bounds = [
    new YoungGeneration({ size: () => 16 * MiB, setGrowing: (growing) => said.push(growing) }),
    new OldGeneration({ used: () => 16 * MiB, setGrowth: (percent) => said.push(percent) }),
  ];
  const stop = boundHeap(bounds, (run) => {
    collect = run;
    return { disconnect: () => (isHeard = false) };
  });
  collect();
  stop();
  expect(said).toEqual([false, 300, true, 0]);
  expect(isHeard).toBe(false);
});

test('collections of this process are heard of', async () => {
  let looks = 0;
  const stop = boundHeap([{ adapt: () => looks++, restore: () => {} }]);
  for (let i = 0; looks === 0; i++) {
    Array.from({ length: 100_000 }, () => [i]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop();
  expect(looks).toBeGreaterThan(0);
});
