// Evictions are answered as by the reference server, whose disruption controller did not run either: what a budget
// allows is what the scenario wrote into its status.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { openCluster } from '../conformance/cluster.ts';
import { differences } from '../conformance/compare.ts';
import { readRecording, runAll } from '../conformance/recording.ts';
import { loadArea } from '../conformance/scenario.ts';

const recorded = join(import.meta.dirname, '../conformance/evictions');

let server: Server;
beforeAll(async () => {
  server = await startTestServer({ controllers: ['*', '-disruption', '-podgc'] });
});
afterAll(() => server.close());

test('every answer is as recorded', async () => {
  const cluster = await openCluster({ text: server.kubeconfig });
  try {
    const scenarios = loadArea('evictions', join(recorded, 'scenarios'));
    const found = differences(readRecording('evictions', join(recorded, 'answers')), await runAll(cluster, scenarios));
    expect(found.map(({ scenario, at, lines }) => `${scenario}: ${at}\n${lines.join('\n')}`)).toEqual([]);
  } finally {
    cluster[Symbol.dispose]();
  }
}, 60_000);

test('a budget with too many pods on their way out refuses, in the name of its kind', async () => {
  const send = async (method: string, path: string, body: object, type = 'application/json') => {
    const headers = { 'content-type': type };
    const answer = await server.fetch(path, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, unknown>;
  };
  const core = '/api/v1/namespaces/default/pods';
  const policy = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const merge = 'application/merge-patch+json';
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await send('POST', core, { metadata: { name: 'p', labels: { app: 'a' } }, spec });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await send('PATCH', `${core}/p/status`, { status }, merge);
  await send('POST', policy, { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'a' } } } });
  const going = Array.from({ length: 2001 }, (_, i) => [`pod-${i}`, '2026-01-01T00:00:00Z']);
  const counts = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 1,
    desiredHealthy: 0,
    expectedPods: 1,
  };
  await send('PATCH', `${policy}/b/status`, { status: { ...counts, disruptedPods: Object.fromEntries(going) } }, merge);
  const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
  expect(await send('POST', `${core}/p/eviction`, { metadata: { name: 'p' } })).toMatchObject({
    code: 403,
    message: `poddisruptionbudget.policy "b" is forbidden: ${why}`,
    details: { name: 'b', group: 'policy', kind: 'poddisruptionbudget' },
  });
});
