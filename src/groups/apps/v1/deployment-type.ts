// Type of Deployment: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import {
  bool,
  dateTime,
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  listOf,
  string,
  struct,
} from '../../../schema/types.ts';
import { observationFields } from '../../condition-fields.ts';
import { podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'apps/v1';

const rollingUpdateDeployment = struct(
  home,
  'RollingUpdateDeployment',
  "Speed limits for a Deployment's rolling update.",
  () => ({
    maxUnavailable: field(1, intOrString, {
      pointer: true,
      about:
        'Pods (number or percentage of replicas, rounded down) that may be missing during the update; default 25%.',
    }),
    maxSurge: field(2, intOrString, {
      pointer: true,
      about: 'Extra pods (number or percentage of replicas, rounded up) allowed above the desired count; default 25%.',
    }),
  }),
);

const deploymentStrategy = struct(home, 'DeploymentStrategy', 'Chooses how a Deployment replaces its pods.', () => ({
  type: field(1, string, {
    goType: 'DeploymentStrategyType',
    enum: ['Recreate', 'RollingUpdate'],
    about: 'RollingUpdate (the default) swaps pods step by step; Recreate stops all old pods first.',
  }),
  rollingUpdate: field(2, rollingUpdateDeployment, {
    pointer: true,
    about: 'Limits for the step-by-step rollout; only allowed when type is RollingUpdate.',
  }),
}));

export const deploymentSpec = struct(home, 'DeploymentSpec', 'Desired configuration of a Deployment.', () => ({
  replicas: field(1, int32, { pointer: true, about: 'How many pods to run; default 1, and 0 is allowed.' }),
  selector: field(2, labelSelector, {
    pointer: true,
    always: true,
    required: true,
    about: "Picks the pods that belong to this Deployment; must match the template's labels and is immutable.",
  }),
  template: field(3, podTemplateSpec, {
    always: true,
    required: true,
    about: 'Blueprint for the pods; any change to it starts a new rollout.',
  }),
  strategy: field(4, deploymentStrategy, {
    always: true,
    patchStrategy: 'retainKeys',
    about: 'How old pods give way to new ones.',
  }),
  minReadySeconds: field(5, int32, {
    about: 'Seconds a new pod must stay ready without a crash to count as available; default 0.',
  }),
  revisionHistoryLimit: field(6, int32, {
    pointer: true,
    about: 'Number of old ReplicaSets kept for rollback; default 10.',
  }),
  paused: field(7, bool, {
    about: 'When true, template changes do not trigger a rollout until it is set back to false.',
  }),
  progressDeadlineSeconds: field(9, int32, {
    pointer: true,
    about: 'Seconds a rollout may go without progress before it is reported as failed; default 600.',
  }),
}));

const deploymentCondition = struct(
  home,
  'DeploymentCondition',
  "One named observation about a Deployment's rollout.",
  () => ({
    ...observationFields('Kind of observation, such as Available, Progressing or ReplicaFailure.', {
      type: 'DeploymentConditionType',
    }),
    lastUpdateTime: field(6, dateTime, { always: true, about: 'When the controller last wrote this entry.' }),
    lastTransitionTime: field(7, dateTime, {
      always: true,
      about: 'When status last changed from one value to another.',
    }),
    reason: field(4, string, { about: 'Short CamelCase word telling why status last changed.' }),
    message: field(5, string, { about: 'Readable details about the last change.' }),
  }),
);

export const deploymentStatus = struct(
  home,
  'DeploymentStatus',
  'Pod counts and rollout state observed for a Deployment.',
  () => ({
    observedGeneration: field(1, int64, { about: 'The metadata.generation that the controller acted on last.' }),
    replicas: field(2, int32, { about: 'Pods of this Deployment that exist and are not being terminated.' }),
    updatedReplicas: field(3, int32, { about: 'Live pods that already run the current template.' }),
    readyReplicas: field(7, int32, { about: 'Live pods whose Ready condition is true.' }),
    availableReplicas: field(4, int32, { about: 'Live pods that have been ready for at least minReadySeconds.' }),
    unavailableReplicas: field(5, int32, {
      about: 'Pods still missing or not yet usable before the Deployment is fully available.',
    }),
    terminatingReplicas: field(9, int32, {
      pointer: true,
      gate: 'DeploymentReplicaSetTerminatingReplicas',
      about: 'Pods marked for deletion that have not finished shutting down.',
    }),
    conditions: field(6, listOf(deploymentCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Current observations, at most one entry per type.',
    }),
    collisionCount: field(8, int32, {
      pointer: true,
      about: 'Counter mixed into new ReplicaSet names when their hashes clash.',
    }),
  }),
);

export const deploymentType = struct(
  home,
  'Deployment',
  'Keeps a number of identical pods running and rolls out template changes gradually.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, deploymentSpec, { always: true, about: 'The pods you want and how they are rolled out.' }),
    status: field(3, deploymentStatus, {
      always: true,
      about: 'Rollout state last seen by the Deployment controller; read-only for users.',
    }),
  }),
);

export type Deployment = ApiObject & Infer<typeof deploymentType>;
