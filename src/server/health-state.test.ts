import { expect, test } from 'vitest';
import type { HealthCheck } from '../discovery/health.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { HealthState } from './health-state.ts';

async function failing(checks: readonly HealthCheck[]): Promise<readonly string[]> {
  const found = await Promise.all(checks.map(async ({ name, check }) => ((await check()) === undefined ? [] : [name])));
  return found.flat();
}

test('for a while a server counts as alive though its start is not finished, but not as ready', async () => {
  const clock = new FakeClock();
  const state = new HealthState(openMemoryStore(), ['one', 'two'], { clock, graceMs: 5000 });
  const { healthz, livez, readyz } = state.endpoints();
  state.hookDone('one');
  expect(await failing(livez)).toEqual([]);
  expect(await failing(healthz)).toEqual(['poststarthook/two']);
  expect(await failing(readyz)).toEqual(['poststarthook/two']);
  clock.advance(5000);
  expect(await failing(livez)).toEqual(['poststarthook/two']);
  state.hookDone('two');
  expect(await failing(livez)).toEqual([]);
});
