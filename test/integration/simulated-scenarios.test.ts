// Facts that Kubernetes' own end-to-end tests of workloads check, on simulated nodes: docs/simulated-scenarios.md lists them.

import { expect, test } from 'vitest';
import { eventually, turns as pause } from './eventually.ts';
import { nodes, pods, startNodes } from './simulated-nodes.ts';
import { inDefault } from './workloads.ts';

type It = Awaited<ReturnType<typeof startNodes>>;

interface FoundPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] };
  readonly status: { readonly phase: string };
}

const start = (count = 1) => startNodes({ simulate: ['workloads', `nodes=${count}`] });
const minute = 60_000;
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const annotated = (name: string, value: string) => ({ [`simulation.keelson.dev/${name}`]: value });

const template = (spec: object = {}, annotations: object = {}, image = 'nginx:1') => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: 'c', image }], ...spec },
});

const listPods = async (it: It): Promise<readonly FoundPod[]> => (await it.api.get(pods)).body.items;

const namesAre = (it: It, ...names: readonly string[]) =>
  eventually(async () => expect((await listPods(it)).map(({ metadata }) => metadata.name).sort()).toEqual(names));

const annotatePod = (it: It, name: string, annotations: object) =>
  it.api.patch('merge', `${pods}/${name}`, { metadata: { annotations } });

const statefulSets = inDefault('apps', 'statefulsets');
const probe = { containers: [{ name: 'c', image: 'nginx:1', readinessProbe: { httpGet: { port: 80 } } }] };

const createSet = (it: It, spec: object) =>
  it.create(statefulSets, {
    metadata: { name: 'db' },
    spec: { serviceName: 'db', replicas: 2, selector, template: template(probe), ...spec },
  });

test('stateful sets: scale up halts while a pod is not ready', async () => {
  await using it = await start();
  await createSet(it, { replicas: 1 });
  await it.settled(`${statefulSets}/db`, { status: { readyReplicas: 1 } });
  await annotatePod(it, 'db-0', annotated('never-ready', 'true'));
  await it.settled(`${pods}/db-0`, { status: { containerStatuses: [{ ready: false }] } });
  await it.api.patch('merge', `${statefulSets}/db`, { spec: { replicas: 3 } });
  await pause();
  await namesAre(it, 'db-0');
  await annotatePod(it, 'db-0', { 'simulation.keelson.dev/never-ready': null });
  await namesAre(it, 'db-0', 'db-1', 'db-2');
});

test('stateful sets: with parallel pods, scaling does not wait for those that are not ready', async () => {
  await using it = await start();
  await createSet(it, { podManagementPolicy: 'Parallel', template: template(probe, annotated('never-ready', 'true')) });
  await namesAre(it, 'db-0', 'db-1');
  await it.api.patch('merge', `${statefulSets}/db`, { spec: { replicas: 4 } });
  await namesAre(it, 'db-0', 'db-1', 'db-2', 'db-3');
  await it.api.patch('merge', `${statefulSets}/db`, { spec: { replicas: 1 } });
  await eventually(async () => {
    const left = (await listPods(it)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['db-0']);
  });
});

test('stateful sets: a pod that failed is made again with its name', async () => {
  await using it = await start();
  await createSet(it, { replicas: 1 });
  const { metadata } = await it.settled(`${pods}/db-0`, { status: { phase: 'Running' } });
  await it.api.patch('merge', `${pods}/db-0/status`, { status: { phase: 'Failed', reason: 'Evicted' } });
  const again = await eventually(async () => {
    const { body } = await it.api.get(`${pods}/db-0`);
    expect(body.status.phase).toBe('Running');
    expect(body.metadata.uid).not.toBe(metadata.uid);
    return body;
  });
  expect(again.metadata.name).toBe('db-0');
});

test('stateful sets: with OnDelete a pod has the new template once it was deleted', async () => {
  await using it = await start();
  await createSet(it, { updateStrategy: { type: 'OnDelete' } });
  await it.settled(`${statefulSets}/db`, { status: { readyReplicas: 2 } });
  await it.api.patch('merge', `${statefulSets}/db`, { spec: { template: template({}, {}, 'nginx:2') } });
  await it.settled(`${statefulSets}/db`, { status: { observedGeneration: 2 } });
  await it.api.delete(`${pods}/db-1`);
  await it.settled(`${pods}/db-1`, { spec: { containers: [{ image: 'nginx:2' }] } });
  await it.settled(`${pods}/db-0`, { spec: { containers: [{ image: 'nginx:1' }] } });
});

const deployments = inDefault('apps', 'deployments');

test('deployments: another change during a rollout replaces the pods of both before', async () => {
  await using it = await start();
  await it.create(deployments, { metadata: { name: 'web' }, spec: { replicas: 3, selector, template: template() } });
  await it.settled(`${deployments}/web`, { status: { readyReplicas: 3 } });
  const change = (image: string, annotations: object) =>
    it.api.patch('merge', `${deployments}/web`, { spec: { template: template({}, annotations, image) } });
  await change('nginx:2', annotated('pull-error', 'ErrImagePull'));
  await it.settled(`${deployments}/web`, { status: { updatedReplicas: 1, unavailableReplicas: 1 } });
  await change('nginx:3', { 'simulation.keelson.dev/pull-error': null });
  await it.settled(`${deployments}/web`, { status: { replicas: 3, updatedReplicas: 3, readyReplicas: 3 } });
  await eventually(async () => {
    const images = (await listPods(it)).map(({ spec }) => spec.containers[0]?.image);
    expect(images).toEqual(['nginx:3', 'nginx:3', 'nginx:3']);
  });
});

const jobs = inDefault('batch', 'jobs');

test('jobs: suspension deletes the pods that run, and an end of it makes them again', async () => {
  await using it = await start();
  const spec = {
    parallelism: 2,
    completions: 2,
    template: template({ restartPolicy: 'Never' }, annotated('run-seconds', '600')),
  };
  await it.create(jobs, { metadata: { name: 'work' }, spec });
  await it.settled(`${jobs}/work`, { status: { active: 2, ready: 2 } });
  await it.api.patch('merge', `${jobs}/work`, { spec: { suspend: true } });
  await it.settled(`${jobs}/work`, { status: { conditions: [{ type: 'Suspended', status: 'True' }] } });
  it.clock.advance(minute);
  await eventually(async () => expect(await listPods(it)).toEqual([]));
  await it.api.patch('merge', `${jobs}/work`, { spec: { suspend: false } });
  await it.settled(`${jobs}/work`, { status: { active: 2, conditions: [{ type: 'Suspended', status: 'False' }] } });
});

test('jobs: with another manager nothing happens', async () => {
  await using it = await start();
  const spec = { managedBy: 'example.com/queue', template: template({ restartPolicy: 'Never' }) };
  await it.create(jobs, { metadata: { name: 'work' }, spec });
  await it.create(jobs, { metadata: { name: 'other' }, spec: { template: template({ restartPolicy: 'Never' }) } });
  await it.settled(`${jobs}/other`, { status: { active: 1 } });
  expect((await it.api.get(`${jobs}/work`)).body.status).toEqual({});
});

const cronJobs = inDefault('batch', 'cronjobs');
const cronJob = (spec: object = {}) => ({
  metadata: { name: 'clock' },
  spec: { schedule: '*/1 * * * *', jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } }, ...spec },
});

test('cron jobs: run again after more than a hundred missed times, with the time in an annotation', async () => {
  await using it = await start();
  await it.create(cronJobs, cronJob({ suspend: true }));
  await pause();
  it.clock.advance(300 * minute);
  await it.api.patch('merge', `${cronJobs}/clock`, { spec: { suspend: false } });
  const { items } = await eventually(async () => {
    const { body } = await it.api.get(jobs);
    expect(body.items).toHaveLength(1);
    return body;
  });
  expect(items[0].metadata.annotations).toEqual({
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-01T05:00:00Z',
  });
  await it.settled(`${cronJobs}/clock`, { status: { active: [{ name: items[0].metadata.name }] } });
  await it.api.delete(`${jobs}/${items[0].metadata.name}?propagationPolicy=Background`);
  await eventually(async () => expect((await it.api.get(`${cronJobs}/clock`)).body.status.active).toBeUndefined());
});

const nodeOf = async (it: It, name: string) =>
  (await it.settled(`${pods}/${name}`, { status: { phase: 'Running' } })).spec.nodeName;
const portOf = (hostPort: number, hostIP?: string, protocol = 'TCP') => ({
  containers: [
    { name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort, protocol, ...(hostIP ? { hostIP } : {}) }] },
  ],
});

test('scheduler: host ports conflict with those of all addresses, and not with other addresses or protocols', async () => {
  await using it = await start();
  await it.createPod('first', portOf(8080, '127.0.0.1'));
  await it.createPod('address', portOf(8080, '127.0.0.2'));
  await it.createPod('protocol', portOf(8080, '127.0.0.1', 'UDP'));
  for (const name of ['first', 'address', 'protocol']) expect(await nodeOf(it, name)).toBe('node-0');
  await it.createPod('all', portOf(8080));
  const { status } = await it.settled(`${pods}/all`, { status: { conditions: [{ reason: 'Unschedulable' }] } });
  expect(status.conditions[0].message).toMatch(/^0\/1 nodes are available: 1 node\(s\) didn't have free ports/);
});

test('scheduler: four pods are spread evenly over two nodes', async () => {
  await using it = await start(2);
  const topologySpreadConstraints = [
    { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
  ];
  const replicaSets = inDefault('apps', 'replicasets');
  await it.create(replicaSets, {
    metadata: { name: 'web' },
    spec: { replicas: 4, selector, template: template({ topologySpreadConstraints }) },
  });
  await it.settled(`${replicaSets}/web`, { status: { readyReplicas: 4 } });
  const places = (await listPods(it)).map(({ spec }) => spec.nodeName).sort();
  expect(places).toEqual(['node-0', 'node-0', 'node-1', 'node-1']);
});

test('scheduler: the overhead of a runtime class counts as a request', async () => {
  await using it = await start();
  await it.create('/apis/node.k8s.io/v1/runtimeclasses', {
    ...{ metadata: { name: 'heavy' }, handler: 'heavy' },
    overhead: { podFixed: { cpu: '20' } },
  });
  await it.createPod('first', { runtimeClassName: 'heavy' });
  expect(await nodeOf(it, 'first')).toBe('node-0');
  await it.createPod('second', { runtimeClassName: 'heavy' });
  const { status } = await it.settled(`${pods}/second`, { status: { conditions: [{ reason: 'Unschedulable' }] } });
  expect(status.conditions[0].message).toContain('1 Insufficient cpu');
});

test('scheduler: pods rather run on nodes without taints that they do not tolerate', async () => {
  await using it = await start(2);
  await it.settled(`${nodes}/node-0`, {});
  await it.settled(`${nodes}/node-1`, {});
  await pause();
  await it.api.patch('merge', `${nodes}/node-0`, { spec: { taints: [{ key: 'rather', effect: 'PreferNoSchedule' }] } });
  await pause();
  for (const name of ['a', 'b', 'c']) await it.createPod(name);
  for (const name of ['a', 'b', 'c']) expect(await nodeOf(it, name)).toBe('node-1');
});

test('disruption budgets: keep a pod from eviction until they allow it', async () => {
  await using it = await start();
  const budgets = inDefault('policy', 'poddisruptionbudgets');
  await it.create(deployments, { metadata: { name: 'web' }, spec: { replicas: 2, selector, template: template() } });
  await it.create(budgets, { metadata: { name: 'web' }, spec: { selector, minAvailable: 2 } });
  await it.settled(`${deployments}/web`, { status: { readyReplicas: 2 } });
  await it.settled(`${budgets}/web`, { status: { currentHealthy: 2, disruptionsAllowed: 0 } });
  const [{ metadata } = { metadata: { name: '' } }] = await listPods(it);
  const evict = () => it.api.post(`${pods}/${metadata.name}/eviction`, { metadata: { name: metadata.name } });
  expect((await evict()).status).toBe(429);
  await it.api.patch('merge', `${budgets}/web`, { spec: { minAvailable: 1 } });
  await it.settled(`${budgets}/web`, { status: { disruptionsAllowed: 1 } });
  expect((await evict()).status).toBe(201);
});
