// ReplicationController: keeps a given number of equal pods running; Deployments are the modern choice.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { dateTime, field, type Infer, int32, int64, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { scaleByLabels, statusOnly } from '../../subresources.ts';
import { podTemplateSpec } from './pod-spec.ts';

const home = 'core/v1';

export const replicationControllerSpec = struct(
  home,
  'ReplicationControllerSpec',
  'The wanted pods of a replication controller.',
  {
    replicas: field(1, int32, {
      pointer: true,
      default: 1,
      about: 'Wanted number of pods; 1 by default, 0 is allowed.',
    }),
    minReadySeconds: field(4, int32, {
      about: 'Seconds a new pod must be ready before it counts as available; 0 by default.',
    }),
    selector: field(2, mapOf(string), {
      mapType: 'atomic',
      about: 'Labels of the pods to manage; those of the template if left out.',
    }),
    template: field(3, podTemplateSpec, {
      pointer: true,
      about: 'Template from which missing pods are created; its restartPolicy must be Always.',
    }),
  },
);

export const replicationControllerCondition = struct(
  home,
  'ReplicationControllerCondition',
  'One named check on the state of a replication controller.',
  {
    type: field(1, string, { always: true, required: true, about: 'Name of the condition, such as ReplicaFailure.' }),
    status: field(2, string, {
      always: true,
      required: true,
      about: 'Outcome of the condition: True, False or Unknown.',
    }),
    lastTransitionTime: field(3, dateTime, {
      always: true,
      about: 'When the status last changed from one value to another.',
    }),
    reason: field(4, string, { about: 'Short CamelCase code for the last change.' }),
    message: field(5, string, { about: 'Readable details about the last change.' }),
  },
);

export const replicationControllerStatus = struct(
  home,
  'ReplicationControllerStatus',
  'What is currently known about a replication controller.',
  {
    replicas: field(1, int32, { always: true, required: true, about: 'Number of pods counted last.' }),
    fullyLabeledReplicas: field(2, int32, { about: 'Number of pods that carry all labels of the template.' }),
    readyReplicas: field(4, int32, { about: 'Number of pods that are ready.' }),
    availableReplicas: field(5, int32, { about: 'Number of pods that have been ready for at least minReadySeconds.' }),
    observedGeneration: field(3, int64, { about: 'Generation of the spec that this status was computed from.' }),
    conditions: field(6, listOf(replicationControllerCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Named checks, such as ReplicaFailure.',
    }),
  },
);

export const replicationControllerType = struct(
  home,
  'ReplicationController',
  'Keeps a given number of equal pods running; Deployments are the modern choice.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, replicationControllerSpec, {
      always: true,
      about: 'How many pods are wanted and from which template.',
    }),
    status: field(3, replicationControllerStatus, {
      always: true,
      about: 'How many pods exist and are ready; written by the system.',
    }),
  },
);

export type ReplicationController = ApiObject & Infer<typeof replicationControllerType>;

export const replicationController: KindDefinition = {
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
  shortNames: ['rc'],
  categories: ['all'],
  verbs: allVerbs,
  type: replicationControllerType,
  storagePrefix: 'controllers',
  checkName: checkSubdomain,
  dependents: 'orphaned',
  generationIgnores: ['status'],
  subresources: [scaleByLabels, statusOnly],
};
