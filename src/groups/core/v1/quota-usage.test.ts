import { describe, expect, test } from 'vitest';
import { formatQuantity } from '../../../meta/quantity.ts';
import { type CountedPod, claimUsage, matchesScope, podUsage, serviceUsage, type Usage } from './quota-usage.ts';

const plain = (usage: Usage) => Object.fromEntries([...usage].map(([name, amount]) => [name, formatQuantity(amount)]));
const pod = (spec: object): CountedPod => ({ kind: 'Pod', apiVersion: 'v1', metadata: {}, spec });
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
      'restarted init containers beside the others',
      { containers: [asks('1')], initContainers: [asks('2', { restartPolicy: 'Always' })] },
      '3',
    ],
    [
      'an init container beside the restarted ones before it',
      { containers: [asks('1')], initContainers: [asks('2', { restartPolicy: 'Always' }), asks('5')] },
      '7',
    ],
    ['its overhead', { containers: [asks('1')], overhead: { cpu: '250m' } }, '1250m'],
  ])('%s', (_, spec, cpu) => {
    expect(plain(podUsage(pod(spec)))).toEqual({ pods: '1', cpu, 'requests.cpu': cpu });
  });

  test('limits and extended resources under their long names only', () => {
    const resources = { requests: { 'example.com/gpu': '2' }, limits: { memory: '1Gi', 'example.com/gpu': '2' } };
    expect(plain(podUsage(pod({ containers: [{ resources }] })))).toEqual({
      pods: '1',
      'requests.example.com/gpu': '2',
      'limits.memory': '1Gi',
      'limits.example.com/gpu': '2',
    });
  });
});

const priority = (operator: string, values: string[] = []) => ({ scopeName: 'PriorityClass', operator, values });
const scope = (scopeName: string) => ({ scopeName, operator: 'Exists' });

test.each([
  [scope('Terminating'), { activeDeadlineSeconds: 5 }, true],
  [scope('NotTerminating'), { activeDeadlineSeconds: 5 }, false],
  [scope('BestEffort'), { containers: [{}] }, true],
  [scope('BestEffort'), { containers: [asks('1')] }, false],
  [scope('NotBestEffort'), { containers: [asks('1')] }, true],
  [priority('In', ['high']), { priorityClassName: 'high' }, true],
  [priority('NotIn', ['high']), { priorityClassName: 'high' }, false],
  [priority('Exists'), {}, false],
  [priority('DoesNotExist'), {}, true],
])('scope %j holds for %j: %s', (requirement, spec, expected) => {
  expect(matchesScope(pod(spec), requirement)).toBe(expected);
});

test('claims count by size, also for their class', () => {
  const spec = { storageClassName: 'fast', resources: { requests: { storage: '5Gi' } } };
  expect(plain(claimUsage({ kind: 'X', apiVersion: 'v1', metadata: {}, spec }, 'example.org'))).toEqual({
    persistentvolumeclaims: '1',
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
