import { expect, test } from 'vitest';
import { boundYoungGeneration, holdStartFlags, YoungGeneration } from './young-generation.ts';

const MiB = 1024 * 1024;

/** A space of a size that the test sets, and the settings that it received. */
function space(size: number) {
  const results: boolean[] = [];
  const now = { size };
  const young = new YoungGeneration({ size: () => now.size, setGrowing: (is) => results.push(is) });
  return { now, results, young };
}

async function nextCollection(isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    Array.from({ length: 100_000 }, () => [i]);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('new values get memory up to a bound, and again after V8 took some away', () => {
  const self = space(8 * MiB);
  self.young.adapt();
  self.young.adapt();
  expect(self.results).toEqual([]);
  self.now.size = 16 * MiB;
  self.young.adapt();
  self.young.adapt();
  expect(self.results).toEqual([false]);
  self.now.size = 2 * MiB;
  self.young.adapt();
  expect(self.results).toEqual([false, true]);
  self.young.restore();
  expect(self.results).toEqual([false, true]);
});

test('observes garbage collections of this process, and leaves no trace at its end', async () => {
  const self = space(16 * MiB);
  const stop = boundYoungGeneration(self.young, false);
  await nextCollection(() => self.results.length > 0);
  expect(self.results).toEqual([false]);
  stop();
  expect(self.results).toEqual([false, true]);
});

test('V8 has the flags of a start while a thread starts', () => {
  const self = space(16 * MiB);
  const stop = boundYoungGeneration(self.young, false);
  self.young.adapt();
  const [first, second] = [holdStartFlags(), holdStartFlags()];
  expect(self.results).toEqual([false, true]);
  first();
  self.young.adapt();
  expect(self.results).toEqual([false, true]);
  second();
  self.young.adapt();
  expect(self.results).toEqual([false, true, false]);
  stop();
  holdStartFlags()();
  expect(self.results).toEqual([false, true, false, true]);
});

test('V8 is left alone with a plain runtime', () => {
  const self = space(16 * MiB);
  boundYoungGeneration(self.young, true)();
  expect(self.results).toEqual([]);
});
