// What writes are charged, and when they are refused.

import { describe, expect, test } from 'vitest';
import type { ResourceQuota } from '../../../groups/core/v1/quota/resource-quota-type.ts';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { lookupOf, requestFor } from '../../testing.ts';
import { resourceQuota } from './resource-quota.ts';

const clock = { now: () => 0, after: () => ({ cancel() {} }) };
const resource = (plural: string, group = '') => ({ plural, group, namespaced: true }) as ResourceDefinition;
const pods = resource('pods');
const limitedResources = [{ apiGroup: '', resource: 'pods', matchContains: ['example.com/gpu'] }];
const object = (spec: object = {}, name = 'x'): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { name, namespace: 'n' }, spec },
});

/** A namespace with quotas, of which the used part changes. */
function quotas(...all: { hard: Record<string, string>; used: Record<string, string>; scopes?: string[] }[]) {
  const stored = all.map(
    ({ hard, used, scopes }, index): ApiObject => ({
      ...object({ hard, ...(scopes && { scopes }) }, `q${index}`),
      status: { hard, used },
    }),
  );
  const plugin = resourceQuota({
    ...{ dialect: kubernetes, clock, objects: lookupOf({ resourcequotas: stored }), settings: { limitedResources } },
    async update<T extends ApiObject>(_: unknown, { name }: ObjectRef, change: (current: T) => ApiObject) {
      const index = stored.findIndex(({ metadata }) => metadata.name === name);
      stored[index] = change(stored[index] as T);
      return stored[index] as ApiObject;
    },
  });
  const used = () => stored.map((quota) => (quota as ResourceQuota).status?.used);
  /** As the chain does it: no plugin is asked about what it does not cover. */
  const write = async (parts: Partial<AdmissionRequest> & { definition: ResourceDefinition }) => {
    const request = requestFor({ namespace: 'n', ...parts });
    if (plugin.covers(request.definition, request.subresource, request.operation)) await plugin.validate?.(request);
    return used();
  };
  return { write, used, plugin };
}

const asking = (cpu: string) => object({ containers: [{ name: 'c', resources: { requests: { cpu } } }] });

describe('a create', () => {
  test('is charged to every quota that limits it', async () => {
    const { write } = quotas(
      { hard: { configmaps: '3', pods: '1' }, used: { configmaps: '1', pods: '0' } },
      { hard: { 'count/configmaps': '9' }, used: { 'count/configmaps': '4' } },
    );
    expect(await write({ definition: resource('configmaps'), object: object() })).toEqual([
      { configmaps: '2', pods: '0' },
      { 'count/configmaps': '5' },
    ]);
  });

  test('of any kind counts by its number', async () => {
    const name = 'count/deployments.apps';
    const { write } = quotas({ hard: { [name]: '1' }, used: { [name]: '0' } });
    const definition = resource('deployments', 'apps');
    expect(await write({ definition, object: object() })).toEqual([{ [name]: '1' }]);
    await expect(write({ definition, object: object() })).rejects.toMatchObject({
      code: 403,
      message: `deployments.apps "x" is forbidden: exceeded quota: q0, requested: ${name}=1, used: ${name}=1, limited: ${name}=1`,
    });
  });

  test('that one quota refuses is charged to none', async () => {
    const { write, used } = quotas(
      { hard: { secrets: '9' }, used: { secrets: '0' } },
      { hard: { 'count/secrets': '1' }, used: { 'count/secrets': '1' } },
    );
    await expect(write({ definition: resource('secrets'), object: object() })).rejects.toThrow('exceeded quota: q1');
    expect(used()).toEqual([{ secrets: '0' }, { 'count/secrets': '1' }]);
  });

  test('on trial is refused like another, and costs nothing', async () => {
    const { write } = quotas({ hard: { secrets: '1' }, used: { secrets: '0' } });
    const definition = resource('secrets');
    expect(await write({ definition, object: object(), dryRun: true })).toEqual([{ secrets: '0' }]);
    await write({ definition, object: object() });
    await expect(write({ definition, object: object(), dryRun: true })).rejects.toThrow('exceeded quota');
  });

  test('waits until a quota is counted', async () => {
    const { write } = quotas({ hard: { pods: '1', 'count/pods': '1' }, used: {} });
    await expect(write({ definition: pods, object: object() })).rejects.toThrow(
      'status unknown for quota: q0, resources: count/pods,pods',
    );
  });

  test('outside the scopes of a quota is none of its business', async () => {
    const { write } = quotas({ hard: { pods: '0' }, used: { pods: '0' }, scopes: ['Terminating'] });
    await expect(write({ definition: pods, object: object() })).resolves.toBeDefined();
    const ending = object({ activeDeadlineSeconds: 5 });
    await expect(write({ definition: pods, object: ending })).rejects.toThrow('exceeded quota');
    await expect(write({ definition: resource('secrets'), object: object() })).resolves.toBeDefined();
  });
});

describe('pods', () => {
  test('say what they need where that is limited', async () => {
    const hard = { 'requests.cpu': '1', 'limits.memory': '1Gi' };
    const { write } = quotas({ hard, used: { 'requests.cpu': '0', 'limits.memory': '0' } });
    const spec = {
      containers: [{ name: 'b', resources: { requests: { cpu: '1' } } }, { name: 'a' }],
      initContainers: [{ name: 'i', resources: { limits: { memory: '1' } } }],
    };
    await expect(write({ definition: pods, object: object(spec) })).rejects.toThrow(
      'failed quota: q0: must specify limits.memory for: a,b; requests.cpu for: a,i',
    );
    const whole = { ...spec, resources: { requests: { cpu: '500m' } } };
    expect(await write({ definition: pods, object: object(whole) })).toEqual([
      { 'requests.cpu': '500m', 'limits.memory': '1' },
    ]);
  });

  test('are charged what they ask for, and the difference when they are resized', async () => {
    const { write } = quotas({ hard: { 'requests.cpu': '1' }, used: { 'requests.cpu': '0' } });
    expect(await write({ definition: pods, object: asking('600m') })).toEqual([{ 'requests.cpu': '600m' }]);
    await expect(write({ definition: pods, object: asking('600m') })).rejects.toThrow(
      'exceeded quota: q0, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    const change = { definition: pods, operation: 'UPDATE', object: asking('1'), oldObject: asking('600m') } as const;
    expect(await write(change)).toEqual([{ 'requests.cpu': '600m' }]);
    expect(await write({ ...change, subresource: 'status' })).toEqual([{ 'requests.cpu': '600m' }]);
    expect(await write({ ...change, subresource: 'resize' })).toEqual([{ 'requests.cpu': '1' }]);
  });
});

test('a pod that gets a deadline is charged to the quota of such pods', async () => {
  const { write } = quotas({ hard: { pods: '1' }, used: { pods: '1' }, scopes: ['Terminating'] });
  const change = { definition: pods, operation: 'UPDATE', oldObject: object() } as const;
  expect(await write({ ...change, object: object() })).toEqual([{ pods: '1' }]);
  await expect(write({ ...change, object: object({ activeDeadlineSeconds: 10 }) })).rejects.toThrow(
    'exceeded quota: q0, requested: pods=1, used: pods=1, limited: pods=1',
  );
});

test('some things need a quota that speaks of them', async () => {
  const { write } = quotas({ hard: { pods: '9' }, used: { pods: '0' } });
  const requests = { 'example.com/gpu': '1' };
  const greedy = object({ containers: [{ name: 'c', resources: { requests } }] });
  await expect(write({ definition: pods, object: greedy })).rejects.toThrow(
    'insufficient quota to consume: requests.example.com/gpu',
  );
  await expect(write({ definition: pods, object: object() })).resolves.toBeDefined();
});

test('services are charged when their type changes', async () => {
  const { write } = quotas({ hard: { 'services.nodeports': '1' }, used: { 'services.nodeports': '0' } });
  const service = (type: string) => object({ type, ports: [{ port: 80 }] });
  const change = (next: string, old: string) =>
    ({
      definition: resource('services'),
      operation: 'UPDATE',
      object: service(next),
      oldObject: service(old),
    }) as const;
  expect(await write(change('NodePort', 'ClusterIP'))).toEqual([{ 'services.nodeports': '1' }]);
  expect(await write(change('ClusterIP', 'NodePort'))).toEqual([{ 'services.nodeports': '1' }]);
});

test('who uses too much already may use less', async () => {
  const hard = { 'requests.cpu': '1', 'requests.memory': '1Gi' };
  const { write } = quotas({ hard, used: { 'requests.cpu': '3', 'requests.memory': '1Gi' } });
  const asks = (cpu: string, memory: string) =>
    object({ containers: [{ name: 'c', resources: { requests: { cpu, memory } } }] });
  const resize = { definition: pods, operation: 'UPDATE', subresource: 'resize', oldObject: asks('2', '1Gi') } as const;
  expect(await write({ ...resize, object: asks('1', '1Gi') })).toEqual([
    { 'requests.cpu': '3', 'requests.memory': '1Gi' },
  ]);
  await expect(write({ ...resize, object: asks('1', '2Gi') })).rejects.toThrow(
    'exceeded quota: q0, requested: requests.memory=1Gi, used: requests.memory=1Gi, limited: requests.memory=1Gi',
  );
});

test('what changes no use, and what has no namespace, is not looked at', () => {
  const { plugin } = quotas();
  expect(plugin.covers(pods, '', 'CREATE')).toBe(true);
  expect(plugin.covers(resource('configmaps'), '', 'UPDATE')).toBe(false);
  expect(plugin.covers(pods, 'status', 'UPDATE')).toBe(false);
  expect(plugin.covers(pods, 'resize', 'UPDATE')).toBe(true);
  expect(plugin.covers(resource('services'), '', 'UPDATE')).toBe(true);
  expect(plugin.covers({ ...resource('nodes'), namespaced: false }, '', 'CREATE')).toBe(false);
});

test('what comes into the scopes of a quota by an update counts in full', async () => {
  const hard = { persistentvolumeclaims: '1' };
  const { write } = quotas({ hard, used: { persistentvolumeclaims: '0' }, scopes: ['VolumeAttributesClass'] });
  const gold = object({ volumeAttributesClassName: 'gold' });
  const update = { definition: resource('persistentvolumeclaims'), operation: 'UPDATE' } as const;
  expect(await write({ ...update, object: gold, oldObject: object() })).toEqual([{ persistentvolumeclaims: '1' }]);
  expect(await write({ ...update, object: gold, oldObject: gold })).toEqual([{ persistentvolumeclaims: '1' }]);
  await expect(write({ ...update, object: gold, oldObject: object() })).rejects.toThrow('exceeded quota: q0');
});
