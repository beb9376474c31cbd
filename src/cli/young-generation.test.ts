import { expect, test } from 'vitest';
import { boundYoungGeneration } from './young-generation.ts';

const MiB = 1024 * 1024;

test('it grows up to a bound, and again after it was made smaller', () => {
  const said: boolean[] = [];
  let size = 8 * MiB;
  let collect = () => {};
  const stop = boundYoungGeneration({ size: () => size, setGrowing: (growing) => said.push(growing) }, (run) => {
    collect = run;
    return { disconnect: () => {} };
  });
  collect();
  collect();
  expect(said).toEqual([]);
  size = 16 * MiB;
  collect();
  collect();
  expect(said).toEqual([false]);
  size = 2 * MiB;
  collect();
  expect(said).toEqual([false, true]);
  stop();
  expect(said).toEqual([false, true]);
});

test('its end leaves the process as it was', () => {
  const said: boolean[] = [];
  let isHeard = true;
  let collect = () => {};
  const stop = boundYoungGeneration({ size: () => 16 * MiB, setGrowing: (growing) => said.push(growing) }, (run) => {
    collect = run;
    return { disconnect: () => (isHeard = false) };
  });
  collect();
  stop();
  expect(said).toEqual([false, true]);
  expect(isHeard).toBe(false);
});

test('it hears of the collections of this process', async () => {
  let looks = 0;
  const size = () => ++looks;
  const stop = boundYoungGeneration({ size, setGrowing: () => {} });
  for (let i = 0; looks === 0; i++) {
    Array.from({ length: 100_000 }, () => [i]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop();
  expect(looks).toBeGreaterThan(0);
});
