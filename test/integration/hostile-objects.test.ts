// No object may keep other clients waiting, whatever its kind allows to be long: rules look at each part once, say no more
// than a client reads, and rest in between.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectLess } from '../../src/testing/processor-time.ts';
import { eventually } from './eventually.ts';
import { type HostileRequest, type HostileServer, maxWaitMs, startHostileServer } from './hostile-bodies.ts';
import {
  bodyOf,
  dataShapes,
  type HostileShape,
  metadataShapes,
  networkShapes,
  podShapes,
  queryShapes,
  ruleShapes,
  workloadShapes,
} from './hostile-shapes.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer('--enable-admission-plugins=OwnerReferencesPermissionEnforcement');
});
afterAll(() => server.close());

/** Stored under its own name in each attempt; what cannot have one is only tried. */
function requestOf(shape: HostileShape): HostileRequest {
  const body = bodyOf(shape);
  if (body === undefined) return { method: 'GET', path: shape.path };
  const named = body.replace('"metadata":{"name":"large"', '"metadata":{"generateName":"large-"');
  return { path: named === body ? `${shape.path}?dryRun=All` : shape.path, body: named };
}

/** Validation errors are bounded, in number and in length. */
const longestRefusal = 1_500_000;

describe('another client is answered within 150 ms, while the server has', () => {
  const all = [
    ...metadataShapes,
    ...dataShapes,
    ...podShapes,
    ...workloadShapes,
    ...networkShapes,
    ...ruleShapes,
    ...queryShapes,
  ];
  test.each(all)('$title', async (shape) => {
    const request = requestOf(shape);
    const answer = await server.bestBeside(() => request);
    expect(answer.status, answer.body.slice(0, 500)).toBeLessThan(500);
    if (answer.status === 422) expect(answer.body.length).toBeLessThan(longestRefusal);
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  });
});

describe('a disruption budget of 8,000 requirements over 300 pods', () => {
  let own: HostileServer;
  const pods = '/api/v1/namespaces/budgets/pods';
  const budgets = '/apis/policy/v1/namespaces/budgets/poddisruptionbudgets';
  const podCount = 300;
  const requirements = Array.from({ length: 8000 }, (_, i) => ({ key: `absent-${i}`, operator: 'DoesNotExist' }));
  const post = async (path: string, body: object) => {
    const answer = await own.call({ path, body: JSON.stringify(body) });
    expect(answer.status, answer.body.slice(0, 300)).toBe(201);
  };

  // what other tests store, such as webhooks, stands in the way of pods
  beforeAll(async () => {
    own = await startHostileServer();
    await post('/api/v1/namespaces', { metadata: { name: 'budgets' } });
    const spec = { containers: [{ name: 'one', image: 'i' }] };
    const podOf = (i: number) => ({ metadata: { name: `pod-${i}`, labels: { app: 'a' } }, spec });
    await eventually(async () => {
      const { status } = await own.call({
        method: 'GET',
        path: '/api/v1/namespaces/budgets/serviceaccounts/default',
      });
      expect(status).toBe(200);
    });
    await Promise.all(Array.from({ length: podCount }, (_, i) => post(pods, podOf(i))));
  });

  afterAll(() => own.close());

  /** Resolves when the controller has counted the pods after one of them changed. */
  async function useBudget(name: string): Promise<void> {
    const path = `${budgets}/${name}`;
    const selector = { matchLabels: { app: 'a' }, matchExpressions: requirements };
    await post(budgets, { metadata: { name }, spec: { minAvailable: 1, selector } });
    await expectPods(path, podCount);
    await label('pod-0', 'b');
    await expectPods(path, podCount - 1);
    await label('pod-0', 'a');
    await expectPods(path, podCount);
    expect((await own.call({ method: 'DELETE', path })).status).toBe(200);
  }
  async function label(name: string, app: string): Promise<void> {
    const body = JSON.stringify({ metadata: { labels: { app } } });
    const type = 'application/merge-patch+json';
    expect((await own.call({ method: 'PATCH', path: `${pods}/${name}`, type, body })).status).toBe(200);
  }
  const expectPods = (path: string, count: number) =>
    eventually(async () => {
      const { body } = await own.call({ method: 'GET', path });
      expect(JSON.parse(body).status?.expectedPods).toBe(count);
    });

  test('is counted while another client is answered within 150 ms', async () => {
    let attempt = 0;
    await expectLess(maxWaitMs, () => own.longestWaitDuring(() => useBudget(`budget-${attempt++}`)));
  });
});
