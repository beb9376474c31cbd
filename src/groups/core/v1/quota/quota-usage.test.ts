import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../../meta/dialect.ts';
import { formatQuantity } from '../../../../meta/quantity.ts';
import { deviceClaimUsage } from './quota-devices.ts';
import { type CountedPod, claimUsage, podUsage, serviceUsage, type Usage } from './quota-usage.ts';

const plain = (usage: Usage) => Object.fromEntries([...usage].map(([name, amount]) => [name, formatQuantity(amount)]));
const pod = (spec: object): CountedPod => ({ kind: 'Pod', apiVersion: 'v1', metadata: {}, spec });
const now = 0;
const asks = (cpu: string, more: object = {}) => ({ resources: { requests: { cpu } }, ...more });

describe('a pod uses', () => {
  test.each<[string, object, string]>([
    ['what its containers ask for together', { containers: [asks('100m'), asks('1')] }, '1100m'],
    [
      'its largest init container, when that is more',
      { containers: [asks('1')], initContainers: [asks('3'), asks('2')] },
      '3',
    ],
    [
      'restarted init containers next to the others',
      { containers: [asks('1')], initContainers: [asks('2', { restartPolicy: 'Always' })] },
      '3',
    ],
    [
      'an init container next to the restarted ones before it',
      { containers: [asks('1')], initContainers: [asks('2', { restartPolicy: 'Always' }), asks('5')] },
      '7',
    ],
    [
      'what it asks for as a whole, where it does',
      { containers: [asks('1')], resources: { requests: { cpu: '3' } }, overhead: { cpu: '1' } },
      '4',
    ],
    ['its overhead', { containers: [asks('1')], overhead: { cpu: '250m' } }, '1250m'],
  ])('%s', (_, spec, cpu) => {
    expect(plain(podUsage(pod(spec), now))).toEqual({ 'count/pods': '1', pods: '1', cpu, 'requests.cpu': cpu });
  });

  test('limits and extended resources under their long names only', () => {
    const resources = { requests: { 'example.com/gpu': '2' }, limits: { memory: '1Gi', 'example.com/gpu': '2' } };
    expect(plain(podUsage(pod({ containers: [{ resources }] }), now))).toEqual({
      'count/pods': '1',
      pods: '1',
      'requests.example.com/gpu': '2',
      'limits.memory': '1Gi',
      'limits.example.com/gpu': '2',
    });
  });
});

test.each([
  ['succeeded', {}, { phase: 'Succeeded' }],
  ['failed', {}, { phase: 'Failed' }],
  ['should be gone', { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }, {}],
])('a pod that %s only counts as an object', (_, metadata, status) => {
  const over = { ...pod({ containers: [asks('1')] }), metadata, status };
  expect(plain(podUsage(over, Date.parse('2030-01-01T00:00:31Z')))).toEqual({ 'count/pods': '1' });
});

test('a pod in its grace period counts', () => {
  const metadata = { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  const going = { ...pod({ containers: [asks('1')] }), metadata };
  expect(plain(podUsage(going, Date.parse('2030-01-01T00:00:30Z')))).toMatchObject({ pods: '1', cpu: '1' });
});

test('claims count by size, also for their class', () => {
  const spec = { storageClassName: 'fast', resources: { requests: { storage: '5Gi' } } };
  expect(plain(claimUsage({ kind: 'X', apiVersion: 'v1', metadata: {}, spec }, 'example.org'))).toEqual({
    persistentvolumeclaims: '1',
    'count/persistentvolumeclaims': '1',
    'requests.storage': '5Gi',
    'fast.storageclass.storage.example.org/requests.storage': '5Gi',
    'fast.storageclass.storage.example.org/persistentvolumeclaims': '1',
  });
});

test.each([
  ['ClusterIP', { services: '1' }],
  ['NodePort', { services: '1', 'services.nodeports': '2' }],
  ['LoadBalancer', { services: '1', 'services.loadbalancers': '1', 'services.nodeports': '2' }],
])('a service of type %s counts as %j', (type, expected) => {
  const spec = { type, ports: [{}, {}] };
  expect(plain(serviceUsage({ kind: 'X', apiVersion: 'v1', metadata: {}, spec }))).toEqual(expected);
});

test('a balancer that needs no ports on nodes counts those it was given', () => {
  const spec = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ nodePort: 30001 }, {}] };
  const usage = serviceUsage({ kind: 'X', apiVersion: 'v1', metadata: {}, spec });
  expect(plain(usage)).toMatchObject({ 'services.nodeports': '1' });
});

test('a claim counts by what it was given, if that is more, in whole bytes', () => {
  const claim = (storage: string, allocated: string) => ({
    ...{ kind: 'X', apiVersion: 'v1', metadata: {} },
    spec: { resources: { requests: { storage } } },
    status: { allocatedResources: { storage: allocated } },
  });
  expect(plain(claimUsage(claim('1Gi', '2Gi'), ''))).toMatchObject({ 'requests.storage': '2Gi' });
  expect(plain(claimUsage(claim('1500m', '1'), ''))).toMatchObject({ 'requests.storage': '2' });
});

describe('a claim of devices uses', () => {
  const count = { 'count/resourceclaims.resource.k8s.io': '1' };
  const devices = (name: string, number: string) => ({
    [`${name}.deviceclass.resource.k8s.io/devices`]: number,
    [`requests.deviceclass.resource.kubernetes.io/${name}`]: number,
  });
  const exact = (deviceClassName: string, number: number) => ({
    deviceClassName,
    allocationMode: 'ExactCount',
    count: number,
  });
  const all = { deviceClassName: 'gpu', allocationMode: 'All' };
  const used = (requests: object[], annotations = {}) =>
    plain(
      deviceClaimUsage(
        {
          kind: 'ResourceClaim',
          apiVersion: 'resource.k8s.io/v1',
          metadata: { annotations },
          spec: { devices: { requests } },
        },
        kubernetes,
      ),
    );

  test.each<[string, object[], object]>([
    ['nothing but itself', [], count],
    [
      'what it asks for, by class',
      [{ exactly: exact('gpu', 2) }, { exactly: exact('gpu', 1) }, { exactly: exact('nic', 1) }],
      { ...count, ...devices('gpu', '3'), ...devices('nic', '1') },
    ],
    ['as much as there can be, where it asks for all', [{ exactly: all }], { ...count, ...devices('gpu', '32') }],
    [
      'the most of alternatives',
      [{ firstAvailable: [exact('gpu', 2), exact('gpu', 5), exact('nic', 1)] }],
      { ...count, ...devices('gpu', '5'), ...devices('nic', '1') },
    ],
    ['what its oldest version asks for', [exact('gpu', 4)], { ...count, ...devices('gpu', '4') }],
  ])('%s', (_, requests, expected) => {
    expect(used(requests)).toEqual(expected);
  });

  test('no extended resources that a pod counts for', () => {
    const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
    expect(used([{ exactly: exact('gpu', 1) }], annotations)).toEqual({
      ...count,
      'gpu.deviceclass.resource.k8s.io/devices': '1',
    });
  });
});
