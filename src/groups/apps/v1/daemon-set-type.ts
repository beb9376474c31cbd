// Type of DaemonSet: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, int64, intOrString, listOf, string, struct } from '../../../schema/types.ts';
import { conditionFields } from '../../condition-fields.ts';
import { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'apps/v1';

const rollingUpdateDaemonSet = struct(
  home,
  'RollingUpdateDaemonSet',
  "Speed limits for a DaemonSet's rolling update.",
  () => ({
    maxUnavailable: field(1, intOrString, {
      pointer: true,
      about: 'How many nodes (number or percentage, like 10%) may lack an available pod during the update; default 1.',
    }),
    maxSurge: field(2, intOrString, {
      pointer: true,
      about: 'How many nodes (number or percentage) may briefly run old and new pod together; default 0.',
    }),
  }),
);

const daemonSetUpdateStrategy = struct(
  home,
  'DaemonSetUpdateStrategy',
  'Chooses how daemon pods move to a new template.',
  () => ({
    type: field(1, string, {
      goType: 'DaemonSetUpdateStrategyType',
      enum: ['OnDelete', 'RollingUpdate'],
      about: 'RollingUpdate (the default) replaces pods automatically; OnDelete waits until you delete them.',
    }),
    rollingUpdate: field(2, rollingUpdateDaemonSet, {
      pointer: true,
      about: 'Limits for the rollout; only allowed when type is RollingUpdate.',
    }),
  }),
);

export const daemonSetSpec = struct(home, 'DaemonSetSpec', 'Desired configuration of a DaemonSet.', () => ({
  selector: field(1, labelSelector, {
    pointer: true,
    always: true,
    required: true,
    about: "Picks the pods this DaemonSet owns; it must match the template's labels and cannot be changed later.",
  }),
  template: field(2, podTemplateSpec, {
    always: true,
    required: true,
    about: 'Blueprint for the pod placed on each eligible node; its restartPolicy has to be Always.',
  }),
  updateStrategy: field(3, daemonSetUpdateStrategy, {
    always: true,
    about: 'How running daemon pods are replaced when the template changes.',
  }),
  minReadySeconds: field(4, int32, {
    about: 'Seconds a new pod must stay ready before it counts as available; default 0.',
  }),
  revisionHistoryLimit: field(6, int32, {
    pointer: true,
    about: 'Number of old ControllerRevisions kept for rollback; default 10.',
  }),
}));

const daemonSetCondition = struct(
  home,
  'DaemonSetCondition',
  'One named observation about the state of a DaemonSet.',
  () => conditionFields('Kind of observation, unique within the DaemonSet.', { type: 'DaemonSetConditionType' }),
);

export const daemonSetStatus = struct(home, 'DaemonSetStatus', 'Node and pod counts observed for a DaemonSet.', () => ({
  currentNumberScheduled: field(1, int32, {
    always: true,
    required: true,
    about: 'Nodes that should run the daemon pod and have at least one.',
  }),
  numberMisscheduled: field(2, int32, {
    always: true,
    required: true,
    about: 'Nodes that run the daemon pod although they should not.',
  }),
  desiredNumberScheduled: field(3, int32, {
    always: true,
    required: true,
    about: 'Total nodes that ought to run the daemon pod.',
  }),
  numberReady: field(4, int32, {
    always: true,
    required: true,
    about: 'Nodes that should run the daemon and have one whose pod is ready.',
  }),
  observedGeneration: field(5, int64, { about: 'The metadata.generation that these numbers were computed from.' }),
  updatedNumberScheduled: field(6, int32, { about: 'Nodes whose daemon pod was made from the newest template.' }),
  numberAvailable: field(7, int32, {
    about: 'Eligible nodes with a daemon pod that has been ready for minReadySeconds or longer.',
  }),
  numberUnavailable: field(8, int32, { about: 'Eligible nodes that still lack an available daemon pod.' }),
  collisionCount: field(9, int32, {
    pointer: true,
    about: 'Counter mixed into revision names to avoid clashes of their hashes.',
  }),
  conditions: field(10, listOf(daemonSetCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, at most one entry per type.',
  }),
}));

export const daemonSetType = struct(
  home,
  'DaemonSet',
  "Runs one copy of a pod on every node that matches the pod template's placement rules.",
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, daemonSetSpec, { always: true, about: 'How the daemon pods should look and be updated.' }),
    status: field(3, daemonSetStatus, {
      always: true,
      about: 'Progress last reported by the DaemonSet controller; read-only for users.',
    }),
  }),
);

export type DaemonSet = ApiObject & Infer<typeof daemonSetType>;
