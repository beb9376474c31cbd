// Types of affinity: Affinity, NodeAffinity, PreferredSchedulingTerm and others.

import { field, int32, int64, listOf, string, struct } from '../../../../schema/types.ts';
import { labelSelector } from '../../../meta/v1/label-selector.ts';
import { nodeSelector, nodeSelectorTerm } from '../selectors.ts';

const home = 'core/v1';

const preferredSchedulingTerm = struct(home, 'PreferredSchedulingTerm', 'A weighted wish about the node.', () => ({
  weight: field(1, int32, { always: true, required: true, about: 'Points added for a node that matches, 1 to 100.' }),
  preference: field(2, nodeSelectorTerm, {
    always: true,
    required: true,
    about: 'Conditions a node should meet to earn the weight.',
  }),
}));

const nodeAffinity = struct(home, 'NodeAffinity', 'Rules about which nodes a pod must or should run on.', () => ({
  requiredDuringSchedulingIgnoredDuringExecution: field(1, nodeSelector, {
    pointer: true,
    about: 'Condition a node must meet at scheduling; running pods are not moved when it stops holding.',
  }),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, listOf(preferredSchedulingTerm), {
    listType: 'atomic',
    about: 'Weighted wishes; nodes with the highest total weight are preferred, none is excluded.',
  }),
}));

export const podAffinityTerm = struct(
  home,
  'PodAffinityTerm',
  'Selects a set of pods and the kind of domain to compare with.',
  () => ({
    labelSelector: field(1, labelSelector, {
      pointer: true,
      about: 'Labels of the other pods; left out means no pods match.',
    }),
    namespaces: field(2, listOf(string), {
      listType: 'atomic',
      about: 'Namespaces in which to look; empty, with no namespaceSelector, means the namespace of this pod.',
    }),
    topologyKey: field(3, string, {
      always: true,
      required: true,
      about: 'Node label whose value defines a domain, such as the host name or the zone.',
    }),
    namespaceSelector: field(4, labelSelector, {
      pointer: true,
      about: 'Selects namespaces by label, added to namespaces; an empty selector matches all.',
    }),
    matchLabelKeys: field(5, listOf(string), {
      listType: 'atomic',
      about: 'Keys of labels for which the other pods must have the same value as this pod.',
    }),
    mismatchLabelKeys: field(6, listOf(string), {
      listType: 'atomic',
      about: 'Keys of labels for which the other pods must have a different value than this pod.',
    }),
  }),
);

const weightedPodAffinityTerm = struct(home, 'WeightedPodAffinityTerm', 'A weighted wish about nearby pods.', () => ({
  weight: field(1, int32, {
    always: true,
    required: true,
    about: 'Points for a node where the term holds, 1 to 100.',
  }),
  podAffinityTerm: field(2, podAffinityTerm, {
    always: true,
    required: true,
    about: 'The pods and the topology domain the wish is about.',
  }),
}));

export const podAffinity = struct(
  home,
  'PodAffinity',
  'Rules that place a pod in the same topology domain as other pods.',
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(1, listOf(podAffinityTerm), {
      listType: 'atomic',
      about: 'Terms that must all hold at scheduling; not checked again while the pod runs.',
    }),
    preferredDuringSchedulingIgnoredDuringExecution: field(2, listOf(weightedPodAffinityTerm), {
      listType: 'atomic',
      about: 'Weighted wishes; nodes with the highest total are preferred.',
    }),
  }),
);

export const podAntiAffinity = struct(
  home,
  'PodAntiAffinity',
  'Rules that keep a pod out of topology domains where certain other pods run.',
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(1, listOf(podAffinityTerm), {
      listType: 'atomic',
      about: 'Terms that must never match at scheduling; not checked again while the pod runs.',
    }),
    preferredDuringSchedulingIgnoredDuringExecution: field(2, listOf(weightedPodAffinityTerm), {
      listType: 'atomic',
      about: 'Weighted wishes; nodes that violate the least weight are preferred.',
    }),
  }),
);

export const affinity = struct(home, 'Affinity', 'Placement rules of a pod towards nodes and other pods.', () => ({
  nodeAffinity: field(1, nodeAffinity, { pointer: true, about: 'Rules about labels and fields of nodes.' }),
  podAffinity: field(2, podAffinity, { pointer: true, about: 'Rules that draw the pod near to certain other pods.' }),
  podAntiAffinity: field(3, podAntiAffinity, {
    pointer: true,
    about: 'Rules that keep the pod away from certain other pods.',
  }),
}));

export const toleration = struct(home, 'Toleration', 'Lets a pod run on nodes with a matching taint.', () => ({
  key: field(1, string, { about: 'Key of the taint; empty with operator Exists matches every taint.' }),
  operator: field(2, string, {
    goType: 'TolerationOperator',
    enum: ['Equal', 'Exists', 'Gt', 'Lt'],
    about: 'Equal (default) compares values, Exists ignores them, Gt and Lt compare integers.',
  }),
  value: field(3, string, { about: 'Value the taint must have; leave empty with operator Exists.' }),
  effect: field(4, string, {
    goType: 'TaintEffect',
    enum: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'],
    about: 'Taint effect to tolerate: NoSchedule, PreferNoSchedule or NoExecute; empty means all.',
  }),
  tolerationSeconds: field(5, int64, {
    pointer: true,
    about: 'For NoExecute, seconds the pod may stay after the taint appears; forever if left out.',
  }),
}));

export const topologySpreadConstraint = struct(
  home,
  'TopologySpreadConstraint',
  'Tells how evenly matching pods should be spread over topology domains.',
  () => ({
    maxSkew: field(1, int32, {
      always: true,
      required: true,
      about: 'Largest allowed difference in pod count between a domain and the least filled one; at least 1.',
    }),
    topologyKey: field(2, string, {
      always: true,
      required: true,
      about: 'Node label whose value defines a domain, such as the zone.',
    }),
    whenUnsatisfiable: field(3, string, {
      goType: 'UnsatisfiableConstraintAction',
      always: true,
      required: true,
      enum: ['DoNotSchedule', 'ScheduleAnyway'],
      about: 'DoNotSchedule leaves the pod pending, ScheduleAnyway only prefers nodes that lower the skew.',
    }),
    labelSelector: field(4, labelSelector, {
      pointer: true,
      about: 'Labels of the pods that are counted in each domain.',
    }),
    minDomains: field(5, int32, {
      pointer: true,
      about: 'Domains that should exist at least; with fewer, the minimum count is taken as 0. DoNotSchedule only.',
    }),
    nodeAffinityPolicy: field(6, string, {
      goType: 'NodeInclusionPolicy',
      pointer: true,
      enum: ['Honor', 'Ignore'],
      about: 'Whether only nodes fitting nodeAffinity and nodeSelector are counted: Honor (default) or Ignore.',
    }),
    nodeTaintsPolicy: field(7, string, {
      goType: 'NodeInclusionPolicy',
      pointer: true,
      enum: ['Honor', 'Ignore'],
      about: 'Whether nodes with untolerated taints are left out of the count: Honor or Ignore (default).',
    }),
    matchLabelKeys: field(8, listOf(string), {
      listType: 'atomic',
      gate: 'MatchLabelKeysInPodTopologySpread',
      about: 'Label keys whose values on this pod narrow down the counted pods, such as pod-template-hash.',
    }),
  }),
);
