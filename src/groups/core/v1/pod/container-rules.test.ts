import { describe, expect, test } from 'vitest';
import { base, containerWith, errorsOf, found, podWith } from '../../../../testing/pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';

describe('containers', () => {
  test.each<[string, PodSpec, string[]]>([
    ['none', { containers: [] }, ['spec.containers Required']],
    [
      'no name and no image',
      { containers: [{}] },
      ['spec.containers[0].name Required', 'spec.containers[0].image Required'],
    ],
    ['a bad name', containerWith({ name: 'A_b' }), ['spec.containers[0].name Invalid']],
    ['the same name twice', { containers: [base, base] }, ['spec.containers[1].name Duplicate']],
    ['the name of an init container', podWith({ initContainers: [base] }), ['spec.initContainers[0].name Duplicate']],
    [
      'an unknown pull policy',
      containerWith({ imagePullPolicy: 'Odd' }),
      ['spec.containers[0].imagePullPolicy NotSupported'],
    ],
    [
      'ports',
      containerWith({
        ports: [
          { containerPort: 70000 },
          { name: 'UPPER', containerPort: 1, hostPort: -1 },
          { name: 'x', containerPort: 0, protocol: 'Odd' },
          { name: 'x', containerPort: 3 },
        ],
      }),
      [
        'spec.containers[0].ports[0].containerPort Invalid',
        'spec.containers[0].ports[1].name Invalid',
        'spec.containers[0].ports[1].hostPort Invalid',
        'spec.containers[0].ports[2].containerPort Required',
        'spec.containers[0].ports[2].protocol NotSupported',
        'spec.containers[0].ports[3].name Duplicate',
      ],
    ],
    [
      'the same port of the node twice',
      { containers: ['a', 'b'].map((name) => ({ name, image: 'i', ports: [{ containerPort: 1, hostPort: 80 }] })) },
      ['spec.containers[1].ports[0].hostPort Duplicate'],
    ],
    [
      'environment',
      containerWith({
        env: [
          { name: '' },
          { name: 'a=b', value: 'x' },
          { name: 'A', valueFrom: {} },
          { name: 'B', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'C', valueFrom: { fieldRef: { fieldPath: 'spec.odd' } } },
          { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
          { name: 'E', valueFrom: { configMapKeyRef: { key: 'a b' } } },
          { name: 'F', valueFrom: { resourceFieldRef: { resource: 'limits.odd' } } },
        ],
        envFrom: [{}, { secretRef: {} }],
      }),
      [
        'spec.containers[0].env[0].name Required',
        'spec.containers[0].env[1].name Invalid',
        'spec.containers[0].env[2].valueFrom Invalid',
        'spec.containers[0].env[3].valueFrom Invalid',
        'spec.containers[0].env[4].valueFrom.fieldRef.fieldPath Invalid',
        'spec.containers[0].env[5].valueFrom.fieldRef.fieldPath NotSupported',
        'spec.containers[0].env[6].valueFrom.configMapKeyRef.name Invalid',
        'spec.containers[0].env[6].valueFrom.configMapKeyRef.key Invalid',
        'spec.containers[0].env[7].valueFrom.resourceFieldRef.resource NotSupported',
        'spec.containers[0].envFrom Invalid',
        'spec.containers[0].envFrom[1].secretRef.name Required',
      ],
    ],
    [
      'mounts',
      {
        volumes: [{ name: 'v' }],
        ...containerWith({
          volumeMounts: [
            { name: 'none', mountPath: '/a' },
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '', subPath: '/abs' },
            { name: 'v', mountPath: '/b', subPath: 'a/../b', mountPropagation: 'Bidirectional' },
            { name: 'v', mountPath: '/c', recursiveReadOnly: 'Enabled' },
          ],
          volumeDevices: [{ name: 'v', devicePath: '/dev/x' }],
        }),
      },
      [
        'spec.containers[0].volumeMounts[0].name NotFound',
        'spec.containers[0].volumeMounts[1].mountPath Invalid',
        'spec.containers[0].volumeMounts[2].mountPath Required',
        'spec.containers[0].volumeMounts[1].name Invalid',
        'spec.containers[0].volumeMounts[2].name Invalid',
        'spec.containers[0].volumeMounts[3].name Invalid',
        'spec.containers[0].volumeMounts[4].name Invalid',
        'spec.containers[0].volumeMounts.subPath Invalid',
        'spec.containers[0].volumeMounts.mountPropagation Forbidden',
        'spec.containers[0].volumeMounts.recursiveReadOnly Forbidden',
        'spec.containers[0].volumeDevices[0].name Invalid',
      ],
    ],
    [
      'resources',
      containerWith({
        resources: {
          limits: { cpu: '1', memory: '-1', odd: '1', 'example.com/gpu': '1.5' },
          requests: { cpu: '2', 'hugepages-2Mi': '2Mi' },
          claims: [{ name: 'none' }],
        },
      }),
      [
        'spec.containers[0].resources.limits[memory] Invalid',
        'spec.containers[0].resources.limits[odd] Invalid',
        'spec.containers[0].resources.limits[example.com/gpu] Invalid',
        'spec.containers[0].resources.requests Invalid',
        'spec.containers[0].resources.limits Required',
        'spec.containers[0].resources.requests[memory] Invalid',
        'spec.containers[0].resources.requests[odd] Invalid',
        'spec.containers[0].resources.requests[example.com/gpu] Invalid',
        'spec.containers[0].resources.claims[0] NotFound',
      ],
    ],
    [
      'probes and hooks',
      containerWith({
        livenessProbe: { successThreshold: 2, tcpSocket: { port: 0 } },
        readinessProbe: { terminationGracePeriodSeconds: 3, exec: {}, periodSeconds: -1 },
        startupProbe: {},
        lifecycle: {
          preStop: { sleep: { seconds: 31 } },
          postStart: { exec: { command: ['x'] }, sleep: { seconds: 1 } },
        },
      }),
      [
        'spec.containers[0].lifecycle.postStart.sleep Forbidden',
        'spec.containers[0].lifecycle.preStop.sleep Invalid',
        'spec.containers[0].livenessProbe.tcpSocket.port Invalid',
        'spec.containers[0].livenessProbe.successThreshold Invalid',
        'spec.containers[0].readinessProbe.exec.command Required',
        'spec.containers[0].readinessProbe.periodSeconds Invalid',
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds Invalid',
        'spec.containers[0].startupProbe Required',
      ],
    ],
    [
      'security',
      containerWith({
        securityContext: {
          runAsUser: -1,
          privileged: true,
          allowPrivilegeEscalation: false,
          procMount: 'Unmasked',
          seccompProfile: { type: 'Localhost' },
          appArmorProfile: { type: 'Unconfined', localhostProfile: 'x' },
        },
      }),
      [
        'spec.containers[0].securityContext.runAsUser Invalid',
        'spec.containers[0].securityContext.procMount Invalid',
        'spec.containers[0].securityContext Invalid',
        'spec.containers[0].securityContext.seccompProfile.localhostProfile Required',
        'spec.containers[0].securityContext.appArmorProfile.localhostProfile Invalid',
      ],
    ],
    [
      'probes of an init container',
      podWith({ initContainers: [{ name: 'i', image: 'i', livenessProbe: { tcpSocket: { port: 1 } } }] }),
      ['spec.initContainers[0].livenessProbe Forbidden'],
    ],
    [
      'an ephemeral container with too much',
      podWith({
        ephemeralContainers: [{ name: 'e', image: 'i', ports: [{ containerPort: 1 }], targetContainerName: 'none' }],
      }),
      ['spec.ephemeralContainers[0].targetContainerName NotFound', 'spec.ephemeralContainers[0].ports Forbidden'],
    ],
  ])('%s', (_, spec, expected) => expect(found(spec).sort()).toEqual([...expected].sort()));
});

test('what a container learns about its pod is said in the version of pods that there is', () => {
  const ref = (apiVersion: string, fieldPath: string) => ({
    name: 'N',
    valueFrom: { fieldRef: { apiVersion, fieldPath } },
  });
  const env = [ref('v1', 'metadata.name'), ref('v2', 'metadata.name'), ref('v1', "metadata.labels['a b']")];
  expect(found(containerWith({ env }))).toEqual([
    'spec.containers[0].env[1].valueFrom.fieldRef.fieldPath Invalid',
    'spec.containers[0].env[2].valueFrom.fieldRef Invalid',
  ]);
});

test('the request above the limit says what the limit is', () => {
  const spec = containerWith({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } });
  expect(errorsOf(spec)).toMatchObject([
    {
      reason: 'FieldValueInvalid',
      field: 'spec.containers[0].resources.requests',
      message: 'Invalid value: "2": must be less than or equal to cpu limit of 1',
    },
  ]);
});

test('claims are told apart by name and request, and those that are not there by what is', () => {
  const claims = [
    { name: 'a', request: 'x' },
    { name: 'a', request: 'y' },
    { name: 'a', request: 'x' },
    { name: 'a' },
    { name: 'a', request: 'z' },
    { name: 'b' },
  ];
  const spec = { ...containerWith({ resources: { claims } }), resourceClaims: [{ name: 'a', resourceClaimName: 'c' }] };
  const at = 'spec.containers[0].resources.claims';
  expect(errorsOf(spec).map(({ field, message }) => [field.replace(at, ''), message])).toEqual([
    ['[2]', 'Duplicate value: "a/x"'],
    ['[3]', 'Duplicate value: "a"'],
    ['[3]', 'Duplicate value: "a"'],
    ['[4]', 'Duplicate value: "a"'],
    ['[5]', 'Not found: "b": must be one of the names in pod.spec.resourceClaims: a'],
  ]);
  const many = Array.from({ length: 100 }, (_, i) => ({ name: `n${i}`, resourceClaimName: 'c' }));
  const [validationError] = errorsOf({
    ...containerWith({ resources: { claims: [{ name: 'b' }] } }),
    resourceClaims: many,
  });
  expect(validationError?.message).toBe('Not found: "b": must be one of the names in pod.spec.resourceClaims');
});
