// Manifests of removed API versions come out as the current ones, and back.

import { describe, expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../../meta/dialect.ts';
import { Converter } from './convert.ts';

const convert = (object: object, to?: string, dialect: Dialect = kubernetes) =>
  new Converter(to, dialect).convert(object) as object;

/** What an object has at a path. */
const part = (object: object, ...path: (string | number)[]) =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], object);

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } };
const workload = (apiVersion: string, kind: string) => ({
  apiVersion,
  kind,
  metadata: { name: 'web' },
  spec: { template },
});

describe('workloads before apps/v1', () => {
  test('a deployment of extensions/v1beta1 keeps what was implied', () => {
    const made = convert(workload('extensions/v1beta1', 'Deployment'), 'apps/v1');
    expect(made).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        progressDeadlineSeconds: 2147483647,
        revisionHistoryLimit: 2147483647,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      },
    });
  });

  test('a deployment of apps/v1beta1 keeps two old replica sets', () => {
    const made = convert(workload('apps/v1beta1', 'Deployment'));
    expect(made).toMatchObject({ apiVersion: 'apps/v1', spec: { revisionHistoryLimit: 2 } });
  });

  test.each([
    ['extensions/v1beta1', 'DaemonSet'],
    ['apps/v1beta1', 'StatefulSet'],
  ])('%s %s is updated when its pods are deleted', (apiVersion, kind) => {
    expect(convert(workload(apiVersion, kind))).toMatchObject({
      apiVersion: 'apps/v1',
      spec: { updateStrategy: { type: 'OnDelete' }, selector: { matchLabels: { app: 'web' } } },
    });
  });

  test('fields that apps/v1 no longer has become annotations', () => {
    const deployments = workload('extensions/v1beta1', 'Deployment');
    const made = convert({ ...deployments, spec: { ...deployments.spec, rollbackTo: { revision: 3 } } });
    expect(made).toMatchObject({ metadata: { annotations: { 'deprecated.deployment.rollback.to': '3' } } });
    expect(made).not.toHaveProperty('spec.rollbackTo');
    const daemons = workload('extensions/v1beta1', 'DaemonSet');
    const counted = convert({ ...daemons, spec: { ...daemons.spec, templateGeneration: 7 } });
    expect(counted).toMatchObject({ metadata: { annotations: { 'deprecated.daemonset.template.generation': '7' } } });
    expect(counted).not.toHaveProperty('spec.templateGeneration');
  });
});

describe('ingresses before networking v1', () => {
  const old = {
    apiVersion: 'networking.k8s.io/v1beta1',
    kind: 'Ingress',
    metadata: { name: 'web' },
    spec: {
      backend: { serviceName: 'other', servicePort: 'http' },
      rules: [
        { host: 'a.example', http: { paths: [{ path: '/', backend: { serviceName: 'web', servicePort: 80 } }] } },
      ],
    },
  };

  test('get backends with a service', () => {
    expect(convert(old, 'networking.k8s.io/v1')).toMatchObject({
      apiVersion: 'networking.k8s.io/v1',
      spec: {
        defaultBackend: { service: { name: 'other', port: { name: 'http' } } },
        rules: [
          {
            host: 'a.example',
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'ImplementationSpecific',
                  backend: { service: { name: 'web', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    });
  });

  test.each(['networking.k8s.io/v1beta1', 'extensions/v1beta1'])('come back as %s', (version) => {
    const back = convert(convert(old), version);
    expect(back).toMatchObject({ apiVersion: version, spec: { backend: old.spec.backend } });
    expect(part(back, 'spec', 'rules', 0)).toMatchObject(old.spec.rules[0] as object);
  });
});

describe('empty selectors of disruption budgets', () => {
  const budget = (apiVersion: string, selector: object) => ({
    apiVersion,
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b' },
    spec: { minAvailable: 1, selector },
  });

  test('select nothing in v1beta1, and still do in v1', () => {
    const made = convert(budget('policy/v1beta1', {}), 'policy/v1');
    expect(part(made, 'spec', 'selector')).toMatchObject({ matchExpressions: [{ operator: 'Exists' }] });
    expect(part(convert(made, 'policy/v1beta1'), 'spec', 'selector')).toEqual({});
  });

  test('select everything in v1, and still do in v1beta1', () => {
    const made = convert(budget('policy/v1', {}), 'policy/v1beta1');
    expect(part(made, 'spec', 'selector')).toMatchObject({ matchExpressions: [{ operator: 'DoesNotExist' }] });
    expect(part(convert(made, 'policy/v1'), 'spec', 'selector')).toEqual({});
  });
});

test('node and zone of an endpoint leave the topology map, and come back', () => {
  const old = {
    apiVersion: 'discovery.k8s.io/v1beta1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        topology: { 'kubernetes.io/hostname': 'n1', 'topology.kubernetes.io/zone': 'z1', rack: 'r' },
      },
    ],
  };
  const made = convert(old, 'discovery.k8s.io/v1');
  // Kubernetes takes a host for a node only where nodeName says the same
  expect(part(made, 'endpoints', 0)).toEqual({
    ...{ addresses: ['10.0.0.1'], conditions: {}, zone: 'z1' },
    deprecatedTopology: { 'kubernetes.io/hostname': 'n1', rack: 'r' },
  });
  expect(part(convert(made, 'discovery.k8s.io/v1beta1'), 'endpoints', 0)).toMatchObject(old.endpoints[0] as object);
});

describe('in the cluster dialect', () => {
  const own = cluster({ apiDomain: 'api.example.com', labelDomain: 'example.com' });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

  test('groups and labels have the domains of the dialect', () => {
    const topology = { 'example.com/hostname': 'n1', 'topology.example.com/zone': 'z1', rack: 'r' };
    const old = {
      ...{ apiVersion: 'discovery.api.example.com/v1beta1', kind: 'EndpointSlice', metadata: { name: 's' } },
      ...{ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], topology }] },
    };
    const made = convert(old, 'discovery.api.example.com/v1', own);
    expect(part(made, 'endpoints', 0)).toMatchObject({ nodeName: 'n1', zone: 'z1', deprecatedTopology: { rack: 'r' } });
    expect(part(convert(made, 'discovery.api.example.com/v1beta1', own), 'endpoints', 0, 'topology')).toEqual(topology);
  });

  test('every row of the table of removed versions can be converted, also those that Kubernetes never had', () => {
    const replicaSet = { apiVersion: 'apps/v1beta1', kind: 'ReplicaSet', metadata: { name: 'r' }, spec: { template } };
    const made = convert(replicaSet, undefined, own);
    expect([part(made, 'apiVersion'), part(made, 'spec', 'selector')]).toEqual([
      'apps/v1',
      { matchLabels: { a: 'b' } },
    ]);
    const service = { kind: 'APIService', metadata: { name: 'v1.x.y' }, spec: { group: 'x.y', version: 'v1' } };
    for (const apiVersion of ['apiregistration/v1beta1', 'apiregistration.api.example.com/v1beta1'])
      expect(convert({ ...service, apiVersion }, undefined, own)).toMatchObject({
        apiVersion: 'apiregistration.api.example.com/v1',
      });
    expect(() => convert(replicaSet)).toThrow('no kind "ReplicaSet" is known in version "apps/v1beta1"');
  });
});

test('a definition of one version gets its schema and columns into that version', () => {
  const old = {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      names: { plural: 'things', kind: 'Thing' },
      validation: { openAPIV3Schema: { type: 'object' } },
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'Size', type: 'string', JSONPath: '.spec.size' }],
    },
  };
  const made = convert(old, 'apiextensions.k8s.io/v1');
  expect(part(made, 'spec')).toMatchObject({
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Size', jsonPath: '.spec.size' }],
      },
    ],
  });
  expect(part(convert(made, 'apiextensions.k8s.io/v1beta1'), 'spec')).toMatchObject(old.spec);
});

test('webhooks of v1beta1 ignore failures unless they say otherwise', () => {
  const webhooks = [{ name: 'a.example.com', clientConfig: { url: 'https://a.example.com' } }];
  const made = convert({
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'w' },
    webhooks,
  });
  expect(part(made, 'webhooks', 0)).toMatchObject({
    failurePolicy: 'Ignore',
    matchPolicy: 'Exact',
    timeoutSeconds: 30,
    sideEffects: 'Unknown',
    admissionReviewVersions: ['v1beta1'],
  });
});

test.each(['v1beta1', 'v1beta2'])('shares of flow control %s are assured ones', (version) => {
  const level = (spec: object) => ({ kind: 'PriorityLevelConfiguration', metadata: { name: 'l' }, spec });
  const apiVersion = `flowcontrol.apiserver.k8s.io/${version}`;
  const old = { apiVersion, ...level({ type: 'Limited', limited: { assuredConcurrencyShares: 7 } }) };
  const made = convert(old, 'flowcontrol.apiserver.k8s.io/v1');
  expect(part(made, 'spec', 'limited')).toMatchObject({ nominalConcurrencyShares: 7 });
  expect(part(convert(made, apiVersion), 'spec', 'limited')).toMatchObject({ assuredConcurrencyShares: 7 });
});

test('lists are converted item by item', () => {
  const list = { kind: 'List', apiVersion: 'v1', items: [workload('apps/v1beta2', 'Deployment')] };
  expect(convert(list)).toMatchObject({ kind: 'List', items: [{ apiVersion: 'apps/v1' }] });
});

test('a kind that the wanted version does not have gets its newest one', () => {
  expect(convert(workload('apps/v1beta2', 'Deployment'), 'batch/v1')).toMatchObject({ apiVersion: 'apps/v1' });
});

test.each<[string, object, string | undefined]>([
  ['an unknown kind', { apiVersion: 'apps/v1', kind: 'Nothing' }, undefined],
  ['an unknown output version', workload('apps/v1', 'Deployment'), 'apps/v9'],
])('%s is refused', (_, object, to) => expect(() => convert(object, to)).toThrow(/known/));

describe('autoscalers before v2', () => {
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 };
  const flat = { type: 'Pods', pods: { metricName: 'requests', targetAverageValue: '5' } };
  const full = {
    type: 'Pods',
    pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '5' } },
  };
  const autoscaler = (apiVersion: string, metrics: object[]) => ({
    apiVersion,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { ...spec, metrics },
  });

  test('flat metrics of v2beta1 get a target of their own, and lose it again', () => {
    const made = convert(autoscaler('autoscaling/v2beta1', [flat]), 'autoscaling/v2');
    expect(made).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { minReplicas: 1, metrics: [full] } });
    expect(convert(made, 'autoscaling/v2beta1')).toMatchObject({ spec: { metrics: [flat] } });
  });

  test('those of v2beta2 are the same', () => {
    const made = convert(autoscaler('autoscaling/v2beta2', [full]));
    expect(made).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [full] } });
  });
});

test('events of v1beta1 come out with their fields, old ones included', () => {
  const old = {
    apiVersion: 'events.k8s.io/v1beta1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'n' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'n' },
    note: 'text',
    deprecatedCount: 3,
    deprecatedSource: { component: 'c' },
  };
  expect(convert(old, 'events.k8s.io/v1')).toMatchObject({
    apiVersion: 'events.k8s.io/v1',
    note: 'text',
    deprecatedCount: 3,
    deprecatedSource: { component: 'c' },
  });
  expect(convert(old, 'v1')).toMatchObject({ involvedObject: { name: 'p' }, message: 'text', count: 3 });
});

test('groups of a review are called so', () => {
  const old = {
    apiVersion: 'authorization.k8s.io/v1beta1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user: 'u', group: ['g'] },
  };
  const made = convert(old, 'authorization.k8s.io/v1');
  expect(made).toMatchObject({ apiVersion: 'authorization.k8s.io/v1', spec: { user: 'u', groups: ['g'] } });
  expect(convert(made, 'authorization.k8s.io/v1beta1')).toMatchObject({ spec: { group: ['g'] } });
});
