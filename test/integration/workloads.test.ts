// Workloads and their neighbours through the API: what is filled in, what is refused and where, what may change.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { signingRequest } from './manifests.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({
    listen: false,
    runtimeConfig: { 'resource.k8s.io/v1beta1': true },
    authorizationModes: ['AlwaysAllow'],
  });
  api = apiOf(server);
});
afterAll(() => server.close());

const inDefault = (group: string, plural: string) => `/apis/${group}/namespaces/default/${plural}`;
const deployments = inDefault('apps/v1', 'deployments');
const daemonSets = inDefault('apps/v1', 'daemonsets');
const statefulSets = inDefault('apps/v1', 'statefulsets');
const jobs = inDefault('batch/v1', 'jobs');
const cronJobs = inDefault('batch/v1', 'cronjobs');

const labels = { app: 'a' };
const podSpec = { containers: [{ name: 'c', image: 'i:1' }] };
const template = { metadata: { labels }, spec: podSpec };
const workload = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { selector: { matchLabels: labels }, template, ...spec },
});
const jobSpec = (spec: object = {}) => ({ template: { spec: { ...podSpec, restartPolicy: 'Never' } }, ...spec });
const job = (name: string, spec: object = {}) => ({ metadata: { name }, spec: jobSpec(spec) });

/** `reason field` of each cause. */
function causes({ status, body }: Answer): readonly string[] {
  expect(status, JSON.stringify(body)).toBe(422);
  return body.details.causes.map(({ reason, field }: { reason: string; field: string }) => `${reason} ${field}`).sort();
}

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** Column names, wide ones in brackets, and the cells of the first row. */
function shown({ body }: Answer): readonly [readonly string[], readonly unknown[]] {
  const columns = body.columnDefinitions as { name: string; priority: number }[];
  return [columns.map(({ name, priority }) => (priority === 0 ? name : `[${name}]`)), body.rows[0].cells];
}

describe('deployments', () => {
  test('get their defaults', async () => {
    const { body } = await api.post(deployments, workload('defaults'));
    expect(body.spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      template: { spec: { restartPolicy: 'Always' } },
    });
    expect(body.metadata.generation).toBe(1);
  });

  test('are refused where the selector, the template or the strategy is wrong', async () => {
    const bad = workload('bad', {
      replicas: -1,
      selector: { matchLabels: { app: 'b' } },
      template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } },
      strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } },
    });
    expect(causes(await api.post(deployments, bad))).toEqual([
      'FieldValueForbidden spec.strategy.rollingUpdate',
      'FieldValueInvalid spec.replicas',
      'FieldValueInvalid spec.template.metadata.labels',
      'FieldValueNotSupported spec.template.spec.restartPolicy',
    ]);
  });

  test('keep their selector', async () => {
    await api.post(deployments, workload('fixed'));
    const patch = {
      spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } },
    };
    expect(causes(await api.patch('merge', `${deployments}/fixed`, patch))).toEqual([
      'FieldValueInvalid spec.selector',
    ]);
  });

  test('count changes of the spec and of annotations as generations, and no others', async () => {
    const path = `${deployments}/generations`;
    await api.post(deployments, workload('generations'));
    const generationAfter = async (patch: object, at = path) =>
      (await api.patch('merge', at, patch)).body.metadata.generation;
    expect(await generationAfter({ metadata: { labels: { x: 'y' } } })).toBe(1);
    expect(await generationAfter({ spec: { paused: true } })).toBe(2);
    expect(await generationAfter({ metadata: { annotations: { x: 'y' } } })).toBe(3);
    expect(await generationAfter({ status: { replicas: 1 } }, `${path}/status`)).toBe(3);
    expect(await generationAfter({ metadata: { annotations: { x: 'z' } } }, `${path}/status`)).toBe(3);
  });

  test('have a scale', async () => {
    await api.post(deployments, workload('scaled'));
    const path = `${deployments}/scaled/scale`;
    expect((await api.get(path)).body).toMatchObject({ spec: { replicas: 1 }, status: { selector: 'app=a' } });
    await api.patch('merge', path, { spec: { replicas: 4 } });
    expect((await api.get(`${deployments}/scaled`)).body).toMatchObject({
      spec: { replicas: 4 },
      metadata: { generation: 2 },
    });
    expect(causes(await api.patch('merge', path, { spec: { replicas: -4 } }))).toEqual([
      'FieldValueInvalid spec.replicas',
    ]);
    const ofAnother = await api.put(path, { metadata: { name: 'scaled', uid: 'x' }, spec: { replicas: 9 } });
    expect(ofAnother).toMatchObject({ status: 409, body: { details: { name: 'scaled' } } });
  });

  test('report progress that makes sense, and leave labels alone', async () => {
    await api.post(deployments, workload('reporting', {}, { labels: { a: 'b' } }));
    const path = `${deployments}/reporting/status`;
    const bad = { status: { replicas: 1, readyReplicas: 2, availableReplicas: -1 } };
    expect(causes(await api.patch('merge', path, bad))).toEqual([
      'FieldValueInvalid status.availableReplicas',
      'FieldValueInvalid status.readyReplicas',
    ]);
    const good = { status: { replicas: 2, readyReplicas: 1 }, metadata: { labels: { a: 'c' } }, spec: { replicas: 7 } };
    expect((await api.patch('merge', path, good)).body).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 1 },
      status: { readyReplicas: 1 },
    });
    expect(shown(await api.get(`${deployments}/reporting`, table))).toEqual([
      ['Name', 'Ready', 'Up-to-date', 'Available', 'Age', '[Containers]', '[Images]', '[Selector]'],
      ['reporting', '1/1', 0, 0, expect.any(String), 'c', 'i:1', 'app=a'],
    ]);
  });
});

describe('stateful sets', () => {
  const claim = {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };

  test('say what kind their claim templates are, and take them back', async () => {
    const { body } = await api.post(statefulSets, workload('claims', { volumeClaimTemplates: [claim] }));
    const [made] = body.spec.volumeClaimTemplates;
    expect(Object.keys(made)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
    expect(made).toMatchObject({ kind: 'PersistentVolumeClaim', apiVersion: 'v1', spec: { volumeMode: 'Filesystem' } });
    const again = await api.call('PUT', `${statefulSets}/claims?fieldValidation=Strict`, body);
    expect(again.body).toEqual(body);
  });

  test('may change some fields only', async () => {
    await api.post(statefulSets, workload('fixed'));
    const patch = (spec: object) => api.patch('merge', `${statefulSets}/fixed`, { spec });
    expect((await patch({ replicas: 3, minReadySeconds: 5, ordinals: { start: 1 } })).status).toBe(200);
    expect(causes(await patch({ serviceName: 'other' }))).toEqual(['FieldValueForbidden spec']);
  });
});

test('daemon sets number their templates', async () => {
  const key = 'deprecated.daemonset.template.generation';
  const path = `${daemonSets}/numbered`;
  const numberOf = ({ body }: Answer) => body.metadata.annotations[key];
  expect(numberOf(await api.post(daemonSets, workload('numbered')))).toBe('1');
  expect(numberOf(await api.patch('merge', path, { spec: { minReadySeconds: 1 } }))).toBe('1');
  const changed = { spec: { template: { spec: { hostNetwork: true } } }, metadata: { annotations: { [key]: '77' } } };
  expect(numberOf(await api.patch('merge', path, changed))).toBe('2');
});

describe('jobs', () => {
  test('select their own pods', async () => {
    const { body } = await api.post(jobs, job('selecting'));
    const { uid } = body.metadata;
    const own = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'selecting',
      'controller-uid': uid,
      'job-name': 'selecting',
    };
    expect(body.metadata.labels).toEqual(own);
    expect(body.spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: own } },
    });
  });

  test('are refused with a selector that the client made up, or pods that never end', async () => {
    expect(causes(await api.post(jobs, job('made-up', { selector: { matchLabels: { a: 'b' } } })))).toEqual([
      'FieldValueInvalid spec.selector',
      'FieldValueInvalid spec.template.metadata.labels',
    ]);
    expect(
      causes(await api.post(jobs, { metadata: { name: 'endless' }, spec: { template: { spec: podSpec } } })),
    ).toEqual(['FieldValueRequired spec.template.spec.restartPolicy']);
  });

  test('keep their template, but for where pods may run while nothing has started', async () => {
    const path = `${jobs}/placed`;
    await api.post(jobs, job('placed', { suspend: true }));
    const place = (nodeSelector: object) =>
      api.patch('merge', path, { spec: { template: { spec: { nodeSelector } } } });
    expect((await place({ zone: 'a' })).status).toBe(200);
    await api.patch('merge', path, { spec: { suspend: false } });
    expect(causes(await place({ zone: 'b' }))).toEqual(['FieldValueInvalid spec.template']);
  });

  test('end once', async () => {
    await api.post(jobs, job('ending'));
    const path = `${jobs}/ending/status`;
    const condition = (type: string) => ({ type, status: 'True' });
    const done = { startTime: '2030-01-01T00:00:00Z', completionTime: '2030-01-01T00:01:30Z', succeeded: 1 };
    const report = (status: object) => api.patch('merge', path, { status });
    expect(causes(await report({ ...done, conditions: [condition('Complete')] }))).toEqual([
      'FieldValueInvalid status.conditions',
    ]);
    const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
    expect((await report({ ...done, conditions })).status).toBe(200);
    expect(shown(await api.get(`${jobs}/ending`, table))[1].slice(0, 4)).toEqual(['ending', 'Complete', '1/1', '90s']);
    expect(causes(await report({ succeeded: 0 }))).toEqual(['FieldValueInvalid status.succeeded']);
    const selected = await api.get(`${jobs}?fieldSelector=status.successful%3D1`);
    expect(selected.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['ending']);
  });
});

test('cron jobs are refused for schedules, zones and policies that mean nothing', async () => {
  const cron = (spec: object) => ({
    metadata: { name: 'c' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: jobSpec() }, ...spec },
  });
  expect(
    causes(
      await api.post(
        cronJobs,
        cron({
          schedule: '61 * * * *',
          timeZone: 'Mars/Olympus',
          concurrencyPolicy: 'Maybe',
          failedJobsHistoryLimit: -1,
        }),
      ),
    ),
  ).toEqual([
    'FieldValueInvalid spec.failedJobsHistoryLimit',
    'FieldValueInvalid spec.schedule',
    'FieldValueInvalid spec.timeZone',
    'FieldValueNotSupported spec.concurrencyPolicy',
  ]);
  const { body } = await api.post(cronJobs, cron({ timeZone: 'Europe/Berlin' }));
  expect(body.spec).toMatchObject({ successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, suspend: false });
  expect(shown(await api.get(`${cronJobs}/c`, table))[1].slice(0, 6)).toEqual([
    'c',
    '*/5 * * * *',
    'Europe/Berlin',
    'False',
    0,
    '<none>',
  ]);
});

describe('autoscalers', () => {
  const v1 = inDefault('autoscaling/v1', 'horizontalpodautoscalers');
  const v2 = inDefault('autoscaling/v2', 'horizontalpodautoscalers');
  const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 5 };
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  };

  test('follow CPU when nothing else is asked for, in both versions', async () => {
    const { body } = await api.post(v1, { metadata: { name: 'cpu' }, spec });
    expect(body.spec).toMatchObject({ minReplicas: 1, targetCPUUtilizationPercentage: 80 });
    expect((await api.get(`${v2}/cpu`)).body.spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ]);
    expect(shown(await api.get(`${v1}/cpu`, table))).toEqual([
      ['Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age'],
      ['cpu', 'Deployment/d', 'cpu: <unknown>/80%', '1', 5, 0, expect.any(String)],
    ]);
  });

  test('show the older version what it cannot say in annotations, and take it back from there', async () => {
    const key = 'autoscaling.alpha.kubernetes.io';
    await api.post(v2, { metadata: { name: 'rich' }, spec: { ...spec, metrics: [memory], behavior: { scaleUp: {} } } });
    const { body } = await api.get(`${v1}/rich`);
    expect(JSON.parse(body.metadata.annotations[`${key}/metrics`])).toEqual([
      { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
    ]);
    expect(body.spec).not.toHaveProperty('targetCPUUtilizationPercentage');
    const before = (await api.get(`${v2}/rich`)).body;
    expect(before.metadata).not.toHaveProperty('annotations');
    await api.put(`${v1}/rich`, { ...body, spec: { ...body.spec, targetCPUUtilizationPercentage: 50 } });
    const after = (await api.get(`${v2}/rich`)).body;
    expect(after.spec.behavior).toEqual(before.spec.behavior);
    expect(after.spec.metrics).toHaveLength(2);
  });

  test('are refused for targets that are none', async () => {
    const bad = { ...spec, minReplicas: 9, metrics: [{ type: 'Pods', pods: { metric: {}, target: { type: 'Odd' } } }] };
    expect(causes(await api.post(v2, { metadata: { name: 'bad' }, spec: bad }))).toEqual([
      'FieldValueInvalid spec.maxReplicas',
      'FieldValueInvalid spec.metrics[0].pods.target.type',
      'FieldValueRequired spec.metrics[0].pods.metric.name',
      'FieldValueRequired spec.metrics[0].pods.target.averageValue',
    ]);
  });
});

describe('certificate signing requests', () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const request = (name: string) => ({
    metadata: { name },
    spec: {
      request: Buffer.from(signingRequest).toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
      username: 'another-user',
      groups: ['system:masters'],
    },
    status: { conditions: [{ type: 'Approved', status: 'True' }] },
  });
  const approved = { type: 'Approved', status: 'True', reason: 'Why', message: 'Because' };

  test('remember who asked, and nothing that was claimed', async () => {
    const asked = await server.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request('asked')),
      user: { name: 'jane', uid: '7', groups: ['devs'], extra: { x: ['y'] } },
    });
    expect(await asked.json()).toMatchObject({
      spec: { username: 'jane', uid: '7', groups: ['devs'], extra: { x: ['y'] } },
      status: {},
    });
  });

  test('are approved in one place and answered in another, and neither is taken back', async () => {
    await api.post(path, { ...request('decided'), metadata: { name: 'decided', labels: { a: 'b' } } });
    const here = `${path}/decided`;
    expect(causes(await api.patch('merge', `${here}/status`, { status: { conditions: [approved] } }))).toEqual([
      'FieldValueForbidden status.conditions',
    ]);
    const { body } = await api.patch('merge', `${here}/approval`, {
      status: { conditions: [approved], certificate: 'AAAA' },
    });
    expect(body.status).toEqual({
      conditions: [{ ...approved, lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) }],
    });
    const owned = body.metadata.managedFields.find((one: { subresource?: string }) => one.subresource === 'approval');
    expect(Object.keys(owned.fieldsV1['f:status'])).toEqual(['f:conditions']);
    expect(causes(await api.patch('merge', `${here}/approval`, { status: { conditions: null } }))).toEqual([
      'FieldValueForbidden status.conditions',
    ]);
    const denied = { type: 'Denied', status: 'True' };
    expect(
      causes(await api.patch('merge', `${here}/approval`, { status: { conditions: [approved, denied] } })),
    ).toEqual(['FieldValueInvalid status.conditions']);
    expect(causes(await api.patch('merge', `${here}/status`, { status: { certificate: 'AAAA' } }))).toEqual([
      'FieldValueInvalid status.certificate',
    ]);
    expect(shown(await api.get(here, table))[1].at(-1)).toBe('Approved');
  });
});

describe('what clusters start with', () => {
  test('priorities of system pods, that no other pod may have', async () => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const { body } = await api.get(path);
    expect(
      body.items.map((item: { metadata: { name: string }; value: number }) => [item.metadata.name, item.value]),
    ).toEqual([
      ['system-cluster-critical', 2000000000],
      ['system-node-critical', 2000001000],
    ]);
    expect(causes(await api.post(path, { metadata: { name: 'system-mine' }, value: 1 }))).toEqual([
      'FieldValueForbidden metadata.name',
    ]);
    expect(causes(await api.post(path, { metadata: { name: 'mine' }, value: 2000000000 }))).toEqual([
      'FieldValueForbidden value',
    ]);
  });

  test('flow schemas and priority levels, of which the mandatory ones stay as they are', async () => {
    const root = '/apis/flowcontrol.apiserver.k8s.io/v1';
    const names = async (plural: string) =>
      (await api.get(`${root}/${plural}`)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(await names('prioritylevelconfigurations')).toEqual([
      'catch-all',
      'exempt',
      'global-default',
      'leader-election',
      'node-high',
      'system',
      'workload-high',
      'workload-low',
    ]);
    expect(await names('flowschemas')).toEqual(
      expect.arrayContaining(['catch-all', 'exempt', 'kube-scheduler', 'probes']),
    );
    const change = { spec: { matchingPrecedence: 9999 } };
    expect(causes(await api.patch('merge', `${root}/flowschemas/catch-all`, change))).toEqual([
      'FieldValueInvalid spec',
    ]);
    const lend = { spec: { exempt: { lendablePercent: 50 } } };
    expect((await api.patch('merge', `${root}/prioritylevelconfigurations/exempt`, lend)).status).toBe(200);
  });
});

test('claims for devices look as each version has them', async () => {
  const claims = (version: string) => inDefault(`resource.k8s.io/${version}`, 'resourceclaims');
  const request = { name: 'gpu', deviceClassName: 'gpu.example.com' };
  const { body } = await api.post(claims('v1beta1'), {
    metadata: { name: 'c' },
    spec: { devices: { requests: [request] } },
  });
  expect(body.spec.devices.requests).toEqual([{ ...request, allocationMode: 'ExactCount', count: 1 }]);
  expect((await api.get(`${claims('v1')}/c`)).body.spec.devices.requests).toEqual([
    { name: 'gpu', exactly: { deviceClassName: 'gpu.example.com', allocationMode: 'ExactCount', count: 1 } },
  ]);
  const patch = { spec: { devices: { requests: [{ ...request, count: 2 }] } } };
  expect(causes(await api.patch('merge', `${claims('v1beta1')}/c`, patch))).toEqual(['FieldValueInvalid spec']);
});
