// Types of metrics in v2beta1: each source says itself what it aims for, or what was read.

import { field, int32, quantity, string, struct } from '../../../schema/types.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { crossVersionObjectReference } from '../v1/horizontal-pod-autoscaler-type.ts';

const home = 'autoscaling/v2beta1';

const named = { always: true, required: true } as const;
const metricName = (number: number) => field(number, string, { ...named, about: 'Name of the metric.' });
const selector = (number: number) => field(number, labelSelector, { pointer: true, about: 'Labels of the metric.' });
const amount = (number: number, about: string) => field(number, quantity, { pointer: true, about });
const neededAmount = (number: number, about: string) => field(number, quantity, { ...named, about });
const described = field(1, crossVersionObjectReference, { ...named, about: 'The object that the metric is about.' });
const resourceName = field(1, string, { ...named, about: 'Name of the resource, such as cpu.' });
const container = field(4, string, { ...named, about: 'Name of the container.' });
const metricType = field(1, string, { ...named, about: 'Resource, ContainerResource, Pods, Object or External.' });

const resourceTargets = {
  targetAverageUtilization: field(2, int32, { pointer: true, about: 'Wanted use in percent of the requests.' }),
  targetAverageValue: amount(3, 'Wanted use of each pod.'),
};

const resourceReadings = {
  currentAverageUtilization: field(2, int32, { pointer: true, about: 'Use in percent of the requests.' }),
  currentAverageValue: neededAmount(3, 'Use of each pod.'),
};

const objectSource = struct(home, 'ObjectMetricSource', 'Scales on a metric of one object.', () => ({
  target: described,
  metricName: metricName(2),
  targetValue: neededAmount(3, 'Wanted value.'),
  selector: selector(4),
  averageValue: amount(5, 'Wanted value for each pod.'),
}));

const podsSource = struct(home, 'PodsMetricSource', 'Scales on a metric of the pods.', () => ({
  metricName: metricName(1),
  targetAverageValue: neededAmount(2, 'Wanted value for each pod.'),
  selector: selector(3),
}));

const resourceSource = struct(home, 'ResourceMetricSource', 'Scales on what pods use.', () => ({
  name: resourceName,
  ...resourceTargets,
}));

const containerSource = struct(
  home,
  'ContainerResourceMetricSource',
  'Scales on what one container of pods uses.',
  () => ({
    name: resourceName,
    ...resourceTargets,
    container,
  }),
);

const externalSource = struct(home, 'ExternalMetricSource', 'Scales on a metric from outside the cluster.', () => ({
  metricName: metricName(1),
  metricSelector: selector(2),
  targetValue: amount(3, 'Wanted value.'),
  targetAverageValue: amount(4, 'Wanted value for each pod.'),
}));

export const metricSpec = struct(home, 'MetricSpec', 'One metric to scale on; fill the field that fits type.', () => ({
  type: metricType,
  object: field(2, objectSource, { pointer: true, about: 'A metric of one other object.' }),
  pods: field(3, podsSource, { pointer: true, about: 'A metric of the pods.' }),
  resource: field(4, resourceSource, { pointer: true, about: 'A resource that pods use.' }),
  containerResource: field(7, containerSource, { pointer: true, about: 'A resource that one container uses.' }),
  external: field(5, externalSource, { pointer: true, about: 'A metric from outside the cluster.' }),
}));

const objectStatus = struct(home, 'ObjectMetricStatus', 'Last reading of a metric of one object.', () => ({
  target: described,
  metricName: metricName(2),
  currentValue: neededAmount(3, 'The value.'),
  selector: selector(4),
  averageValue: amount(5, 'The value for each pod.'),
}));

const podsStatus = struct(home, 'PodsMetricStatus', 'Last reading of a metric of the pods.', () => ({
  metricName: metricName(1),
  currentAverageValue: neededAmount(2, 'The value for each pod.'),
  selector: selector(3),
}));

const resourceStatus = struct(home, 'ResourceMetricStatus', 'Last reading of what pods use.', () => ({
  name: resourceName,
  ...resourceReadings,
}));

const containerStatus = struct(
  home,
  'ContainerResourceMetricStatus',
  'Last reading of what one container uses.',
  () => ({
    name: resourceName,
    ...resourceReadings,
    container,
  }),
);

const externalStatus = struct(
  home,
  'ExternalMetricStatus',
  'Last reading of a metric from outside the cluster.',
  () => ({
    metricName: metricName(1),
    metricSelector: selector(2),
    currentValue: neededAmount(3, 'The value.'),
    currentAverageValue: amount(4, 'The value for each pod.'),
  }),
);

export const metricStatus = struct(home, 'MetricStatus', 'Last reading of one metric.', () => ({
  type: metricType,
  object: field(2, objectStatus, { pointer: true, about: 'A metric of one other object.' }),
  pods: field(3, podsStatus, { pointer: true, about: 'A metric of the pods.' }),
  resource: field(4, resourceStatus, { pointer: true, about: 'A resource that pods use.' }),
  containerResource: field(7, containerStatus, { pointer: true, about: 'A resource that one container uses.' }),
  external: field(5, externalStatus, { pointer: true, about: 'A metric from outside the cluster.' }),
}));
