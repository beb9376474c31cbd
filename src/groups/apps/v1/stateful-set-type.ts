// Type of StatefulSet: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, int64, listOf, string, struct } from '../../../schema/types.ts';
import { conditionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { statefulSetSpec } from './stateful-set-spec.ts';

const home = 'apps/v1';

const statefulSetCondition = struct(home, 'StatefulSetCondition', 'One named observation about a StatefulSet.', () =>
  conditionFields('Kind of observation, unique within the StatefulSet.', { type: 'StatefulSetConditionType' }),
);

const statefulSetStatus = struct(
  home,
  'StatefulSetStatus',
  'Pod counts and revisions observed for a StatefulSet.',
  () => ({
    observedGeneration: field(1, int64, { about: 'The metadata.generation that this status was computed from.' }),
    replicas: field(2, int32, { always: true, required: true, about: 'Pods created by the StatefulSet controller.' }),
    readyReplicas: field(3, int32, { about: 'Pods whose Ready condition is true.' }),
    currentReplicas: field(4, int32, { about: 'Pods still running the revision named in currentRevision.' }),
    updatedReplicas: field(5, int32, { about: 'Pods already running the revision named in updateRevision.' }),
    currentRevision: field(6, string, {
      about: 'Name of the ControllerRevision that not-yet-updated pods are built from.',
    }),
    updateRevision: field(7, string, { about: 'Name of the ControllerRevision that pods are being moved to.' }),
    collisionCount: field(9, int32, {
      pointer: true,
      about: 'Counter mixed into revision names to avoid clashes of their hashes.',
    }),
    conditions: field(10, listOf(statefulSetCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Current observations, at most one entry per type.',
    }),
    availableReplicas: field(11, int32, {
      always: true,
      about: 'Pods that have been ready for at least minReadySeconds.',
    }),
  }),
);

export const statefulSetType = struct(
  home,
  'StatefulSet',
  'Runs pods that each keep a fixed name, network identity and storage across restarts.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, statefulSetSpec, { always: true, about: 'The identified pods and volumes you want.' }),
    status: field(3, statefulSetStatus, {
      always: true,
      about: 'State last seen by the StatefulSet controller; read-only and possibly slightly stale.',
    }),
  }),
);

export type StatefulSet = ApiObject & Infer<typeof statefulSetType>;
