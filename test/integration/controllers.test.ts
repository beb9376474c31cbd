// The smaller controllers, each through the API, with a clock that jumps.

import { describe, expect, test } from 'vitest';
import { OptionError, type ServerOptions } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';

async function start(options: ServerOptions = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const server = await startTestServer({ listen: false, clock, ...options });
  return { clock, api: apiOf(server), [Symbol.asyncDispose]: () => server.close() };
}

const inDefault = (plural: string) => `/api/v1/namespaces/default/${plural}`;
const containers = (resources: object = {}) => [{ name: 'c', image: 'i', resources }];

async function made(api: Api, path: string, object: object): Promise<void> {
  const { status, body } = await api.post(path, object);
  expect([status, body.message]).toEqual([201, undefined]);
}

describe('quotas', () => {
  test('show what is used, and what no longer is', async () => {
    await using it = await start();
    const { api, clock } = it;
    const hard = { pods: '10', 'requests.cpu': '4', 'limits.memory': '8Gi', configmaps: '5', 'count/secrets': '3' };
    await made(api, inDefault('resourcequotas'), { metadata: { name: 'q' }, spec: { hard } });
    const used = async () => (await api.get(`${inDefault('resourcequotas')}/q`)).body.status?.used;
    await made(api, inDefault('pods'), {
      metadata: { name: 'a' },
      spec: { containers: containers({ requests: { cpu: '250m' }, limits: { memory: '1Gi' } }) },
    });
    await made(api, inDefault('pods'), {
      metadata: { name: 'b' },
      spec: { containers: containers({ requests: { cpu: '1' }, limits: { memory: '512Mi' } }) },
    });
    await made(api, inDefault('secrets'), { metadata: { name: 's' } });
    await eventually(async () => {
      clock.advance(200);
      expect(await used()).toEqual({
        ...{ configmaps: '1', 'count/secrets': '1', pods: '2' },
        ...{ 'limits.memory': '1536Mi', 'requests.cpu': '1250m' },
      });
    });
    await api.delete(`${inDefault('pods')}/b`);
    await eventually(async () => {
      clock.advance(200);
      expect(await used()).toMatchObject({ pods: '1', 'requests.cpu': '250m' });
    });
  });

  test('count only what is in their scopes', async () => {
    await using it = await start();
    const { api, clock } = it;
    const spec = { hard: { pods: '10' }, scopes: ['BestEffort'] };
    await made(api, inDefault('resourcequotas'), { metadata: { name: 'q' }, spec });
    await made(api, inDefault('pods'), { metadata: { name: 'light' }, spec: { containers: containers() } });
    const heavy = containers({ requests: { cpu: '1' } });
    await made(api, inDefault('pods'), { metadata: { name: 'heavy' }, spec: { containers: heavy } });
    await eventually(async () => {
      clock.advance(200);
      const { status } = (await api.get(`${inDefault('resourcequotas')}/q`)).body;
      expect(status).toEqual({ hard: { pods: '10' }, used: { pods: '1' } });
    });
  });

  test('of several scopes side by side each count their own', async () => {
    await using it = await start();
    const { api, clock } = it;
    const selector = (scopeName: string, operator: string, values?: string[]) => ({
      scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values ? { values } : {}) }] },
    });
    const quotas = {
      lasting: { hard: { pods: '9', 'requests.cpu': '9' }, scopes: ['NotTerminating', 'NotBestEffort'] },
      ending: { hard: { 'count/pods': '9', 'count/configmaps': '9' }, scopes: ['Terminating'] },
      high: { hard: { pods: '9' }, ...selector('PriorityClass', 'In', ['high']) },
      crossing: { hard: { pods: '9' }, ...selector('CrossNamespacePodAffinity', 'Exists') },
      gold: {
        hard: { persistentvolumeclaims: '9', 'requests.storage': '9Gi' },
        ...selector('VolumeAttributesClass', 'In', ['gold']),
      },
      unknown: { hard: { 'count/trees.example.com': '1', pods: '9' } },
    };
    for (const [name, spec] of Object.entries(quotas))
      await made(api, inDefault('resourcequotas'), { metadata: { name }, spec });
    await made(api, '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 5 });
    const pod = (name: string, spec: object) => made(api, inDefault('pods'), { metadata: { name }, spec });
    await pod('web', { containers: containers({ requests: { cpu: '2' } }) });
    await pod('batch', { containers: containers({ requests: { cpu: '4' } }), activeDeadlineSeconds: 60 });
    await pod('important', { containers: containers(), priorityClassName: 'high', priority: 5 });
    const term = { topologyKey: 'zone', namespaces: ['kube-system'] };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await pod('shy', { containers: containers(), affinity });
    for (const [name, volumeAttributesClassName] of [
      ['fast', 'gold'],
      ['slow', 'silver'],
    ])
      await made(api, inDefault('persistentvolumeclaims'), {
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '3Gi' } },
          volumeAttributesClassName,
        },
      });
    await eventually(async () => {
      clock.advance(200);
      const { items } = (await api.get(inDefault('resourcequotas'))).body;
      const used = items.map((quota: { metadata: { name: string }; status: { used: object } }) => [
        quota.metadata.name,
        quota.status.used,
      ]);
      expect(Object.fromEntries(used)).toEqual({
        lasting: { pods: '1', 'requests.cpu': '2' },
        ending: { 'count/pods': '1', 'count/configmaps': '0' },
        high: { pods: '1' },
        crossing: { pods: '1' },
        gold: { persistentvolumeclaims: '1', 'requests.storage': '3Gi' },
        unknown: { pods: '4' },
      });
    });
  });
});

test('cluster roles are made of others, and follow them', async () => {
  await using it = await start();
  const { api } = it;
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
  const labels = { into: 'sum' };
  await made(api, roles, { metadata: { name: 'part-b', labels }, rules: [rule('pods'), rule('nodes')] });
  await made(api, roles, {
    metadata: { name: 'sum' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
    rules: [],
  });
  await made(api, roles, { metadata: { name: 'part-a', labels }, rules: [rule('pods')] });
  const rules = async () => (await api.get(`${roles}/sum`)).body.rules;
  await eventually(async () => expect(await rules()).toEqual([rule('pods'), rule('nodes')]));
  await api.delete(`${roles}/part-b`);
  await eventually(async () => expect(await rules()).toEqual([rule('pods')]));
});

describe('claims and volumes', () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

  test('a claim outlives its deletion while a pod uses it', async () => {
    await using it = await start();
    const { api } = it;
    await made(api, inDefault('persistentvolumeclaims'), { metadata: { name: 'disk' }, spec });
    const claim = `${inDefault('persistentvolumeclaims')}/disk`;
    expect((await api.get(claim)).body.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }];
    await made(api, inDefault('pods'), {
      metadata: { name: 'user' },
      spec: { nodeName: 'n', containers: containers(), volumes },
    });
    await api.delete(claim);
    await turns();
    expect((await api.get(claim)).body.metadata.deletionTimestamp).toBeDefined();
    await api.delete(`${inDefault('pods')}/user?gracePeriodSeconds=0`);
    await gone(api, claim);
  });

  test('a class of volume attributes outlives its deletion while a claim names it', async () => {
    await using it = await start();
    const { api } = it;
    const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses';
    const quick = { metadata: { name: 'quick' }, driverName: 'd.example.com', parameters: { iops: '1' } };
    await made(api, classes, quick);
    const path = `${classes}/quick`;
    expect((await api.get(path)).body.metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
    const claims = inDefault('persistentvolumeclaims');
    await made(api, claims, { metadata: { name: 'fast' }, spec: { ...spec, volumeAttributesClassName: 'quick' } });
    await api.delete(path);
    await turns();
    expect((await api.get(path)).body.metadata.deletionTimestamp).toBeDefined();
    await api.delete(`${claims}/fast`);
    await gone(api, path);
  });

  test('a volume outlives its deletion while it is bound', async () => {
    await using it = await start();
    const { api } = it;
    const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } };
    await made(api, '/api/v1/persistentvolumes', { metadata: { name: 'v' }, spec: volume });
    const path = '/api/v1/persistentvolumes/v';
    await api.patch('merge', `${path}/status`, { status: { phase: 'Bound' } });
    await api.delete(path);
    await turns();
    expect((await api.get(path)).body.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    await api.patch('merge', `${path}/status`, { status: { phase: 'Released' } });
    await gone(api, path);
  });

  test('a class of attributes outlives its deletion while a claim names it', async () => {
    await using it = await start();
    const { api } = it;
    const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses';
    await made(api, classes, { metadata: { name: 'fast' }, driverName: 'd.example.com', parameters: { iops: '9' } });
    const path = `${classes}/fast`;
    expect((await api.get(path)).body.metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
    const claims = inDefault('persistentvolumeclaims');
    await made(api, claims, { metadata: { name: 'user' }, spec: { ...spec, volumeAttributesClassName: 'fast' } });
    await api.delete(path);
    await turns();
    expect((await api.get(path)).body.metadata.deletionTimestamp).toBeDefined();
    await api.delete(`${claims}/user`);
    await gone(api, path);
  });
});

test('a job that is over goes when its time has come, and not before', async () => {
  await using it = await start();
  const { api, clock } = it;
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { restartPolicy: 'Never', containers: containers() } };
  await made(api, jobs, { metadata: { name: 'j' }, spec: { ttlSecondsAfterFinished: 3600, template } });
  const times = { lastProbeTime: '2030-01-01T00:00:00Z', lastTransitionTime: '2030-01-01T00:00:00Z' };
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', ...times }));
  const status = { conditions, startTime: times.lastProbeTime, completionTime: times.lastProbeTime };
  expect((await api.patch('merge', `${jobs}/j/status`, { status })).status).toBe(200);
  await turns();
  clock.advance(3_599_000);
  await turns();
  expect((await api.get(`${jobs}/j`)).status).toBe(200);
  clock.advance(1000);
  await gone(api, `${jobs}/j`);
});

describe('the choice of controllers', () => {
  test('leaves out what is switched off', async () => {
    await using it = await start({ controllers: ['*', '-serviceaccount', '-garbagecollector'] });
    const { api } = it;
    await eventually(async () =>
      expect((await api.get(`${inDefault('configmaps')}/kube-root-ca.crt`)).status).toBe(200),
    );
    expect((await api.get(inDefault('serviceaccounts'))).body.items).toEqual([]);
    const missing = { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' };
    await made(api, inDefault('configmaps'), configMap('stays', {}, { ownerReferences: [missing] }));
    await turns();
    expect((await api.get(`${inDefault('configmaps')}/stays`)).status).toBe(200);
  });

  test.each([
    { controllers: ['root-ca-cert-publisher'], expected: 200 },
    { controllers: ['root-ca-cert-publisher', '-customresourcedefinition'], expected: 404 },
    { controllers: [], expected: 404 },
  ])('$controllers answers $expected for custom resources, which kube-apiserver serves by itself', async (given) => {
    await using it = await start({ controllers: given.controllers });
    const { api } = it;
    const names = { plural: 'boats', kind: 'Boat' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    await made(api, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      ...{
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'boats.sea.test' },
      },
      spec: {
        ...{ group: 'sea.test', scope: 'Cluster', names },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await turns();
    await eventually(async () => expect((await api.get('/apis/sea.test/v1/boats')).status).toBe(given.expected));
  });

  test('names none that does not exist', async () => {
    await expect(start({ controllers: ['*', '-gardener'] })).rejects.toThrow(OptionError);
    await expect(start({ controllers: ['gardener'] })).rejects.toThrow('controllers: "gardener" is not a controller');
  });
});

test('queues are counted', async () => {
  await using it = await start();
  const { api } = it;
  await eventually(async () => expect((await api.get(`${inDefault('serviceaccounts')}/default`)).status).toBe(200));
  const { body } = await api.get('/metrics');
  expect(body).toMatch(/workqueue_adds_total\{name="serviceaccount"\} [4-9]/);
  for (const name of ['depth', 'unfinished_work_seconds', 'longest_running_processor_seconds'])
    expect(body).toContain(`workqueue_${name}{name="garbage_collector_attempt_to_delete"} 0`);
  for (const name of ['queue', 'work']) {
    expect(body).toContain(`# TYPE workqueue_${name}_duration_seconds histogram`);
    expect(body).toMatch(new RegExp(`workqueue_${name}_duration_seconds_count\\{name="serviceaccount"\\} [4-9]`));
    expect(body).toMatch(
      new RegExp(`workqueue_${name}_duration_seconds_bucket\\{name="serviceaccount",le="\\+Inf"\\} [4-9]`),
    );
  }
  expect(body).toContain('workqueue_retries_total{name="serviceaccount"} 0');
});
