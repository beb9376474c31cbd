import { describe, expect, test } from 'vitest';
import { base, containerWith, errorsOf, found, podWith, rules } from '../../../../testing/pod-rules.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { validatePodTemplate, validateWholePod } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';

test('a plain pod is in order', () => {
  expect(found(podWith({}))).toEqual([]);
});

test('a rich pod is in order', () => {
  const spec = podWith({
    volumes: [{ name: 'v' }, { name: 'cm', configMap: { name: 'x', items: [{ key: 'k', path: 'a/b' }] } }],
    initContainers: [
      { name: 'init', image: 'i' },
      { name: 'side', image: 'i', restartPolicy: 'Always', readinessProbe: { tcpSocket: { port: 1 } } },
    ],
    containers: [
      {
        ...base,
        ports: [
          { name: 'http', containerPort: 80 },
          { containerPort: 53, protocol: 'UDP' },
        ],
        env: [
          { name: 'A.b-c', value: '1' },
          { name: 'N', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
        envFrom: [{ prefix: 'X_', configMapRef: { name: 'm' } }],
        volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
        livenessProbe: { exec: { command: ['true'] } },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        resources: { limits: { cpu: '1', 'example.com/gpu': '2' }, requests: { cpu: '500m' } },
        securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
      },
    ],
    tolerations: [{ operator: 'Exists' }, { key: 'k', value: 'v', effect: 'NoExecute', tolerationSeconds: 5 }],
    nodeSelector: { disk: 'ssd' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['3'] }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: {} } },
        ],
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', minDomains: 2, labelSelector: {} },
    ],
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['10.0.0.1'], searches: ['a.b.', '_x.y', '.'], options: [{ name: 'ndots', value: '2' }] },
    hostAliases: [{ ip: '::1', hostnames: ['a.b'] }],
    readinessGates: [{ conditionType: 'example.com/x' }],
    schedulingGates: [{ name: 'example.com/g' }],
    securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }], fsGroupChangePolicy: 'Always' },
    os: { name: 'linux' },
  });
  expect(found(spec)).toEqual([]);
});

describe('the rest of a pod', () => {
  test.each<[string, PodSpec, string[]]>([
    ['restart policy', { restartPolicy: 'Odd' }, ['spec.restartPolicy NotSupported']],
    ['DNS policy None', { dnsPolicy: 'None' }, ['spec.dnsConfig Required']],
    [
      'nameservers',
      { dnsConfig: { nameservers: ['x', '1.1.1.1', '1.1.1.2', '1.1.1.3'] } },
      ['spec.dnsConfig.nameservers Invalid', 'spec.dnsConfig.nameservers[0] Invalid'],
    ],
    ['deadline', { activeDeadlineSeconds: 0 }, ['spec.activeDeadlineSeconds Invalid']],
    [
      'names',
      { hostname: 'a.b', nodeName: 'A', serviceAccountName: '_' },
      ['spec.serviceAccountName Invalid', 'spec.nodeName Invalid', 'spec.hostname Invalid'],
    ],
    [
      'host aliases',
      { hostAliases: [{ ip: 'x', hostnames: ['A'] }] },
      ['spec.hostAliases[0].ip Invalid', 'spec.hostAliases[0].hostnames[0] Invalid'],
    ],
    [
      'tolerations',
      {
        tolerations: [
          {},
          { key: 'a', operator: 'Exists', value: 'v' },
          { key: 'a', effect: 'NoSchedule', tolerationSeconds: 1 },
          { key: 'a', operator: 'Gt' },
        ],
      },
      [
        'spec.tolerations[0].operator Invalid',
        'spec.tolerations[1].operator Invalid',
        'spec.tolerations[2].effect Invalid',
        'spec.tolerations[3].operator NotSupported',
      ],
    ],
    [
      'node affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, preference: { matchFields: [{ key: 'x', operator: 'In', values: [] }] } },
            ],
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms Required',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight Invalid',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].values Required',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].key Invalid',
      ],
    ],
    [
      'topology spread',
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'Odd' }] },
      [
        'spec.topologySpreadConstraints[0].maxSkew Invalid',
        'spec.topologySpreadConstraints[0].whenUnsatisfiable NotSupported',
      ],
    ],
    [
      'gates',
      { nodeName: 'n', readinessGates: [{ conditionType: 'a b' }], schedulingGates: [{ name: 'g' }, { name: 'g' }] },
      ['spec.readinessGates[0].conditionType Invalid', 'spec.schedulingGates[1] Duplicate'],
    ],
    [
      'sysctls',
      {
        hostNetwork: true,
        securityContext: {
          sysctls: [
            { name: 'net.x', value: '1' },
            { name: 'A', value: '' },
            { name: 'kernel.x', value: '' },
            { name: 'kernel.x', value: '' },
          ],
        },
      },
      [
        'spec.securityContext.sysctls[0].name Invalid',
        'spec.securityContext.sysctls[1].name Invalid',
        'spec.securityContext.sysctls[3].name Duplicate',
      ],
    ],
    [
      'operating system',
      { os: { name: 'windows' }, securityContext: { runAsUser: 1 }, hostPID: true },
      ['spec.hostPID Forbidden', 'spec.securityContext.runAsUser Forbidden'],
    ],
    ['resource claims', { resourceClaims: [{ name: 'a' }] }, ['spec.resourceClaims[0] Invalid']],
    ['node selector', { nodeSelector: { 'a b': 'c' } }, ['spec.nodeSelector Invalid']],
    [
      'pod resources',
      { resources: { limits: { 'example.com/gpu': '1' } } },
      ['spec.resources.limits[example.com/gpu] NotSupported'],
    ],
    [
      'less for the pod than for its containers',
      {
        containers: [{ ...base, resources: { requests: { cpu: '2' }, limits: { cpu: '3' } } }],
        resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
      },
      ['spec.resources.requests[cpu] Invalid', 'spec.resources.containers[0][cpu].limits Invalid'],
    ],
    ['an unknown operating system', { os: { name: 'odd' } }, ['spec.os NotSupported']],
    [
      'processes of the node',
      { hostPID: true, shareProcessNamespace: true },
      ['spec.securityContext.shareProcessNamespace Invalid'],
    ],
    [
      'users of its own',
      { hostUsers: false, hostPID: true, hostIPC: true, hostNetwork: true },
      ['spec.hostNetwork Forbidden', 'spec.HostPID Forbidden', 'spec.HostIPC Forbidden'],
    ],
    [
      'a port that is another on the node',
      { hostNetwork: true, containers: [{ ...base, ports: [{ containerPort: 1, hostPort: 2 }] }] },
      ['spec.containers[0].ports[0].hostPort Invalid'],
    ],
    ['host processes', { securityContext: { windowsOptions: { hostProcess: true } } }, ['spec.hostNetwork Invalid']],
    [
      'a key of spread that its selector has too',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'DoNotSchedule',
            matchLabelKeys: ['app', 'rev'],
            labelSelector: {
              matchLabels: { app: 'a' },
              matchExpressions: ['app', 'rev'].map((key) => ({ key, operator: 'In', values: ['a'] })),
            },
          },
        ],
      },
      ['spec.topologySpreadConstraints[0][0] Invalid'],
    ],
    [
      'files of the same name',
      {
        serviceAccountName: 's',
        volumes: [
          {
            name: 'v',
            projected: {
              sources: [
                { configMap: { name: 'm', items: [{ key: 'k', path: 'a' }] } },
                { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } },
              ],
            },
          },
        ],
      },
      ['spec.volumes[0].projected Invalid'],
    ],
    [
      'a registry without a name',
      { volumes: [{ name: 'v', quobyte: {} }] },
      ['spec.volumes[0].quobyte.registry Required', 'spec.volumes[0].quobyte.volume Required'],
    ],
    [
      'spread twice',
      {
        topologySpreadConstraints: [1, 2].map(() => ({
          maxSkew: 1,
          topologyKey: 'z',
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      },
      ['spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable} Duplicate'],
    ],
  ])('%s', (_, more, expected) => expect(found(podWith(more)).sort()).toEqual([...expected].sort()));
});

test('a template names its labels without metadata, and has no ephemeral containers', () => {
  const template = defaultPodTemplate({
    metadata: { labels: { 'a b': 'c' } },
    spec: { containers: [base], ephemeralContainers: [{ name: 'e', image: 'i' }] },
  });
  expect(validatePodTemplate(template, 'spec.template', rules).map(({ field }) => field)).toEqual([
    'spec.template.labels',
    'spec.template.spec.ephemeralContainers',
  ]);
});

test.each([undefined, {}, { spec: {} }])('a template may be anything that was decoded: %j', (template) => {
  expect(validatePodTemplate(template, 't', rules).map(({ field }) => field)).toContain('t.spec.containers');
});

test('a pod without an account has no tokens', () => {
  const volumes = [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }];
  expect(validateWholePod(podWith({ volumes, serviceAccountName: 's' }))).toEqual([]);
  expect(validateWholePod(podWith({ volumes })).map(({ field, reason }) => [field, reason])).toEqual([
    ['spec.volumes[0].projected.sources[0].serviceAccountToken', 'FieldValueForbidden'],
  ]);
});

test('a pod has no blanks around its images', () => {
  expect(validateWholePod(containerWith({ image: ' i' })).map(({ field }) => field)).toEqual([
    'spec.containers[0].image',
  ]);
});

test.each<[string, PodSpec, string]>([
  [
    'a file is written twice, and by which source',
    {
      volumes: [
        {
          name: 'v',
          projected: { sources: ['m', 'n'].map((name) => ({ configMap: { name, items: [{ key: 'k', path: 'a' }] } })) },
        },
      ],
    },
    'Invalid value: "n": conflicting duplicate paths',
  ],
  [
    'a divisor does not fit',
    containerWith({
      env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.ephemeral-storage', divisor: '2' } } }],
    }),
    'Invalid value: "limits.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
  ],
  [
    'a claim is not there',
    containerWith({ resources: { claims: [{ name: 'a' }] } }),
    'Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
  ],
  [
    'a setting has no name',
    { securityContext: { sysctls: [{ name: 'A', value: '' }] } },
    'Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
  ],
  [
    'a toleration has a value too many',
    { tolerations: [{ key: 'a', operator: 'Exists', value: 'v' }] },
    'Invalid value: "v": value must be empty when `operator` is \'Exists\'',
  ],
])('the validation error says that %s', (_, more, message) => {
  expect(errorsOf(podWith(more)).map((validationError) => validationError.message)).toEqual([message]);
});
