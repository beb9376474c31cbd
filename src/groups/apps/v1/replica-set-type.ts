// Type of ReplicaSet: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, int64, listOf, struct } from '../../../schema/types.ts';
import { conditionFields } from '../../condition-fields.ts';
import { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'apps/v1';

const replicaSetSpec = struct(home, 'ReplicaSetSpec', 'Desired configuration of a ReplicaSet.', () => ({
  replicas: field(1, int32, { pointer: true, about: 'How many pods to keep running; default 1, and 0 is allowed.' }),
  minReadySeconds: field(4, int32, {
    about: 'Seconds a new pod must stay ready before it counts as available; default 0.',
  }),
  selector: field(2, labelSelector, {
    pointer: true,
    always: true,
    required: true,
    about: "Picks the pods to count and own; must match the template's labels and is immutable.",
  }),
  template: field(3, podTemplateSpec, {
    always: true,
    about: 'Blueprint used whenever another pod has to be created.',
  }),
}));

const replicaSetCondition = struct(home, 'ReplicaSetCondition', 'One named observation about a ReplicaSet.', () =>
  conditionFields('Kind of observation, unique within the ReplicaSet.', { type: 'ReplicaSetConditionType' }),
);

const replicaSetStatus = struct(home, 'ReplicaSetStatus', 'Pod counts observed for a ReplicaSet.', () => ({
  replicas: field(1, int32, {
    always: true,
    required: true,
    about: 'Matching pods that exist and are not being terminated.',
  }),
  fullyLabeledReplicas: field(2, int32, { about: 'Live pods that carry every label of the template.' }),
  readyReplicas: field(4, int32, { about: 'Live pods whose Ready condition is true.' }),
  availableReplicas: field(5, int32, { about: 'Live pods that have been ready for at least minReadySeconds.' }),
  terminatingReplicas: field(7, int32, {
    pointer: true,
    gate: 'DeploymentReplicaSetTerminatingReplicas',
    about: 'Pods marked for deletion that have not finished shutting down.',
  }),
  observedGeneration: field(3, int64, { about: 'The metadata.generation that these counts reflect.' }),
  conditions: field(6, listOf(replicaSetCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, at most one entry per type.',
  }),
}));

export const replicaSetType = struct(
  home,
  'ReplicaSet',
  'Keeps a fixed number of identical pods running; usually managed by a Deployment.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, replicaSetSpec, { always: true, about: 'The number and shape of pods to maintain.' }),
    status: field(3, replicaSetStatus, {
      always: true,
      about: 'Pod counts last seen by the ReplicaSet controller; read-only for users.',
    }),
  }),
);

export type ReplicaSet = ApiObject & Infer<typeof replicaSetType>;
