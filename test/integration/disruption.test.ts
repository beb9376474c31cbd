// Disruption budgets: what the controller says of them, and what evictions make of that.

import { expect, test } from 'vitest';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually } from './eventually.ts';

const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const replicaSets = '/apis/apps/v1/namespaces/default/replicasets';

async function start() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const controllers = ['disruption-controller'];
  const disableAdmissionPlugins = ['ServiceAccount'];
  const server = await startTestServer({ listen: false, clock, controllers, disableAdmissionPlugins });
  const api = apiOf(server);
  const made = async (path: string, object: object) => {
    const { status, body } = await api.post(path, object);
    expect([status, body.message]).toEqual([201, undefined]);
    return body;
  };
  const run = async (name: string, metadata: object = {}) => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await made(pods, { metadata: { name, labels: { app: 'a' }, ...metadata }, spec });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    expect((await api.patch('merge', `${pods}/${name}/status`, { status })).status).toBe(200);
  };
  const budget = (spec: object) =>
    made(budgets, { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'a' } }, ...spec } });
  const counts = (expected: object) =>
    eventually(async () => expect((await api.get(`${budgets}/b`)).body.status).toMatchObject(expected));
  const evict = (name: string) => api.post(`${pods}/${name}/eviction`, { metadata: { name } });
  return { clock, api, made, run, budget, counts, evict, [Symbol.asyncDispose]: () => server.close() };
}

test('a budget without pods allows nothing, and says so at once', async () => {
  await using it = await start();
  await it.budget({ minAvailable: 0 });
  await it.counts({
    observedGeneration: 1,
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'False',
        observedGeneration: 1,
        lastTransitionTime: '2030-01-01T00:00:00Z',
        reason: 'InsufficientPods',
        message: '',
      },
    ],
  });
});

test('a number of pods that have to stay: others may be evicted, one after the other', async () => {
  await using it = await start();
  for (const name of ['one', 'two', 'three']) await it.run(name);
  await it.budget({ minAvailable: 2 });
  const condition = { status: 'True', reason: 'SufficientPods' };
  await it.counts({
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    conditions: [condition],
  });
  expect((await it.evict('one')).status).toBe(201);
  await it.counts({ disruptionsAllowed: 0, currentHealthy: 2, expectedPods: 2 });
  const refused = await it.evict('two');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
  expect(refused.body.details.causes[0].message).toBe(
    'The disruption budget b needs 2 healthy pods and has 2 currently',
  );
});

test('a share of what the owners want: pods without an owner do not count', async () => {
  await using it = await start();
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 5, selector: { matchLabels: { app: 'a' } }, template };
  const { metadata } = await it.made(replicaSets, { metadata: { name: 'r' }, spec });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: metadata.uid, controller: true };
  await it.run('free');
  for (const name of ['one', 'two']) await it.run(name, { ownerReferences: [owner] });
  await it.budget({ maxUnavailable: '50%' });
  await it.counts({ disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 5 });
  await it.api.patch('merge', `${budgets}/b`, { spec: { maxUnavailable: null, minAvailable: '50%' } });
  await it.counts({ observedGeneration: 2, disruptionsAllowed: 0, desiredHealthy: 3, expectedPods: 5 });
});

test('a pod that was evicted and does not go counts again after two minutes', async () => {
  await using it = await start();
  for (const name of ['one', 'two']) await it.run(name, { finalizers: ['example.com/keep'] });
  await it.budget({ minAvailable: 1 });
  await it.counts({ disruptionsAllowed: 1 });
  const disruptedPods = { one: '2030-01-01T00:00:00Z' };
  const told = { status: { disruptionsAllowed: 0, disruptedPods } };
  expect((await it.api.patch('merge', `${budgets}/b/status`, told)).status).toBe(200);
  await it.counts({ currentHealthy: 1, disruptionsAllowed: 0, disruptedPods });
  await eventually(async () => {
    it.clock.advance(120_000);
    const { status } = (await it.api.get(`${budgets}/b`)).body;
    expect([status.currentHealthy, status.disruptedPods]).toEqual([2, undefined]);
  });
});

/** Events about one object, without the names and numbers of theirs. */
async function eventsOn(it: Awaited<ReturnType<typeof start>>, name: string) {
  const { items } = (await it.api.get('/api/v1/namespaces/default/events')).body;
  return items.filter((event: { involvedObject: { name: string } }) => event.involvedObject.name === name);
}

test('a budget without pods has an event, which is counted when it happens again', async () => {
  await using it = await start();
  const { metadata } = await it.budget({ minAvailable: 1 });
  await eventually(async () => expect((await eventsOn(it, 'b'))[0]?.count).toBeGreaterThan(0));
  const [{ count }] = await eventsOn(it, 'b');
  it.clock.advance(1000);
  await it.api.patch('merge', `${budgets}/b`, { metadata: { labels: { a: 'b' } } });
  await eventually(async () =>
    expect((await eventsOn(it, 'b'))[0]).toMatchObject({ lastTimestamp: '2030-01-01T00:00:01Z' }),
  );
  expect((await eventsOn(it, 'b'))[0].count).toBeGreaterThan(count);
  expect(await eventsOn(it, 'b')).toEqual([
    expect.objectContaining({
      type: 'Normal',
      reason: 'NoPods',
      message: 'No matching pods found',
      source: { component: 'controllermanager' },
      reportingComponent: 'controllermanager',
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:01Z',
      involvedObject: expect.objectContaining({
        kind: 'PodDisruptionBudget',
        apiVersion: 'policy/v1',
        namespace: 'default',
        uid: metadata.uid,
      }),
    }),
  ]);
});

test('a share of pods that have no controller, or an unknown one, cannot be counted: events say so', async () => {
  await using it = await start();
  await it.run('alone');
  await it.budget({ minAvailable: '50%' });
  const reasons = async () =>
    (await eventsOn(it, 'b')).map(({ type, reason }: Record<string, string>) => [type, reason]);
  await eventually(async () => expect(await reasons()).toEqual([['Warning', 'UnmanagedPods']]));
  const uid = '00000000-0000-0000-0000-000000000001';
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid, controller: true };
  await it.run('lost', { ownerReferences: [owner] });
  await eventually(async () => expect(await reasons()).toContainEqual(['Warning', 'CalculateExpectedPodCountFailed']));
});

test('a pod that does not go after its eviction has an event, and its condition is taken back', async () => {
  await using it = await start();
  await it.run('stays');
  await it.budget({ minAvailable: 0 });
  await it.counts({ expectedPods: 1 });
  const condition = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' };
  const told = { status: { conditions: [condition] } };
  expect((await it.api.patch('strategic', `${pods}/stays/status`, told)).status).toBe(200);
  const disruptedPods = { stays: '2030-01-01T00:00:00Z' };
  expect((await it.api.patch('merge', `${budgets}/b/status`, { status: { disruptedPods } })).status).toBe(200);
  const target = async () => {
    const { conditions } = (await it.api.get(`${pods}/stays`)).body.status;
    return conditions.find(({ type }: { type: string }) => type === 'DisruptionTarget');
  };
  expect(await target()).toMatchObject({ status: 'True' });
  await eventually(async () => {
    it.clock.advance(30_000);
    const { status, reason, observedGeneration } = await target();
    expect({ status, reason, observedGeneration }).toEqual({
      status: 'False',
      reason: undefined,
      observedGeneration: 1,
    });
  });
  expect(it.clock.now() - Date.parse('2030-01-01T00:00:00Z')).toBeGreaterThanOrEqual(120_000);
  await eventually(async () =>
    expect(await eventsOn(it, 'stays')).toEqual([
      expect.objectContaining({
        type: 'Warning',
        reason: 'NotDeleted',
        message: "Pod was expected by PDB default/b to be deleted but it wasn't",
      }),
    ]),
  );
});
