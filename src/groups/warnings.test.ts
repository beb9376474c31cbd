// What kinds say about objects that are in order: one row a case.

import { describe, expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import type { KindDefinition } from '../schema/resource.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { deployment } from './apps/v1/deployment.ts';
import { statefulSet } from './apps/v1/stateful-set.ts';
import { cronJob } from './batch/v1/cron-job.ts';
import { job } from './batch/v1/job.ts';
import { node } from './core/v1/node/node.ts';
import { pod } from './core/v1/pod/pod.ts';
import { podTemplate } from './core/v1/pod/pod-template.ts';
import { endpoints } from './core/v1/service/endpoints.ts';
import { service } from './core/v1/service/service.ts';
import { serviceAccount } from './core/v1/service-account.ts';
import { persistentVolume } from './core/v1/volume/persistent-volume.ts';
import { persistentVolumeClaim } from './core/v1/volume/persistent-volume-claim.ts';
import { endpointSlice } from './discovery/v1/endpoint-slice.ts';
import { ingress } from './networking/v1/ingress.ts';
import { networkPolicy } from './networking/v1/network-policy.ts';
import { runtimeClass } from './node/v1/runtime-class.ts';
import { csiStorageCapacity } from './storage/v1/csi-storage-capacity.ts';
import { storageClass } from './storage/v1/storage-class.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };

const saidEarly = (object: object): readonly string[] =>
  pod.strategy?.earlyWarnings?.(object as ApiObject, context) ?? [];

function said(kind: KindDefinition, object: object, old?: object): readonly string[] {
  const named = (given: object) => ({ metadata: { name: 'n' }, ...given }) as ApiObject;
  return kind.strategy?.warnings?.(named(object), old && named(old), context) ?? [];
}

const c = (fields: object = {}) => ({ name: 'c', image: 'i', ...fields });
const beta = 'failure-domain.beta.kubernetes.io/zone';
const zone = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead';
const noPod = 'a null labelSelector results in matching no pod';

describe('pods', () => {
  test.each<[string, object, readonly string[]]>([
    ['nothing odd', { containers: [c()] }, []],
    ['a label of old', { nodeSelector: { [beta]: 'a' } }, [`spec.nodeSelector[${beta}]: ${zone}`]],
    [
      'labels of old in affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: beta, operator: 'In', values: ['-'] }] }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } },
            ],
          },
        },
      },
      [
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: ${beta} is ${zone}`,
        expect.stringMatching(
          /^spec\.affinity\.nodeAffinity\.preferredDuringSchedulingIgnoredDuringExecution\[0\]\.preference\.matchExpressions\[0\]\.values\[0\]: - is invalid, a valid label/,
        ) as string,
      ],
    ],
    [
      'selectors that match nothing',
      {
        topologySpreadConstraints: [{ topologyKey: beta }],
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z' }] },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'z' } }],
          },
        },
      },
      [
        `spec.topologySpreadConstraints[0].topologyKey: ${beta} is ${zone}`,
        `spec.topologySpreadConstraints[0].labelSelector: ${noPod}`,
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: ${noPod}`,
        `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: ${noPod}`,
      ],
    ],
    [
      'volumes that are gone',
      {
        volumes: [
          { name: 'a', gitRepo: {} },
          { name: 'b', storageos: {} },
          { name: 'c', rbd: {} },
        ],
      },
      [
        'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
        'spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+',
        'spec.volumes[2].rbd: deprecated in v1.28, non-functional in v1.31+',
      ],
    ],
    [
      'half a byte in a claim',
      {
        volumes: [
          {
            name: 'a',
            ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1500m' } } } } },
          },
        ],
      },
      [
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      ],
    ],
    [
      'files in the way of each other',
      {
        volumes: [
          { name: 'v', configMap: { name: 'm', items: [{ path: 'a' }, { path: 'a/b/' }, { path: 'ab' }] } },
          {
            name: 'p',
            projected: {
              sources: [
                {},
                { serviceAccountToken: { path: 'x/token' } },
                { secret: { name: 's', items: [{ path: 'x' }, { path: 'y' }] } },
              ],
            },
          },
        ],
      },
      [
        'volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a"',
        'volume "p" (Projected) has no sources provided',
        'volume "p" (Projected): overlapping paths: "x" (Secret "s") with "x/token" (ServiceAccountToken)',
      ],
    ],
    [
      'things named twice',
      {
        hostAliases: [{ ip: '::1' }, { ip: '::1' }],
        imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}],
      },
      [
        'spec.hostAliases[1].ip: duplicate ip "::1"',
        'spec.imagePullSecrets[1].name: duplicate name "a"',
        'spec.imagePullSecrets[2].name: invalid empty name ""',
      ],
    ],
    [
      'half bytes',
      {
        overhead: { memory: '1m' },
        containers: [
          c({ resources: { limits: { memory: '1500m' }, requests: { cpu: '1m', 'ephemeral-storage': '1u' } } }),
        ],
      },
      [
        'spec.overhead[memory]: fractional byte value "1m" is invalid, must be an integer',
        'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
        'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "1u" is invalid, must be an integer',
      ],
    ],
    [
      'variables that hide others, and one that builds on another',
      {
        containers: [
          c({
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '$(A)2' },
              { name: 'A', value: '3' },
              { name: 'A', value: '$(A)' },
            ],
          }),
        ],
      },
      [2, 3].map(
        (i) => `spec.containers[0].env[${i}]: hides previous definition of "A", which may be dropped when using apply`,
      ),
    ],
    [
      'ports in the way of each other',
      {
        containers: [
          c({
            ports: [
              { containerPort: 80, protocol: 'TCP', name: 'web' },
              { containerPort: 80, protocol: 'TCP' },
              { containerPort: 80, protocol: 'TCP', hostPort: 8080 },
              { containerPort: 80, protocol: 'UDP', hostIP: '10.0.0.1' },
            ],
          }),
        ],
        initContainers: [
          c({ ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 8080, hostIP: '10.0.0.1', name: 'web' }] }),
        ],
      },
      [
        'spec.containers[0].ports[0]: overlapping port definition with spec.initContainers[0].ports[0]',
        'spec.containers[0].ports[1]: overlapping port definition with spec.initContainers[0].ports[0]',
        'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
        'spec.containers[0].ports[2]: dangerously ambiguous port definition with spec.initContainers[0].ports[0]',
        'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]',
        'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]',
        'spec.containers[0].ports[3]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:UDP HostIP:10.0.0.1}',
        'spec.containers[0].ports[0]: duplicate port name "web" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]',
      ],
    ],
    [
      'a negative grace period',
      { terminationGracePeriodSeconds: -1 },
      ['spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1'],
    ],
    [
      'an address that is written oddly',
      { dnsConfig: { nameservers: ['10.0.0.1', '2001:DB8::1'] } },
      [
        'spec.dnsConfig.nameservers[1]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(said(pod, { spec })).toEqual(expected);
  });

  test('profiles are no longer given as annotations', () => {
    const annotations = {
      'seccomp.security.alpha.kubernetes.io/pod': 'x',
      'container.seccomp.security.alpha.kubernetes.io/c': 'x',
      'container.apparmor.security.beta.kubernetes.io/c': 'x',
      'scheduler.alpha.kubernetes.io/critical-pod': '',
    };
    const spec = { containers: [c()] };
    const at = (key: string) => `metadata.annotations[${key}]`;
    expect(said(pod, { metadata: { name: 'n', annotations }, spec })).toEqual([
      `${at('scheduler.alpha.kubernetes.io/critical-pod')}: non-functional in v1.16+; use the "priorityClassName" field instead`,
      `${at('seccomp.security.alpha.kubernetes.io/pod')}: non-functional in v1.27+; use the "seccompProfile" field instead`,
      `${at('container.seccomp.security.alpha.kubernetes.io/c')}: non-functional in v1.27+; use the "seccompProfile" field instead`,
    ]);
    expect(saidEarly({ metadata: { name: 'n', annotations }, spec })).toEqual([
      `${at('container.apparmor.security.beta.kubernetes.io/c')}: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ]);
  });

  test('a profile given as a field of a pod needs no word, one taken from the annotation does', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/c';
    const told = (text: string, own?: object, whole?: object) => {
      const spec = {
        containers: [c(own ? { securityContext: { appArmorProfile: own } } : {})],
        ...(whole ? { securityContext: { appArmorProfile: whole } } : {}),
      };
      const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'n', annotations: { [key]: text } }, spec };
      const warned = saidEarly(object).length > 0;
      const made = pod.strategy?.prepareForCreate?.(object as ApiObject, context) as ApiObject & { spec: typeof spec };
      expect(said(pod, made)).toEqual([]);
      return { warned, containers: made.spec.containers };
    };
    const localhost = { type: 'Localhost', localhostProfile: 'a' };
    expect(told('localhost/a')).toEqual({
      warned: true,
      containers: [c({ securityContext: { appArmorProfile: localhost } })],
    });
    expect(told('odd')).toEqual({ warned: true, containers: [c()] });
    expect(told('unconfined', localhost).warned).toBe(false);
    expect(told('localhost/a', localhost).warned).toBe(false);
    expect(told('localhost/a', undefined, localhost)).toEqual({ warned: false, containers: [c()] });
  });

  test('a name that is no host name is odd, and nothing is said of changes', () => {
    const metadata = { name: 'a.b' };
    expect(said(pod, { metadata })).toEqual([
      expect.stringMatching(
        /^metadata\.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: \[must not contain dots\]/,
      ),
    ]);
    expect(said(pod, { metadata }, { metadata })).toEqual([]);
  });

  test('very many ports and files are looked at in no time', () => {
    const ports = Array.from({ length: 20_000 }, (_, i) => ({ containerPort: 80, protocol: 'TCP', hostPort: i + 1 }));
    const items = Array.from({ length: 20_000 }, (_, i) => ({ path: `a/b/${i}` }));
    const spec = { containers: [c({ ports })], volumes: [{ name: 'v', configMap: { name: 'm', items } }] };
    expect(said(pod, { spec })).toEqual([]);
  });
});

const template = { metadata: {}, spec: { nodeSelector: { [beta]: 'a' }, containers: [c()] } };
const generation = (value: number) => ({ name: 'n', generation: value });
const recommended = expect.stringContaining('this is used in Pod names and hostnames') as string;
const noncanonical = (at: string, text = '2001:DB8::1') =>
  `${at}: IPv6 address "${text}" should be in RFC 5952 canonical format ("2001:db8::1")`;
const ambiguous = (at: string) =>
  `${at}: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)`;
const oldClass =
  'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead';
const withOldClass = { name: 'n', annotations: { 'volume.beta.kubernetes.io/storage-class': 'c' } };
const indexed = { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001 };

test.each<[string, KindDefinition, object, readonly string[]]>([
  ['a deployment', deployment, { spec: { template } }, [`spec.template.spec.nodeSelector[${beta}]: ${zone}`]],
  ['its name', deployment, { metadata: { name: 'a.b' } }, [recommended]],
  ['a template', podTemplate, { template }, [`template.spec.nodeSelector[${beta}]: ${zone}`]],
  [
    'a stateful set',
    statefulSet,
    {
      metadata: { name: 'a.b' },
      spec: {
        revisionHistoryLimit: -1,
        volumeClaimTemplates: [{ spec: { resources: { limits: { storage: '1m' } } } }],
      },
    },
    [
      'spec.volumeClaimTemplates[0].resources.limits[storage]: fractional byte value "1m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ],
  ],
  ['a job', job, { spec: indexed }, [expect.stringMatching(/^spec: In Indexed Jobs with a number of/) as string]],
  [
    'a schedule',
    cronJob,
    { spec: { schedule: 'TZ=UTC * * * * *', jobTemplate: { spec: { template } } } },
    [`spec.jobTemplate.spec.template.spec.nodeSelector[${beta}]: ${zone}`],
  ],
  [
    'a headless service',
    service,
    {
      spec: {
        type: 'ClusterIP',
        clusterIP: 'None',
        loadBalancerIP: '10.0.0.1',
        externalIPs: ['10.0.0.1'],
        sessionAffinity: 'ClientIP',
      },
    },
    ['loadBalancerIP', 'externalIPs', 'SessionAffinity'].map((name) => `spec.${name} is ignored for headless services`),
  ],
  [
    'a service with addresses',
    service,
    {
      metadata: { name: 'n', annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
      spec: {
        type: 'LoadBalancer',
        clusterIPs: ['2001:DB8::1'],
        externalIPs: ['10.0.0.1'],
        loadBalancerIP: '2001:DB8::1',
        loadBalancerSourceRanges: ['10.0.0.1/8'],
        externalName: 'x',
        trafficDistribution: 'PreferClose',
      },
    },
    [
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
      noncanonical('spec.clusterIPs[0]'),
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      noncanonical('spec.loadBalancerIP'),
      ambiguous('spec.loadBalancerSourceRanges[0]'),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ],
  [
    'a service that is a name',
    service,
    { spec: { type: 'ExternalName', externalName: 'x', externalIPs: ['10.0.0.1'] } },
    ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
  ],
  [
    'a node',
    node,
    { spec: { configSource: {}, externalID: 'x', podCIDRs: ['10.0.0.1/8'] } },
    [
      'spec.configSource: the feature is removed',
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
      ambiguous('spec.podCIDRs[0]'),
    ],
  ],
  [
    'a volume',
    persistentVolume,
    {
      metadata: withOldClass,
      spec: {
        persistentVolumeReclaimPolicy: 'Recycle',
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: beta, operator: 'Exists' }] }] } },
        glusterfs: {},
      },
    },
    [
      oldClass,
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${beta} is ${zone}`,
      'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
    ],
  ],
  [
    'a claim',
    persistentVolumeClaim,
    { metadata: withOldClass, spec: { resources: { requests: { storage: '1500m' } } } },
    [oldClass, 'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
  [
    'a service account',
    serviceAccount,
    { metadata: { name: 'n', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  ],
  [
    'endpoints',
    endpoints,
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '2001:DB8::1' }] }] },
    [noncanonical('subsets[0].notReadyAddresses[0].ip')],
  ],
  [
    'endpoints of the controller',
    endpoints,
    {
      metadata: { name: 'n', labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [{ addresses: [{ ip: '2001:DB8::1' }] }],
    },
    [],
  ],
  [
    'a slice of endpoints',
    endpointSlice,
    { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] },
    ['spec.addressType: FQDN endpoints are deprecated'],
  ],
  [
    'addresses in a slice',
    endpointSlice,
    { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8:0::1'] }] },
    [noncanonical('endpoints[0].addresses[0]', '2001:db8:0::1')],
  ],
  [
    'an ingress',
    ingress,
    { metadata: { name: 'n', annotations: { 'kubernetes.io/ingress.class': 'x' } }, spec: {} },
    [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
  ],
  [
    'a network policy',
    networkPolicy,
    {
      spec: {
        ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }],
        egress: [{ to: [{ podSelector: {} }, { ipBlock: { cidr: '2001:DB8::/32', except: ['2001:db8:0::/64'] } }] }],
      },
    },
    [
      ambiguous('spec.ingress[0].from[0].ipBlock.cidr'),
      'spec.egress[0].to[1].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
      'spec.egress[0].to[1].ipBlock.except[0]: IPv6 CIDR value "2001:db8:0::/64" should be in RFC 5952 canonical format ("2001:db8::/64")',
    ],
  ],
  [
    'a runtime class',
    runtimeClass,
    { scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
    ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    'a storage class',
    storageClass,
    { allowedTopologies: [{ matchLabelExpressions: [{ key: beta, values: ['a'] }] }] },
    [`allowedTopologies[0].matchLabelExpressions[0].key: ${zone}`],
  ],
  [
    'free storage',
    csiStorageCapacity,
    { nodeTopology: { matchLabels: { [beta]: 'a' }, matchExpressions: [{ key: beta, operator: 'Exists' }] } },
    [`nodeTopology.matchExpressions[0].key: ${beta} is ${zone}`, `nodeTopology.matchLabels.${beta}: ${zone}`],
  ],
])('%s', (_, kind, object, expected) => {
  expect(said(kind, object)).toEqual(expected);
});

test('templates are looked into again when the spec changed', () => {
  const object = { metadata: generation(2), spec: { template } };
  expect(said(deployment, object, { metadata: generation(2) })).toEqual([]);
  expect(said(deployment, object, { metadata: generation(1) })).toHaveLength(1);
});

test('a schedule that kept its zone is told so', () => {
  const object = { metadata: generation(1), spec: { schedule: 'TZ=UTC * * * * *' } };
  expect(said(cronJob, object, object)).toEqual([
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ]);
});

test('who keeps an annotation of old is told nothing again', () => {
  const object = { metadata: { name: 'n', annotations: { 'kubernetes.io/enforce-mountable-secrets': '' } } };
  expect(said(serviceAccount, object, object)).toEqual([]);
});
