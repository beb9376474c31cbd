// Type of HorizontalPodAutoscaler: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { dateTime, field, type Infer, int32, int64, listOf, quantity, string, struct } from '../../../schema/types.ts';
import { conditionFields } from '../../condition-fields.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'autoscaling/v2';

/** Other versions carry them as text in annotations, which is read and written at once. */
export const mostMetrics = 1000;

export const crossVersionObjectReference = struct(
  home,
  'CrossVersionObjectReference',
  'Points at an object in the same namespace by kind and name.',
  () => ({
    kind: field(1, string, { always: true, required: true, about: 'Kind of the object, such as Deployment.' }),
    name: field(2, string, { always: true, required: true, about: 'Name of the object being referred to.' }),
    apiVersion: field(3, string, { about: 'Group and version of the object, such as "apps/v1".' }),
  }),
);

export const metricTarget = struct(home, 'MetricTarget', 'The level that a metric should be kept at.', () => ({
  type: field(1, string, {
    goType: 'MetricTargetType',
    always: true,
    required: true,
    about: 'Form of the target: Utilization, Value or AverageValue.',
  }),
  value: field(2, quantity, { pointer: true, about: 'Wanted total value of the metric, as a quantity.' }),
  averageValue: field(3, quantity, { pointer: true, about: 'Wanted value per pod, as a quantity such as 500m.' }),
  averageUtilization: field(4, int32, {
    pointer: true,
    about: "Wanted average use in percent of the pods' requests; only for resource metrics.",
  }),
}));

export const metricIdentifier = struct(
  home,
  'MetricIdentifier',
  'Names a metric, optionally narrowed by labels.',
  () => ({
    name: field(1, string, { always: true, required: true, about: 'Name of the metric to read.' }),
    selector: field(2, labelSelector, {
      pointer: true,
      about: 'Labels handed to the metrics server to narrow the metric; unset uses the name alone.',
    }),
  }),
);

const objectMetricSource = struct(home, 'ObjectMetricSource', 'Scales on a metric that describes one object.', () => ({
  describedObject: field(1, crossVersionObjectReference, {
    always: true,
    required: true,
    about: 'The object that the metric is about.',
  }),
  target: field(2, metricTarget, {
    always: true,
    required: true,
    about: 'The value to aim for, as Value or AverageValue.',
  }),
  metric: field(3, metricIdentifier, { always: true, required: true, about: 'Which metric of the object to read.' }),
}));

const podsMetricSource = struct(
  home,
  'PodsMetricSource',
  "Scales on a custom metric averaged over the target's pods.",
  () => ({
    metric: field(1, metricIdentifier, { always: true, required: true, about: 'Which pod metric to read.' }),
    target: field(2, metricTarget, {
      always: true,
      required: true,
      about: 'The per-pod average to aim for, as AverageValue.',
    }),
  }),
);

const resourceMetricSource = struct(
  home,
  'ResourceMetricSource',
  'Scales on CPU, memory or another resource requested by the pods.',
  () => ({
    name: field(1, string, {
      goType: 'v1.ResourceName',
      always: true,
      required: true,
      about: 'Resource to measure, such as cpu or memory.',
    }),
    target: field(2, metricTarget, {
      always: true,
      required: true,
      about: 'The level to aim for, as Utilization or AverageValue.',
    }),
  }),
);

const containerResourceMetricSource = struct(
  home,
  'ContainerResourceMetricSource',
  "Scales on CPU or memory use of one container across the target's pods.",
  () => ({
    name: field(1, string, {
      goType: 'v1.ResourceName',
      always: true,
      required: true,
      about: 'Resource to measure, such as cpu or memory.',
    }),
    target: field(2, metricTarget, { always: true, required: true, about: 'The level of use to aim for.' }),
    container: field(3, string, {
      always: true,
      required: true,
      about: 'Name of the container whose use is measured.',
    }),
  }),
);

const externalMetricSource = struct(
  home,
  'ExternalMetricSource',
  "Scales on a metric from outside the cluster, such as a queue's length.",
  () => ({
    metric: field(1, metricIdentifier, { always: true, required: true, about: 'Which external metric to read.' }),
    target: field(2, metricTarget, {
      always: true,
      required: true,
      about: 'The value to aim for, as Value or AverageValue.',
    }),
  }),
);

export const metricSpec = struct(home, 'MetricSpec', 'One metric to scale on; fill the field that fits type.', () => ({
  type: field(1, string, {
    goType: 'MetricSourceType',
    always: true,
    required: true,
    about: 'Source of the metric: Resource, ContainerResource, Pods, Object or External.',
  }),
  object: field(2, objectMetricSource, {
    pointer: true,
    about: 'Metric that describes one other object, such as requests on an Ingress.',
  }),
  pods: field(3, podsMetricSource, { pointer: true, about: "Custom metric averaged over the target's pods." }),
  resource: field(4, resourceMetricSource, {
    pointer: true,
    about: "CPU, memory or another pod resource, averaged over the target's pods.",
  }),
  containerResource: field(7, containerResourceMetricSource, {
    pointer: true,
    about: "Resource use of one named container in the target's pods.",
  }),
  external: field(5, externalMetricSource, { pointer: true, about: 'Metric that comes from outside the cluster.' }),
}));

const hpaScalingPolicy = struct(
  home,
  'HPAScalingPolicy',
  'One limit on how much the replica count may change within a period.',
  () => ({
    type: field(1, string, {
      goType: 'HPAScalingPolicyType',
      always: true,
      required: true,
      about: 'Pods for an absolute number, or Percent of current replicas.',
    }),
    value: field(2, int32, {
      always: true,
      required: true,
      about: 'Largest change allowed, in pods or percent; must be above 0.',
    }),
    periodSeconds: field(3, int32, {
      always: true,
      required: true,
      about: 'Length of the period in seconds, from 1 to 1800.',
    }),
  }),
);

const hpaScalingRules = struct(home, 'HPAScalingRules', 'Shapes scaling in one direction.', () => ({
  stabilizationWindowSeconds: field(3, int32, {
    pointer: true,
    about: 'Seconds of past recommendations to consider, 0 to 3600; default 0 for up, 300 for down.',
  }),
  selectPolicy: field(1, string, {
    goType: 'ScalingPolicySelect',
    pointer: true,
    about: 'Which policy wins: Max (default) change, Min change, or Disabled to forbid this direction.',
  }),
  policies: field(2, listOf(hpaScalingPolicy), {
    keepsEmpty: true,
    listType: 'atomic',
    about: 'Limits on the rate of change; unset uses built-in ones.',
  }),
  tolerance: field(4, quantity, {
    pointer: true,
    gate: 'HPAConfigurableTolerance',
    about: 'Fraction by which a metric may miss its target without scaling, such as 0.05; cluster default is 0.1.',
  }),
}));

export const horizontalPodAutoscalerBehavior = struct(
  home,
  'HorizontalPodAutoscalerBehavior',
  'Separate scaling limits for growing and shrinking.',
  () => ({
    scaleUp: field(1, hpaScalingRules, {
      pointer: true,
      about: 'Rules for adding pods; default is the larger of 4 pods or doubling per 15 seconds.',
    }),
    scaleDown: field(2, hpaScalingRules, {
      pointer: true,
      about: 'Rules for removing pods; default may go down to minReplicas after a 300 second window.',
    }),
  }),
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
    metrics: field(4, listOf(metricSpec, mostMetrics), {
      listType: 'atomic',
      about: 'Metrics to follow; the one asking for most pods wins. Unset means 80 percent average CPU.',
    }),
    behavior: field(5, horizontalPodAutoscalerBehavior, {
      pointer: true,
      about: 'Speed limits for scaling up and down; unset uses the defaults.',
    }),
  }),
);

const metricValueStatus = struct(home, 'MetricValueStatus', 'A measured metric value in one or more forms.', () => ({
  value: field(1, quantity, { pointer: true, about: 'Total value as last measured.' }),
  averageValue: field(2, quantity, { pointer: true, about: 'Value per pod as last measured.' }),
  averageUtilization: field(3, int32, {
    pointer: true,
    about: "Average use in percent of the pods' requests, for resource metrics.",
  }),
}));

const objectMetricStatus = struct(home, 'ObjectMetricStatus', 'Last reading of a metric about one object.', () => ({
  metric: field(1, metricIdentifier, { always: true, required: true, about: 'Which metric of the object was read.' }),
  current: field(2, metricValueStatus, { always: true, required: true, about: 'The measured value of the metric.' }),
  describedObject: field(3, crossVersionObjectReference, {
    always: true,
    required: true,
    about: 'The object that the metric is about.',
  }),
}));

const podsMetricStatus = struct(home, 'PodsMetricStatus', 'Last reading of a custom pod metric.', () => ({
  metric: field(1, metricIdentifier, { always: true, required: true, about: 'Which pod metric was read.' }),
  current: field(2, metricValueStatus, { always: true, required: true, about: 'The measured average over the pods.' }),
}));

const resourceMetricStatus = struct(home, 'ResourceMetricStatus', 'Last reading of a pod resource.', () => ({
  name: field(1, string, {
    goType: 'v1.ResourceName',
    always: true,
    required: true,
    about: 'Resource that was measured, such as cpu.',
  }),
  current: field(2, metricValueStatus, { always: true, required: true, about: 'The measured use of the resource.' }),
}));

const containerResourceMetricStatus = struct(
  home,
  'ContainerResourceMetricStatus',
  "Last reading of one container's resource use.",
  () => ({
    name: field(1, string, {
      goType: 'v1.ResourceName',
      always: true,
      required: true,
      about: 'Resource that was measured, such as cpu.',
    }),
    current: field(2, metricValueStatus, {
      always: true,
      required: true,
      about: 'The measured value for the resource.',
    }),
    container: field(3, string, { always: true, required: true, about: 'Name of the container that was measured.' }),
  }),
);

const externalMetricStatus = struct(home, 'ExternalMetricStatus', 'Last reading of an external metric.', () => ({
  metric: field(1, metricIdentifier, { always: true, required: true, about: 'Which external metric was read.' }),
  current: field(2, metricValueStatus, { always: true, required: true, about: 'The measured value of the metric.' }),
}));

export const metricStatus = struct(
  home,
  'MetricStatus',
  'Last reading of one metric; the field that fits type is filled.',
  () => ({
    type: field(1, string, {
      goType: 'MetricSourceType',
      always: true,
      required: true,
      about: 'Source of the metric: Resource, ContainerResource, Pods, Object or External.',
    }),
    object: field(2, objectMetricStatus, {
      pointer: true,
      about: 'Reading of a metric that describes another object.',
    }),
    pods: field(3, podsMetricStatus, { pointer: true, about: 'Reading of a custom metric averaged over pods.' }),
    resource: field(4, resourceMetricStatus, { pointer: true, about: 'Reading of a pod resource such as CPU.' }),
    containerResource: field(7, containerResourceMetricStatus, {
      pointer: true,
      about: "Reading of one container's resource use.",
    }),
    external: field(5, externalMetricStatus, { pointer: true, about: 'Reading of a metric from outside the cluster.' }),
  }),
);

export const horizontalPodAutoscalerCondition = struct(
  home,
  'HorizontalPodAutoscalerCondition',
  'One named observation about an autoscaler.',
  () =>
    conditionFields('Kind of observation: ScalingActive, AbleToScale or ScalingLimited.', {
      type: 'HorizontalPodAutoscalerConditionType',
    }),
);

export const horizontalPodAutoscalerStatus = struct(
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
    currentReplicas: field(3, int32, { about: 'Replica count of the target as last seen.' }),
    desiredReplicas: field(4, int32, {
      always: true,
      required: true,
      about: 'Replica count that the autoscaler last computed.',
    }),
    currentMetrics: field(5, listOf(metricStatus, mostMetrics), {
      always: true,
      listType: 'atomic',
      about: 'Last readings of the metrics in use.',
    }),
    conditions: field(6, listOf(horizontalPodAutoscalerCondition, mostMetrics), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Current observations, at most one entry per type.',
    }),
  }),
);

export const horizontalPodAutoscalerType = struct(
  home,
  'HorizontalPodAutoscaler',
  "Changes a workload's replica count automatically to keep metrics near their targets.",
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, horizontalPodAutoscalerSpec, {
      always: true,
      required: true,
      about: 'What to scale, between which limits and by which metrics.',
    }),
    status: field(3, horizontalPodAutoscalerStatus, {
      always: true,
      about: 'Last readings and decisions of the autoscaler; read-only for users.',
    }),
  }),
);

export type HorizontalPodAutoscaler = ApiObject & Infer<typeof horizontalPodAutoscalerType>;
