import { describe, expect, test } from 'vitest';
import { canonicalQuantity } from '../../../../meta/quantity.ts';
import { pullPolicyOf } from './container-defaults.ts';
import { defaultPodSpec, defaultPodTemplate, defaultWholePod } from './pod-defaults.ts';
import type { PodSpec } from './pod-spec.ts';

const container = { name: 'c', image: 'img:1' };
const whole = (spec: PodSpec): PodSpec => defaultWholePod({ containers: [container], ...spec });

test('a template gets what every pod of it would get, and nothing that depends on the pod', () => {
  const limited = { ...container, resources: { limits: { cpu: '1' } }, ports: [{ containerPort: 80 }] };
  const { spec } = defaultPodTemplate({ spec: { hostNetwork: true, containers: [limited] } });
  expect(spec).toMatchObject({
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
  expect(spec?.enableServiceLinks).toBeUndefined();
  expect(spec?.containers?.[0]?.resources).toEqual({ limits: { cpu: '1' } });
  expect(spec?.containers?.[0]?.ports).toEqual([{ containerPort: 80 }]);
});

test.each([{}, { metadata: {} }, { spec: {} }])('a template may leave out everything: %j', (template) => {
  expect(defaultPodTemplate(template).spec?.restartPolicy).toBe('Always');
});

describe('image pull policy', () => {
  test.each([
    ['img', 'Always'],
    ['img:latest', 'Always'],
    ['registry.example.com:5000/a/b', 'Always'],
    ['registry.example.com:5000/a/b:latest', 'Always'],
    ['img:1.2', 'IfNotPresent'],
    [`img@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
    [`img:latest@sha256:${'a'.repeat(64)}`, 'Always'],
    ['Not An Image', 'IfNotPresent'],
    ['', 'IfNotPresent'],
  ])('of %j is %s', (image, policy) => expect(pullPolicyOf(image)).toBe(policy));
});

test('containers get a message path, a message policy and probe timings', () => {
  const livenessProbe = { httpGet: { port: 80 } };
  const lifecycle = { preStop: { httpGet: { port: 'x' } } };
  const [made] = whole({ containers: [{ ...container, livenessProbe, lifecycle }] }).containers ?? [];
  expect(made).toMatchObject({
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    livenessProbe: {
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    lifecycle: { preStop: { httpGet: { port: 'x', path: '/', scheme: 'HTTP' } } },
  });
});

test('init and ephemeral containers are containers', () => {
  const spec = whole({ initContainers: [{ name: 'i', image: 'x' }], ephemeralContainers: [{ name: 'e', image: 'x' }] });
  expect(spec.initContainers?.[0]).toMatchObject({ imagePullPolicy: 'Always', terminationMessagePolicy: 'File' });
  expect(spec.ephemeralContainers?.[0]).toMatchObject({ imagePullPolicy: 'Always', terminationMessagePolicy: 'File' });
});

test('requests follow limits where they are not given', () => {
  const resources = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } };
  const [made] = whole({ containers: [{ ...container, resources }] }).containers ?? [];
  expect(made?.resources?.requests).toEqual({ cpu: '500m', memory: '1Gi' });
});

test('in the network of the node, ports are ports of the node', () => {
  const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }];
  const [made] = whole({ hostNetwork: true, containers: [{ ...container, ports }] }).containers ?? [];
  expect(made?.ports?.map(({ hostPort }) => hostPort)).toEqual([80, 81]);
});

describe('the service account has two names', () => {
  test.each([
    [{ serviceAccount: 'a' }, 'a'],
    [{ serviceAccountName: 'b' }, 'b'],
    [{ serviceAccount: 'a', serviceAccountName: 'b' }, 'b'],
  ])('%j', (given, name) => {
    expect(whole(given)).toMatchObject({ serviceAccount: name, serviceAccountName: name });
  });
});

describe('volumes', () => {
  test.each([
    ['no source', {}, { emptyDir: {} }],
    ['hostPath', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    ['secret', { secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
    ['configMap', { configMap: { name: 'm', defaultMode: 0 } }, { configMap: { name: 'm', defaultMode: 0 } }],
    [
      'downwardAPI',
      { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
      {
        downwardAPI: {
          defaultMode: 420,
          items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } }],
        },
      },
    ],
    [
      'token',
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
    ],
    ['image', { image: { reference: 'x:1' } }, { image: { reference: 'x:1', pullPolicy: 'IfNotPresent' } }],
    [
      'ephemeral',
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
    ],
  ])('with %s', (_, given, expected) => {
    expect(whole({ volumes: [{ name: 'v', ...given }] }).volumes).toEqual([{ name: 'v', ...expected }]);
  });
});

describe('resources of a pod as a whole', () => {
  const sized = (name: string, cpu: string) => ({ name, image: 'i', resources: { requests: { cpu } } });

  test('are not made up for a pod that states none', () => {
    expect(whole({}).resources).toBeUndefined();
  });

  test('request what the containers request together, and otherwise what they are limited to', () => {
    const { resources } = whole({
      resources: { limits: { cpu: '4', memory: '1Gi' } },
      initContainers: [sized('i', '3')],
      containers: [sized('a', '1'), sized('b', '500m')],
    });
    expect(resources).toEqual({ limits: { cpu: '4', memory: '1Gi' }, requests: { cpu: '3', memory: '1Gi' } });
  });

  test('count sidecars with the containers they run next to', () => {
    const sidecar = { ...sized('s', '1'), restartPolicy: 'Always' };
    const { resources } = whole({
      resources: { limits: { cpu: '4' } },
      initContainers: [sidecar, sized('i', '2')],
      containers: [sized('a', '1')],
    });
    expect(resources?.requests).toEqual({ cpu: '3' });
  });
});

test.each([
  ['0.0001', '1m'],
  ['1.0005', '1001m'],
  ['5e-4', '1e-3'],
  ['1n', '1m'],
  ['-100u', '-1m'],
  ['500m', '500m'],
  ['2', '2'],
])('an amount of %s is kept to a thousandth: %s', (cpu, expected) => {
  const decoded = canonicalQuantity(cpu) ?? '';
  const { containers, overhead } = defaultPodSpec({
    containers: [{ name: 'c', resources: { limits: { cpu: decoded }, requests: { cpu: decoded } } }],
    overhead: { cpu: decoded },
  });
  expect([containers?.[0]?.resources, overhead]).toEqual([
    { limits: { cpu: expected }, requests: { cpu: expected } },
    { cpu: expected },
  ]);
});
