// What is wanted of a StatefulSet.

import { embedded, field, int32, intOrString, listOf, string, struct } from '../../../schema/types.ts';
import { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { persistentVolumeClaimType } from '../../core/v1/volume/persistent-volume-claim-type.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';

const home = 'apps/v1';

const rollingUpdateStatefulSetStrategy = struct(
  home,
  'RollingUpdateStatefulSetStrategy',
  "Limits for a StatefulSet's rolling update.",
  () => ({
    partition: field(1, int32, {
      pointer: true,
      about: 'Only pods with an ordinal at or above this number are updated; default 0, meaning all.',
    }),
    maxUnavailable: field(2, intOrString, {
      pointer: true,
      off: true,
      about: 'Pods (number or percentage of replicas) that may be down at once while updating; default 1.',
    }),
  }),
);

const statefulSetUpdateStrategy = struct(
  home,
  'StatefulSetUpdateStrategy',
  "Chooses how a StatefulSet's pods move to a new template.",
  () => ({
    type: field(1, string, {
      goType: 'StatefulSetUpdateStrategyType',
      enum: ['OnDelete', 'RollingUpdate'],
      about:
        'RollingUpdate (the default) replaces pods from the highest number down; OnDelete waits for manual deletion.',
    }),
    rollingUpdate: field(2, rollingUpdateStatefulSetStrategy, {
      pointer: true,
      about: 'Limits for the rollout; only used when type is RollingUpdate.',
    }),
  }),
);

const statefulSetPersistentVolumeClaimRetentionPolicy = struct(
  home,
  'StatefulSetPersistentVolumeClaimRetentionPolicy',
  'Tells what happens to claims made from volumeClaimTemplates.',
  () => ({
    whenDeleted: field(1, string, {
      goType: 'PersistentVolumeClaimRetentionPolicyType',
      about: 'Retain (the default) keeps the claims when the StatefulSet is deleted; Delete removes them.',
    }),
    whenScaled: field(2, string, {
      goType: 'PersistentVolumeClaimRetentionPolicyType',
      about: 'Retain (the default) keeps claims of pods removed by scaling down; Delete removes them.',
    }),
  }),
);

const statefulSetOrdinals = struct(
  home,
  'StatefulSetOrdinals',
  "Controls the numbering of a StatefulSet's pods.",
  () => ({
    start: field(1, int32, {
      always: true,
      about: 'Number given to the first pod; the others follow upward from it. Default 0.',
    }),
  }),
);

export const statefulSetSpec = struct(home, 'StatefulSetSpec', 'Desired configuration of a StatefulSet.', () => ({
  replicas: field(1, int32, { pointer: true, about: 'How many numbered pods to run; default 1.' }),
  selector: field(2, labelSelector, {
    pointer: true,
    always: true,
    required: true,
    about: "Picks the pods that belong here; must match the template's labels and is immutable.",
  }),
  template: field(3, podTemplateSpec, {
    always: true,
    required: true,
    about: 'Blueprint for each pod; pods are named after the StatefulSet plus a number.',
  }),
  volumeClaimTemplates: field(4, listOf(embedded(persistentVolumeClaimType)), {
    listType: 'atomic',
    about: "Claims created once per pod; a template name matching a pod volume takes that volume's place.",
  }),
  serviceName: field(5, string, {
    always: true,
    about: 'Name of the existing headless Service that gives the pods their DNS names.',
  }),
  podManagementPolicy: field(6, string, {
    goType: 'PodManagementPolicyType',
    enum: ['OrderedReady', 'Parallel'],
    about: 'OrderedReady (the default) starts and stops pods one by one; Parallel handles all at once.',
  }),
  updateStrategy: field(7, statefulSetUpdateStrategy, {
    always: true,
    about: 'How pods are replaced when the template changes.',
  }),
  revisionHistoryLimit: field(8, int32, {
    pointer: true,
    about: 'Number of old ControllerRevisions kept for rollback; default 10.',
  }),
  minReadySeconds: field(9, int32, {
    about: 'Seconds a new pod must stay ready before it counts as available; default 0.',
  }),
  persistentVolumeClaimRetentionPolicy: field(10, statefulSetPersistentVolumeClaimRetentionPolicy, {
    pointer: true,
    about: 'Whether generated claims are kept or removed on deletion and on scaling down.',
  }),
  ordinals: field(11, statefulSetOrdinals, {
    pointer: true,
    about: 'Changes the first pod number; without it numbering starts at 0.',
  }),
}));
