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
  const state = new HealthState(openMemoryStore(), ['poststarthook/one', 'poststarthook/two'], {
    clock,
    graceMs: 5000,
  });
  const { healthz, livez, readyz } = state.endpoints();
  state.hookDone('poststarthook/one');
  expect(await failing(livez)).toEqual([]);
  expect(await failing(healthz)).toEqual(['poststarthook/two']);
  expect(await failing(readyz)).toEqual(['informer-sync', 'poststarthook/two']);
  clock.advance(5000);
  expect(await failing(livez)).toEqual(['poststarthook/two']);
  state.hookDone('poststarthook/two');
  expect(await failing(livez)).toEqual([]);
});

test('a store that does not answer in time fails the check, sooner where that is wanted', async () => {
  const clock = new FakeClock();
  const silent = { ...openMemoryStore(), currentRevision: () => new Promise<never>(() => {}) };
  const { livez } = new HealthState(silent, [], { clock, graceMs: 0, healthMs: 500 }).endpoints();
  const check = livez.find(({ name }) => name === 'etcd')?.check();
  clock.advance(499);
  clock.advance(1);
  expect(await check).toBe('the store did not answer within 500 ms');
});
