import { describe, expect, test } from 'vitest';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { simulationKeys } from '../keys.ts';
import { chooseNode, enoughNodes, type PlacementView } from './choose-node.ts';
import { ClusterState } from './cluster-state.ts';
import { failureMessage } from './failure-message.ts';
import { nodeFactsOf } from './node-entry.ts';
import { pendingPodOf } from './pending-pod.ts';
import { podEntryOf } from './pod-entry.ts';
import { findVictims } from './preemption.ts';
import { type VolumeObjects, volumeNeedsOf } from './volumes.ts';

type Spec = NonNullable<Pod['spec']>;

interface PodOptions {
  readonly labels?: Record<string, string>;
  readonly namespace?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly controller?: string;
  readonly spec?: Spec;
}

function podOf(name: string, options: PodOptions = {}): Pod {
  const { labels = {}, namespace = 'default', cpu, memory, controller, spec = {} } = options;
  const requests = { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: controller ?? '', controller: true };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace, uid: `uid-${name}`, labels, ...(controller ? { ownerReferences: [owner] } : {}) },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...spec },
  };
}

interface NodeOptions {
  readonly labels?: Record<string, string>;
  readonly cpu?: string;
  readonly pods?: string;
  readonly spec?: Node['spec'];
}

function nodeOf(name: string, { labels = {}, cpu = '4', pods = '110', spec = {} }: NodeOptions = {}): Node {
  const allocatable = { cpu, memory: '8Gi', pods };
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: { allocatable },
  };
}

const keys = simulationKeys(kubernetes);

const nothing: VolumeObjects = {
  claim: () => undefined,
  volume: () => undefined,
  volumes: () => [],
  storageClass: () => undefined,
  isClaimUsed: () => false,
  keys,
};

interface Scene {
  readonly nodes: readonly Node[];
  readonly placed?: readonly (readonly [pod: Pod, node: string])[];
  readonly pod: Pod;
  readonly objects?: VolumeObjects;
}

function stateOf({ nodes, placed = [] }: Scene): ClusterState {
  const state = new ClusterState();
  for (const node of nodes) state.setNode(nodeFactsOf(node));
  for (const [pod, node] of placed) state.place(podEntryOf(pod), node);
  state.namespaceLabels.set('team', { team: 'a' });
  return state;
}

const viewOf = (state: ClusterState): PlacementView => ({
  nodes: state.nodes,
  withAffinity: state.withAffinity,
  namespaceLabels: state.namespaceLabels,
  keys,
  node: (name) => state.node(name),
  controllerCounts: (controller, topologyKey) => state.controllerCounts(controller, topologyKey),
  nominated: () => [],
});

/** The name of the node that is chosen, or the sentence that says why there is none. */
function outcomeOf(scene: Scene): string {
  const state = stateOf(scene);
  const view = viewOf(state);
  const pod = pendingPodOf(scene.pod);
  const attempt = { pod, volumes: volumeNeedsOf(pod.entry, scene.objects ?? nothing) };
  const choice = chooseNode(attempt, view, 0);
  if ('node' in choice) return choice.node.name;
  const preemption = findVictims(attempt, view, choice, []);
  if ('victims' in preemption) return `${preemption.node} without ${preemption.victims.map(({ name }) => name).join()}`;
  return failureMessage(state.nodes.length, choice, preemption);
}

const notHelpful = (count: number) =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;
const noVictims = (count: number) =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} No preemption victims found for incoming pod.`;

const zone = 'topology.kubernetes.io/zone';
const taint = { key: 'only', value: 'db', effect: 'NoSchedule' };
const nearApp = (topologyKey: string) => [{ labelSelector: { matchLabels: { app: 'web' } }, topologyKey }];
const web = { labels: { app: 'web' } };

const filterCases: readonly (readonly [title: string, scene: Scene, expected: string])[] = [
  ['a pod without wishes gets a node', { nodes: [nodeOf('a')], pod: podOf('p') }, 'a'],
  [
    'too much CPU for any node',
    { nodes: [nodeOf('a'), nodeOf('b')], pod: podOf('p', { cpu: '5' }) },
    `0/2 nodes are available: 2 Insufficient cpu. ${notHelpful(2)}`,
  ],
  [
    'CPU that other pods have taken',
    { nodes: [nodeOf('a')], placed: [[podOf('q', { cpu: '3' }), 'a']], pod: podOf('p', { cpu: '2' }) },
    `0/1 nodes are available: 1 Insufficient cpu. ${noVictims(1)}`,
  ],
  [
    'two resources are missing',
    { nodes: [nodeOf('a')], pod: podOf('p', { cpu: '5', memory: '9Gi' }) },
    `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. ${notHelpful(1)}`,
  ],
  [
    'number of pods of a node',
    { nodes: [nodeOf('a', { pods: '1' })], placed: [[podOf('q'), 'a']], pod: podOf('p') },
    `0/1 nodes are available: 1 Too many pods. ${noVictims(1)}`,
  ],
  [
    'node selector chooses',
    {
      nodes: [nodeOf('a'), nodeOf('b', { labels: { disk: 'ssd' } })],
      pod: podOf('p', { spec: { nodeSelector: { disk: 'ssd' } } }),
    },
    'b',
  ],
  [
    'node selector that no node matches, and a taint',
    {
      nodes: [nodeOf('a'), nodeOf('b', { spec: { taints: [taint] } })],
      pod: podOf('p', { spec: { nodeSelector: { disk: 'ssd' } } }),
    },
    `0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). ${notHelpful(2)}`,
  ],
  [
    'a toleration lets a pod in',
    {
      nodes: [nodeOf('a', { spec: { taints: [taint] } })],
      pod: podOf('p', { spec: { tolerations: [{ key: 'only', operator: 'Exists' }] } }),
    },
    'a',
  ],
  [
    'a toleration with another value does not',
    {
      nodes: [nodeOf('a', { spec: { taints: [taint] } })],
      pod: podOf('p', { spec: { tolerations: [{ key: 'only', value: 'web' }] } }),
    },
    `0/1 nodes are available: 1 node(s) had untolerated taint(s). ${notHelpful(1)}`,
  ],
  [
    'a cordoned node',
    { nodes: [nodeOf('a', { spec: { unschedulable: true } })], pod: podOf('p') },
    `0/1 nodes are available: 1 node(s) were unschedulable. ${notHelpful(1)}`,
  ],
  [
    'required node affinity: a number that must be larger',
    {
      nodes: [nodeOf('a', { labels: { gen: '3' } }), nodeOf('b', { labels: { gen: '5' } })],
      pod: podOf('p', {
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'gen', operator: 'Gt', values: ['4'] }] }],
              },
            },
          },
        },
      }),
    },
    'b',
  ],
  [
    'a host port that is taken',
    {
      nodes: [nodeOf('a')],
      placed: [
        [podOf('q', { spec: { containers: [{ name: 'c', ports: [{ hostPort: 80, containerPort: 80 }] }] } }), 'a'],
      ],
      pod: podOf('p', { spec: { containers: [{ name: 'c', ports: [{ hostPort: 80, containerPort: 80 }] }] } }),
    },
    `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${noVictims(1)}`,
  ],
  [
    'affinity to a pod in the zone',
    {
      nodes: [nodeOf('a', { labels: { [zone]: 'x' } }), nodeOf('b', { labels: { [zone]: 'y' } })],
      placed: [[podOf('q', web), 'b']],
      pod: podOf('p', {
        spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nearApp(zone) } } },
      }),
    },
    'b',
  ],
  [
    'affinity to a pod that is nowhere',
    {
      nodes: [nodeOf('a')],
      pod: podOf('p', {
        spec: {
          affinity: {
            podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nearApp('kubernetes.io/hostname') },
          },
        },
      }),
    },
    `0/1 nodes are available: 1 node(s) didn't match pod affinity rules. ${notHelpful(1)}`,
  ],
  [
    'the first of pods with affinity to themselves',
    {
      nodes: [nodeOf('a')],
      pod: podOf('p', {
        ...web,
        spec: {
          affinity: {
            podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nearApp('kubernetes.io/hostname') },
          },
        },
      }),
    },
    'a',
  ],
  [
    'anti-affinity keeps away',
    {
      nodes: [nodeOf('a'), nodeOf('b')],
      placed: [[podOf('q', web), 'a']],
      pod: podOf('p', {
        spec: {
          affinity: {
            podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nearApp('kubernetes.io/hostname') },
          },
        },
      }),
    },
    'b',
  ],
  [
    'anti-affinity of a pod that is there already',
    {
      nodes: [nodeOf('a')],
      placed: [
        [
          podOf('q', {
            spec: {
              affinity: {
                podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nearApp('kubernetes.io/hostname') },
              },
            },
          }),
          'a',
        ],
      ],
      pod: podOf('p', web),
    },
    `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims(1)}`,
  ],
  [
    'anti-affinity over namespaces by label',
    {
      nodes: [nodeOf('a'), nodeOf('b')],
      placed: [[podOf('q', { ...web, namespace: 'team' }), 'a']],
      pod: podOf('p', {
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { ...nearApp('kubernetes.io/hostname')[0], namespaceSelector: { matchLabels: { team: 'a' } } },
              ],
            },
          },
        },
      }),
    },
    'b',
  ],
  [
    'spread: a domain that has enough',
    {
      nodes: [nodeOf('a', { labels: { [zone]: 'x' } }), nodeOf('b', { labels: { [zone]: 'y' } })],
      placed: [[podOf('q', web), 'a']],
      pod: podOf('p', {
        ...web,
        spec: {
          topologySpreadConstraints: [
            {
              topologyKey: zone,
              maxSkew: 1,
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        },
      }),
    },
    'b',
  ],
  [
    'spread: no node has the label',
    {
      nodes: [nodeOf('a')],
      pod: podOf('p', {
        spec: { topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] },
      }),
    },
    `0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label). ${notHelpful(1)}`,
  ],
  [
    'a claim that is missing',
    {
      nodes: [nodeOf('a')],
      pod: podOf('p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }),
    },
    `0/1 nodes are available: persistentvolumeclaim "data" not found. ${notHelpful(1)}`,
  ],
  [
    'a claim that is not bound yet',
    {
      nodes: [nodeOf('a')],
      pod: podOf('p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }),
      objects: {
        ...nothing,
        claim: (namespace, name) => ({
          kind: 'PersistentVolumeClaim',
          apiVersion: 'v1',
          metadata: { namespace, name },
        }),
      },
    },
    `0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${notHelpful(1)}`,
  ],
  [
    'a lower priority has to leave',
    {
      nodes: [nodeOf('a'), nodeOf('b')],
      placed: [
        [
          podOf('low', {
            cpu: '3',
            spec: { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }], priority: 1 },
          }),
          'a',
        ],
        [
          podOf('lower', { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }], priority: 0 } }),
          'b',
        ],
      ],
      pod: podOf('p', { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }], priority: 10 } }),
    },
    'b without lower',
  ],
  [
    'a pod that may not preempt',
    {
      nodes: [nodeOf('a')],
      placed: [[podOf('low', { cpu: '3' }), 'a']],
      pod: podOf('p', {
        spec: {
          containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }],
          priority: 10,
          preemptionPolicy: 'Never',
        },
      }),
    },
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  ],
];

describe('filters', () => {
  test.each(filterCases)('%s', (_title, scene, expected) => {
    expect(outcomeOf(scene)).toBe(expected);
  });
});

const scoreCases: readonly (readonly [title: string, scene: Scene, expected: string])[] = [
  [
    'the node with most free resources',
    { nodes: [nodeOf('a'), nodeOf('b')], placed: [[podOf('q', { cpu: '2' }), 'a']], pod: podOf('p', { cpu: '1' }) },
    'b',
  ],
  [
    'the node with the fewest pods of the controller',
    {
      nodes: [nodeOf('a'), nodeOf('b', { cpu: '3' })],
      placed: [[podOf('q', { controller: 'rs' }), 'a']],
      pod: podOf('p', { controller: 'rs' }),
    },
    'b',
  ],
  [
    'preferred node affinity',
    {
      nodes: [nodeOf('a'), nodeOf('b', { labels: { disk: 'ssd' } })],
      pod: podOf('p', {
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
              ],
            },
          },
        },
      }),
    },
    'b',
  ],
  [
    'a node without a taint that only discourages',
    {
      nodes: [nodeOf('a', { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } }), nodeOf('b')],
      pod: podOf('p'),
    },
    'b',
  ],
  [
    'preferred affinity to pods',
    {
      nodes: [nodeOf('a'), nodeOf('b')],
      placed: [[podOf('q', web), 'b']],
      pod: podOf('p', {
        spec: {
          affinity: {
            podAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 10, podAffinityTerm: nearApp('kubernetes.io/hostname')[0] ?? {} },
              ],
            },
          },
        },
      }),
    },
    'b',
  ],
  [
    'preferred spread over zones',
    {
      nodes: [nodeOf('a', { labels: { [zone]: 'x' } }), nodeOf('b', { labels: { [zone]: 'y' } })],
      placed: [[podOf('q', web), 'a']],
      pod: podOf('p', {
        ...web,
        spec: {
          topologySpreadConstraints: [
            {
              topologyKey: zone,
              maxSkew: 1,
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        },
      }),
    },
    'b',
  ],
];

describe('scores choose', () => {
  test.each(scoreCases)('%s', (_title, scene, expected) => {
    expect(outcomeOf(scene)).toBe(expected);
  });
});

test('search: a large cluster is not searched as a whole', () => {
  expect([1, 99, 100, 1000, 10_000].map(enoughNodes)).toEqual([1, 99, 100, 420, 500]);
});

test('cluster state: pods come back with a node that was removed', () => {
  const state = stateOf({ nodes: [nodeOf('a')], placed: [[podOf('q', { cpu: '3' }), 'a']], pod: podOf('p') });
  state.removeNode('a');
  expect(state.nodes).toEqual([]);
  state.setNode(nodeFactsOf(nodeOf('a')));
  expect(state.node('a')?.requested.get('cpu')).toBe(3000);
  expect(state.remove('uid-q')).toBe(true);
  expect(state.node('a')?.requested.get('cpu')).toBe(0);
});
