// Type of HorizontalPodAutoscaler: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { dateTime, field, type Infer, int32, int64, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'autoscaling/v1';

export const crossVersionObjectReference = struct(
  home,
  'CrossVersionObjectReference',
  'Points at an object in the same namespace by kind and name.',
  () => ({
    kind: field(1, string, { always: true, required: true, about: 'Kind of the object, such as Deployment.' }),
    name: field(2, string, { always: true, required: true, about: 'Name of the object being referred to.' }),
    apiVersion: field(3, string, { about: 'Group and version of the object, such as "apps/v1".' }),
  }),
  { mapType: 'atomic' },
);

const horizontalPodAutoscalerSpec = struct(
  home,
  'HorizontalPodAutoscalerSpec',
  'Desired configuration of an autoscaler.',
  () => ({
    scaleTargetRef: field(1, crossVersionObjectReference, {
      always: true,
      required: true,
      about: 'The object to scale; it must offer the scale subresource.',
    }),
    minReplicas: field(2, int32, {
      pointer: true,
      about: 'Lowest replica count; default 1. 0 needs the HPAScaleToZero feature and an Object or External metric.',
    }),
    maxReplicas: field(3, int32, {
      always: true,
      required: true,
      about: 'Highest replica count; must not be below minReplicas.',
    }),
    targetCPUUtilizationPercentage: field(4, int32, {
      pointer: true,
      about: "Wanted average CPU use in percent of the pods' requests; unset uses the default policy.",
    }),
  }),
);

const horizontalPodAutoscalerStatus = struct(
  home,
  'HorizontalPodAutoscalerStatus',
  'Observed state of an autoscaler.',
  () => ({
    observedGeneration: field(1, int64, {
      pointer: true,
      about: 'The metadata.generation that the autoscaler acted on last.',
    }),
    lastScaleTime: field(2, dateTime, {
      pointer: true,
      about: 'When the replica count was last changed by this autoscaler.',
    }),
    currentReplicas: field(3, int32, {
      always: true,
      required: true,
      about: 'Replica count of the target as last seen.',
    }),
    desiredReplicas: field(4, int32, {
      always: true,
      required: true,
      about: 'Replica count that the autoscaler last computed.',
    }),
    currentCPUUtilizationPercentage: field(5, int32, {
      pointer: true,
      about: 'Measured average CPU use of all pods, in percent of their requests.',
    }),
  }),
);

export const horizontalPodAutoscalerType = struct(
  home,
  'HorizontalPodAutoscaler',
  "Changes a workload's replica count automatically to hold average CPU use near a target.",
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, horizontalPodAutoscalerSpec, {
      always: true,
      required: true,
      about: 'What to scale, between which limits and at which CPU level.',
    }),
    status: field(3, horizontalPodAutoscalerStatus, {
      always: true,
      about: 'Last reading and decision of the autoscaler; read-only for users.',
    }),
  }),
);

export type HorizontalPodAutoscaler = ApiObject & Infer<typeof horizontalPodAutoscalerType>;
