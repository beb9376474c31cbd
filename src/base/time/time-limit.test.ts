import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { timeLimited } from './time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('it aborts when its time is up, also after the garbage was collected', async () => {
  const other = new AbortController();
  const signal = timeLimited(other.signal, 50);
  const aborted = once(signal, 'abort');
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  await aborted;
  expect((signal.reason as Error).name).toBe('TimeoutError');
  expect(other.signal.aborted).toBe(false);
});

test('it aborts with the other one, for the same reason', () => {
  const other = new AbortController();
  const signal = timeLimited(other.signal, 60_000);
  other.abort(new Error('the server stops'));
  expect(signal.reason).toEqual(new Error('the server stops'));
});

test('it has aborted where the other one has', () => {
  expect(timeLimited(AbortSignal.abort('gone'), 60_000).reason).toBe('gone');
});
