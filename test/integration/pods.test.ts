// Pods through the API: what they become, what may change, binding, eviction, tables.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  // pods with made-up owners would be collected
  server = await startTestServer({ listen: false, controllers: [], disableAdmissionPlugins: ['ServiceAccount'] });
  api = apiOf(server);
});
afterAll(() => server.close());

const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'img:1' }], ...spec },
});
const make = async (name: string, spec?: object, metadata?: object) => {
  const { status, body } = await api.post(pods, pod(name, spec, metadata));
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const causes = (body: { details?: { causes?: { field: string }[] } }) =>
  body.details?.causes?.map(({ field }) => field);

describe('create', () => {
  test('says what is known of a pod that no node runs, whatever the client says', async () => {
    const sent = { ...pod('fresh'), status: { phase: 'Running', podIP: '10.0.0.1' } };
    const { body } = await api.post(pods, sent);
    expect(body.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(body.metadata.generation).toBe(1);
    expect(body.spec).toMatchObject({ restartPolicy: 'Always', enableServiceLinks: true });
  });

  test('holds a pod with gates, and says so', async () => {
    const { status } = await make('gated', { schedulingGates: [{ name: 'example.com/g' }] });
    expect(status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]);
  });

  test('writes label keys out as the pod has them', async () => {
    const term = { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['app'], mismatchLabelKeys: ['rev'] };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const { spec } = await make('keys', { affinity }, { labels: { app: 'a', rev: '2' } });
    const [made] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect(made.labelSelector.matchExpressions).toEqual([
      { key: 'app', operator: 'In', values: ['a'] },
      { key: 'rev', operator: 'NotIn', values: ['2'] },
    ]);
  });

  test('refuses what is wrong, all at once', async () => {
    const { status, body } = await api.post(
      pods,
      pod('bad', { containers: [{ name: 'C' }], ephemeralContainers: [{ name: 'e', image: 'i' }] }),
    );
    expect(status).toBe(422);
    expect(causes(body)).toEqual(['spec.containers[0].name', 'spec.containers[0].image', 'spec.ephemeralContainers']);
  });
});

test('privileged containers are let in only where the server was told so', async () => {
  const containers = [{ name: 'c', image: 'i', securityContext: { privileged: true } }];
  const refused = await api.post(pods, pod('mighty', { containers }));
  expect(causes(refused.body)).toEqual(['spec.containers[0].securityContext.privileged']);
  await using generous = await startTestServer({ listen: false, allowPrivileged: true });
  expect((await apiOf(generous).post(pods, pod('mighty', { containers }))).status).toBe(201);
});

describe('update', () => {
  test.each([
    ['the image', { containers: [{ name: 'c', image: 'img:2' }] }],
    ['a deadline', { activeDeadlineSeconds: 60 }],
    ['another toleration', { tolerations: [{ key: 'k', operator: 'Exists' }] }],
  ])('may change %s, which is a new generation', async (what, spec) => {
    const name = `may-${what.replaceAll(' ', '-')}`;
    await make(name);
    const { status, body } = await api.patch('strategic', `${pods}/${name}`, { spec });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.metadata.generation).toBe(2);
  });

  test.each([
    ['restart-policy', { restartPolicy: 'Never' }, 'spec'],
    ['command', { containers: [{ name: 'c', command: ['x'] }] }, 'spec'],
    ['containers', { containers: [{ name: 'd', image: 'i' }] }, 'spec.containers'],
    ['gates', { schedulingGates: [{ name: 'example.com/g' }] }, 'spec.schedulingGates[0].name'],
  ])('may not change %s', async (what, spec, field) => {
    await make(`not-${what}`);
    const { status, body } = await api.patch('strategic', `${pods}/not-${what}`, { spec });
    expect(status).toBe(422);
    expect(causes(body)).toContain(field);
  });

  test('a deadline only comes closer', async () => {
    await make('deadline', { activeDeadlineSeconds: 10 });
    for (const value of [20, null]) {
      const { body } = await api.patch('merge', `${pods}/deadline`, { spec: { activeDeadlineSeconds: value } });
      expect(causes(body)).toEqual(['spec.activeDeadlineSeconds']);
    }
  });

  test('a gated pod may choose its nodes more narrowly', async () => {
    await make('narrow', { schedulingGates: [{ name: 'example.com/g' }], nodeSelector: { a: 'b' } });
    const wider = await api.patch('merge', `${pods}/narrow`, { spec: { nodeSelector: { a: null } } });
    expect(wider.status).toBe(422);
    const narrower = await api.patch('merge', `${pods}/narrow`, { spec: { nodeSelector: { c: 'd' } } });
    expect(narrower.body.spec.nodeSelector).toEqual({ a: 'b', c: 'd' });
    const released = await api.patch('merge', `${pods}/narrow`, { spec: { schedulingGates: null } });
    expect(released.status).toBe(200);
  });
});

describe('status', () => {
  test('is reported with labels, and keeps owners and class of service', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' };
    await make('reported', {}, { ownerReferences: [owner] });
    const { body } = await api.patch('merge', `${pods}/reported/status`, {
      metadata: { labels: { x: 'y' }, ownerReferences: null },
      spec: { restartPolicy: 'Never' },
      status: { phase: 'Running', podIP: '10.1.2.3' },
    });
    expect(body.status).toEqual({
      phase: 'Running',
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      qosClass: 'BestEffort',
    });
    expect(body.metadata).toMatchObject({ labels: { x: 'y' }, ownerReferences: [owner], generation: 1 });
    expect(body.spec.restartPolicy).toBe('Always');
  });

  test('does not bring a container back that ended for good', async () => {
    await make('ended', { restartPolicy: 'Never' });
    const state = (now: object) => ({
      status: {
        containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: now }],
      },
    });
    const end = await api.patch('merge', `${pods}/ended/status`, state({ terminated: { exitCode: 1 } }));
    expect(end.status, JSON.stringify(end.body)).toBe(200);
    const back = await api.patch('merge', `${pods}/ended/status`, state({ terminated: null, running: {} }));
    expect(causes(back.body)).toEqual(['status.containerStatuses[0].state']);
  });
});

describe('binding', () => {
  const binding = (name: string, node: string, metadata: object = {}) => ({
    metadata: { name, ...metadata },
    target: { kind: 'Node', name: node },
  });

  test('assigns a node once', async () => {
    await make('bound');
    const { status, body } = await api.post(
      `${pods}/bound/binding`,
      binding('bound', 'n1', { annotations: { a: 'b' } }),
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', code: 201 });
    const made = (await api.get(`${pods}/bound`)).body;
    expect(made.spec.nodeName).toBe('n1');
    expect(made.metadata).toMatchObject({ annotations: { a: 'b' }, generation: 1 });
    expect(made.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
    const again = await api.post(`${pods}/bound/binding`, binding('bound', 'n2'));
    expect(again.status).toBe(409);
    expect(again.body.message).toBe(
      'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "n1"',
    );
  });

  test('may be posted as its own object', async () => {
    await make('bound-too');
    const path = '/api/v1/namespaces/default/bindings';
    expect((await api.post(path, binding('bound-too', 'n1'))).status).toBe(201);
    expect((await api.get(`${pods}/bound-too`)).body.spec.nodeName).toBe('n1');
  });

  test.each([
    ['a missing pod', 'none', binding('none', 'n'), 404],
    ['another name', 'fresh', binding('other', 'n'), 400],
    ['no node', 'fresh', { metadata: { name: 'fresh' }, target: {} }, 500],
    ['a gated pod', 'gated', binding('gated', 'n'), 409],
  ])('refuses %s', async (_, name, body, status) => {
    expect((await api.post(`${pods}/${name}/binding`, body)).status).toBe(status);
  });
});

describe('ephemeral containers', () => {
  test('are added through their own subresource, and stay', async () => {
    await make('debugged');
    const path = `${pods}/debugged/ephemeralcontainers`;
    const added = await api.patch('strategic', path, {
      spec: { ephemeralContainers: [{ name: 'd', image: 'i' }], restartPolicy: 'Never' },
    });
    expect(added.body.spec).toMatchObject({
      restartPolicy: 'Always',
      ephemeralContainers: [{ name: 'd', imagePullPolicy: 'Always' }],
    });
    expect(added.body.metadata.generation).toBe(2);
    const gone = await api.patch('merge', path, { spec: { ephemeralContainers: [] } });
    expect(causes(gone.body)).toEqual(['spec.ephemeralContainers']);
  });
});

test('who changes more than may change sees what it was', async () => {
  await make('fixed', { containers: [{ name: 'c', image: 'img:1', ports: [{ containerPort: 80 }] }] });
  const { status, body } = await api.patch('json', `${pods}/fixed`, [
    { op: 'replace', path: '/spec/containers/0/ports/0/containerPort', value: 8080 },
  ]);
  expect(status).toBe(422);
  const [cause] = body.details.causes;
  expect(cause).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec' });
  expect(cause.message).toMatch(
    /^Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,.*\n@@ -\d+,7 \+\d+,7 @@\n.*- {5}"ContainerPort": 80,\n\+ {5}"ContainerPort": 8080,\n/s,
  );
});

describe('resize', () => {
  const sized = (cpu: string) => [{ name: 'c', image: 'img:1', resources: { requests: { cpu } } }];

  test('changes cpu and memory, and not the class of service', async () => {
    await make('sized', { containers: sized('1') });
    const grown = await api.patch('strategic', `${pods}/sized/resize`, { spec: { containers: sized('2') } });
    expect(grown.status, JSON.stringify(grown.body)).toBe(200);
    expect(grown.body.spec.containers[0].resources.requests.cpu).toBe('2');
    const limits = { cpu: '2', memory: '1Gi' };
    const other = await api.patch('strategic', `${pods}/sized/resize`, {
      spec: { containers: [{ name: 'c', resources: { limits, requests: limits } }] },
    });
    expect(causes(other.body)).toContain('spec');
    const plain = await api.patch('strategic', `${pods}/sized`, { spec: { containers: sized('3') } });
    expect(plain.status).toBe(422);
  });
});

describe('eviction', () => {
  const evict = (name: string, options?: object) =>
    api.post(`${pods}/${name}/eviction`, {
      kind: 'Eviction',
      apiVersion: 'policy/v1',
      metadata: { name },
      ...(options ? { deleteOptions: options } : {}),
    });
  const run = async (name: string, app: string) => {
    await make(name, {}, { labels: { app } });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    expect((await api.patch('merge', `${pods}/${name}/status`, { status })).status).toBe(200);
  };
  const budget = async (app: string, status: object) => {
    const made = await api.post(budgets, { metadata: { name: app }, spec: { selector: { matchLabels: { app } } } });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const told = {
      status: {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
        ...status,
      },
    };
    expect((await api.patch('merge', `${budgets}/${app}/status`, told)).status).toBe(200);
  };

  test('may be asked for in the version of old', async () => {
    await run('aged', 'aged');
    const sent = { kind: 'Eviction', apiVersion: 'policy/v1beta1', metadata: { name: 'aged' } };
    expect((await api.post(`${pods}/aged/eviction?dryRun=All`, sent)).status).toBe(201);
    const unknown = { ...sent, apiVersion: 'policy/v2' };
    expect((await api.post(`${pods}/aged/eviction?dryRun=All`, unknown)).status).toBe(400);
  });

  test('removes a pod that no budget covers', async () => {
    await run('free', 'free');
    expect(await evict('free')).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } });
    expect((await api.get(`${pods}/free`)).status).toBe(404);
  });

  test('is refused by a budget that has nothing left', async () => {
    await run('kept', 'kept');
    await budget('kept', {});
    const { status, body } = await evict('kept');
    expect(status).toBe(429);
    expect(body).toMatchObject({
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget kept needs 1 healthy pods and has 1 currently',
          },
        ],
      },
    });
    expect((await api.get(`${pods}/kept`)).status).toBe(200);
  });

  test('takes one from a budget that has some, and asks for patience while a budget is being counted', async () => {
    await run('spent-1', 'spent');
    await run('spent-2', 'spent');
    await budget('spent', { disruptionsAllowed: 1 });
    const preview = await evict('spent-1', { dryRun: ['All'] });
    expect(preview.status).toBe(201);
    expect((await evict('spent-1')).status).toBe(201);
    const { status } = (await api.get(`${budgets}/spent`)).body;
    expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { 'spent-1': expect.any(String) } });
    expect((await evict('spent-2')).status).toBe(429);
    await api.patch('merge', `${budgets}/spent`, { spec: { maxUnavailable: 1 } });
    const counted = await evict('spent-2');
    expect(counted.headers.get('retry-after')).toBe('10');
  });

  test('does not ask about a pod that does not run', async () => {
    await make('idle', {}, { labels: { app: 'kept' } });
    expect((await evict('idle')).status).toBe(201);
  });

  test.each(['Pending', 'Running', 'Failed'])('says on a %s pod why it goes, and owns nothing of it', async (phase) => {
    const name = `told-${phase.toLowerCase()}`;
    await make(name, {}, { finalizers: ['example.com/wait'] });
    const { body: before } = await api.patch('merge', `${pods}/${name}/status`, { status: { phase } });
    expect((await evict(name)).status).toBe(201);
    const { metadata, status } = (await api.get(`${pods}/${name}`)).body;
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(metadata.managedFields).toEqual(before.metadata.managedFields);
    expect(status.conditions).toEqual([
      {
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: expect.any(String),
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      },
    ]);
  });

  test('is for the pod of the URL, and for the pod that was meant', async () => {
    await run('meant', 'meant');
    const other = await api.post(`${pods}/meant/eviction`, { metadata: { name: 'x' } });
    expect(other.status).toBe(400);
    expect((await evict('meant', { preconditions: { uid: 'other' } })).status).toBe(409);
    expect((await evict('none')).status).toBe(404);
  });
});

describe('tables and selectors', () => {
  test('pods in a line', async () => {
    await make('shown', { readinessGates: [{ conditionType: 'x/y' }] }, { labels: { in: 'table' } });
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const { body } = await api.get(`${pods}?labelSelector=in%3Dtable`, { accept });
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
      'IP',
      'Node',
      'Nominated Node',
      'Readiness Gates',
    ]);
    const age = expect.any(String);
    expect(body.rows[0].cells).toEqual(['shown', '0/1', 'Pending', '0', age, '<none>', '<none>', '<none>', '0/1']);
  });

  test('select by node', async () => {
    const { body } = await api.get(`${pods}?fieldSelector=spec.nodeName%3Dn1,status.phase%3DPending`);
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      'bound',
      'bound-too',
    ]);
  });
});

describe('nodes and controllers', () => {
  const nodes = '/api/v1/nodes';

  test('a node keeps its ranges and its provider', async () => {
    const made = await api.post(nodes, {
      metadata: { name: 'fixed' },
      spec: { podCIDR: '10.1.0.0/24', providerID: 'x://1' },
      status: { capacity: { cpu: '4' } },
    });
    expect(made.body.spec.podCIDRs).toEqual(['10.1.0.0/24']);
    expect(made.body.status.allocatable).toEqual({ cpu: '4' });
    const moved = await api.patch('merge', `${nodes}/fixed`, {
      spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'], providerID: 'x://2' },
    });
    expect(causes(moved.body)).toEqual(['spec.podCIDRs', 'spec.providerID']);
    const cordoned = await api.patch('merge', `${nodes}/fixed`, { spec: { unschedulable: true } });
    expect(cordoned.status).toBe(200);
    const found = await api.get(`${nodes}?fieldSelector=spec.unschedulable%3Dtrue`);
    expect(found.body.items).toHaveLength(1);
  });

  test('a node with odd taints and ranges is refused at the fields that clients know', async () => {
    const spec = { podCIDR: 'x', taints: [{ key: 'a', effect: 'Odd' }] };
    const { body } = await api.post(nodes, { metadata: { name: 'odd' }, spec });
    expect(causes(body)).toEqual(['metadata.taints[0].effect', 'spec.podCIDRs[0]']);
  });

  test('a replication controller takes labels and selector from its template', async () => {
    const path = '/api/v1/namespaces/default/replicationcontrollers';
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const { body } = await api.post(path, { metadata: { name: 'rc' }, spec: { template } });
    expect(body.metadata.labels).toEqual({ app: 'a' });
    expect(body.spec).toMatchObject({ replicas: 1, selector: { app: 'a' } });
    const wrong = await api.post(path, { metadata: { name: 'rc2' }, spec: { selector: { app: 'b' }, template } });
    expect(causes(wrong.body)).toEqual(['spec.template.metadata.labels']);
  });
});
