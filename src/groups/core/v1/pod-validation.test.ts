import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { DecodeContext, decoderOf } from '../../../schema/decode.ts';
import { defaultPodTemplate, defaultWholePod } from './pod-defaults.ts';
import { type PodSpec, podSpec } from './pod-spec.ts';
import { validatePodSpec, validatePodTemplate, validateWholePod } from './pod-validation.ts';

const rules = { dialect: kubernetes };
const base = { name: 'c', image: 'i' };
const one = (more: object): PodSpec => ({ containers: [{ ...base, ...more }] });
const pod = (more: PodSpec): PodSpec => ({ containers: [base], ...more });
const decoded = (spec: PodSpec) => decoderOf(podSpec)(spec, new DecodeContext()) as PodSpec;
/** Fields and reasons, each once. */
const found = (spec: PodSpec) => {
  const findings = validatePodSpec(defaultWholePod(decoded(spec)), 'spec', rules, 'p');
  return [...new Set(findings.map(({ field, reason }) => `${field} ${reason.slice(10)}`))];
};

test('a plain pod is in order', () => {
  expect(found(pod({}))).toEqual([]);
});

test('a rich pod is in order', () => {
  const spec = pod({
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

describe('containers', () => {
  test.each<[string, PodSpec, string[]]>([
    ['none', { containers: [] }, ['spec.containers Required']],
    [
      'no name and no image',
      { containers: [{}] },
      ['spec.containers[0].name Required', 'spec.containers[0].image Required'],
    ],
    ['a bad name', one({ name: 'A_b' }), ['spec.containers[0].name Invalid']],
    ['the same name twice', { containers: [base, base] }, ['spec.containers[1].name Duplicate']],
    ['the name of an init container', pod({ initContainers: [base] }), ['spec.initContainers[0].name Duplicate']],
    ['an unknown pull policy', one({ imagePullPolicy: 'Odd' }), ['spec.containers[0].imagePullPolicy NotSupported']],
    [
      'ports',
      one({
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
      one({
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
        ...one({
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
      one({
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
      one({
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
      one({
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
      pod({ initContainers: [{ name: 'i', image: 'i', livenessProbe: { tcpSocket: { port: 1 } } }] }),
      ['spec.initContainers[0].livenessProbe Forbidden'],
    ],
    [
      'an ephemeral container with too much',
      pod({
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
  expect(found(one({ env }))).toEqual([
    'spec.containers[0].env[1].valueFrom.fieldRef.fieldPath Invalid',
    'spec.containers[0].env[2].valueFrom.fieldRef Invalid',
  ]);
});

describe('volumes', () => {
  test.each<[string, object, string[]]>([
    ['a bad name', { name: 'A' }, ['.name Invalid']],
    ['two sources', { name: 'v', emptyDir: {}, nfs: { server: 's', path: '/' } }, ['.nfs Forbidden']],
    [
      'hostPath',
      { name: 'v', hostPath: { path: '/a/../b', type: 'Odd' } },
      ['.hostPath.path Invalid', '.hostPath.type NotSupported'],
    ],
    ['nfs', { name: 'v', nfs: { path: 'a' } }, ['.nfs.server Required', '.nfs.path Invalid']],
    [
      'secret',
      { name: 'v', secret: { defaultMode: 512 } },
      ['.secret.secretName Required', '.secret.defaultMode Invalid'],
    ],
    [
      'items',
      { name: 'v', configMap: { name: 'm', items: [{ path: '../x' }] } },
      ['.configMap.items[0].key Required', '.configMap.items[0].path Invalid'],
    ],
    ['claim', { name: 'v', persistentVolumeClaim: {} }, ['.persistentVolumeClaim.claimName Required']],
    [
      'projection',
      {
        name: 'v',
        projected: { sources: [{}, { secret: {} }, { serviceAccountToken: { path: 't', expirationSeconds: 1 } }] },
      },
      [
        '.projected.sources[1].secret.name Required',
        '.projected.sources[2].serviceAccountToken.expirationSeconds Invalid',
      ],
    ],
    [
      'the same file twice',
      {
        name: 'v',
        projected: { sources: [1, 2].map(() => ({ secret: { name: 's', items: [{ key: 'k', path: 't' }] } })) },
      },
      ['.projected Invalid'],
    ],
    [
      'ephemeral',
      { name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      [
        '.ephemeral.volumeClaimTemplate.spec.accessModes Required',
        '.ephemeral.volumeClaimTemplate.spec.resources[storage] Required',
      ],
    ],
    ['downward', { name: 'v', downwardAPI: { items: [{ path: 'p' }] } }, ['.downwardAPI Required']],
    ['two kinds', { name: 'v', hostPath: { path: '/' }, emptyDir: {} }, ['.hostPath Forbidden']],
    [
      'two kinds in a projection',
      { name: 'v', projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'm' } }] } },
      ['.projected.sources[0] Forbidden'],
    ],
    [
      'a token without a path',
      { name: 'v', projected: { sources: [{ serviceAccountToken: {} }] } },
      ['.projected.path Required'],
    ],
    [
      'a disk of a cloud',
      { name: 'v', gcePersistentDisk: { partition: 256 } },
      ['.persistentDisk.pdName Required', '.persistentDisk.partition Invalid'],
    ],
    [
      'nfs without anything',
      { name: 'v', nfs: {} },
      ['.nfs.server Required', '.nfs.path Required', '.nfs.path Invalid'],
    ],
    [
      'iscsi',
      { name: 'v', iscsi: { targetPortal: 'p', iqn: 'x', lun: 1, chapAuthSession: true } },
      ['.iscsi.iqn Invalid', '.iscsi.secretRef Required'],
    ],
    [
      'csi',
      { name: 'v', csi: { nodePublishSecretRef: {} } },
      ['.csi.driver Required', '.csi.driver Invalid', '.csi.nodePublishSecretRef.name Required'],
    ],
    ['an image', { name: 'v', image: {} }, ['.image.reference Required']],
    [
      'a claim with a name',
      {
        name: 'v',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { name: 'x' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
          },
        },
      },
      ['.ephemeral.volumeClaimTemplate.metadata.name Forbidden'],
    ],
  ])('%s', (_, volume, expected) => {
    expect(found(pod({ volumes: [volume] })).sort()).toEqual(expected.map((text) => `spec.volumes[0]${text}`).sort());
  });

  test('nobody can mount a volume that is not in order, or use a claim that comes with the pod', () => {
    const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } };
    const spec: PodSpec = {
      containers: [{ ...base, volumeMounts: [{ name: 'v', mountPath: '/a' }, { mountPath: '/b' }] }],
      volumes: [
        { name: 'v', secret: {} },
        { name: 'e', ephemeral: { volumeClaimTemplate: claim } },
        { name: 'c', persistentVolumeClaim: { claimName: 'p-e' } },
      ],
    };
    expect(found(spec)).toEqual([
      'spec.volumes[0].secret.secretName Required',
      'spec.volumes[2].persistentVolumeClaim.claimName Invalid',
      'spec.containers[0].volumeMounts[0].name NotFound',
      'spec.containers[0].volumeMounts[1].name Required',
      'spec.containers[0].volumeMounts[1].name NotFound',
    ]);
  });

  test('the same name twice', () => {
    expect(found(pod({ volumes: [{ name: 'v' }, { name: 'v' }] }))).toEqual(['spec.volumes[1].name Duplicate']);
  });
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
      ['spec.topologySpreadConstraints[0].matchLabelKeys[0] Invalid'],
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
      'a registry of nobody',
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
  ])('%s', (_, more, expected) => expect(found(pod(more)).sort()).toEqual([...expected].sort()));
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
  expect(validateWholePod(pod({ volumes, serviceAccountName: 's' }))).toEqual([]);
  expect(validateWholePod(pod({ volumes })).map(({ field, reason }) => [field, reason])).toEqual([
    ['spec.volumes[0].projected.sources[0].serviceAccountToken', 'FieldValueForbidden'],
  ]);
});

test('a pod has no blanks around its images', () => {
  expect(validateWholePod(one({ image: ' i' })).map(({ field }) => field)).toEqual(['spec.containers[0].image']);
});

test('the request above the limit says what the limit is', () => {
  const spec = one({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } });
  expect(validatePodSpec(defaultWholePod(spec), 'spec', rules)).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: 'spec.containers[0].resources.requests',
      message: 'Invalid value: "2": must be less than or equal to cpu limit of 1',
    },
  ]);
});

test.each<[string, PodSpec, string]>([
  [
    'a file is written twice, and by whom',
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
    one({
      env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.ephemeral-storage', divisor: '2' } } }],
    }),
    'Invalid value: "limits.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
  ],
  [
    'a claim is not there',
    one({ resources: { claims: [{ name: 'a' }] } }),
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
])('the finding says that %s', (_, more, message) => {
  const spec = defaultWholePod(decoded(pod(more)));
  expect(validatePodSpec(spec, 'spec', rules, 'p').map((finding) => finding.message)).toEqual([message]);
});

test.each<[string, string[]]>([
  ['user', []],
  ['DOMAIN\\user', []],
  ['example.com\\user', []],
  ['', ['cannot be an empty string']],
  ['a\u0000b', ['cannot contain control characters']],
  ['a\\b\\c', ['cannot contain more than one backslash']],
  ['\\user', ["'s Domain doesn't match the NetBios nor the DNS format"]],
  [
    `${'d'.repeat(256)}\\u`,
    ["'s Domain length must be under 256 characters", "'s Domain doesn't match the NetBios nor the DNS format"],
  ],
  ['D\\', ["'s User cannot be empty"]],
  ['u'.repeat(105), ["'s User length must not be longer than 104 characters"]],
  ['. .', ["'s User cannot contain only periods or spaces"]],
  ['a@b', ['\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]']],
])('a Windows user %j', (runAsUserName, expected) => {
  const spec = defaultWholePod(decoded(pod({ securityContext: { windowsOptions: { runAsUserName } } })));
  const details = validatePodSpec(spec, 'spec', rules, 'p').map(({ message }) => message.split('runAsUserName').at(-1));
  expect(details.map((detail) => detail?.replace(/^ /, ''))).toEqual(expected);
});
