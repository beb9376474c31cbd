// HorizontalPodAutoscaler of v2beta1: metrics are flat, and speed limits travel in an annotation.

import type { JsonObject } from '../../../base/json/json.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { dateTime, field, type Infer, int32, int64, listOf, struct } from '../../../schema/types.ts';
import { convertedKind } from '../../converted-kind.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { carriedText, carrying, readCarried } from '../carried.ts';
import { flatMetric, fullMetric } from '../flat-metrics.ts';
import { crossVersionObjectReference } from '../v1/horizontal-pod-autoscaler-type.ts';
import { cpuMetric } from '../v2/autoscaler-rules.ts';
import { horizontalPodAutoscaler as stored } from '../v2/horizontal-pod-autoscaler.ts';
import {
  horizontalPodAutoscalerBehavior,
  horizontalPodAutoscalerCondition,
  mostMetrics,
  type HorizontalPodAutoscaler as Stored,
} from '../v2/horizontal-pod-autoscaler-type.ts';
import { metricSpec, metricStatus } from './metric-types.ts';

const home = 'autoscaling/v2beta1';

const spec = struct(home, 'HorizontalPodAutoscalerSpec', 'Desired configuration of an autoscaler.', () => ({
  scaleTargetRef: field(1, crossVersionObjectReference, { always: true, required: true, about: 'What to scale.' }),
  minReplicas: field(2, int32, { pointer: true, about: 'Lowest replica count; default 1.' }),
  maxReplicas: field(3, int32, { always: true, required: true, about: 'Highest replica count.' }),
  metrics: field(4, listOf(metricSpec, mostMetrics), { listType: 'atomic', about: 'Metrics to follow.' }),
}));

const status = struct(home, 'HorizontalPodAutoscalerStatus', 'Observed state of an autoscaler.', () => ({
  observedGeneration: field(1, int64, { pointer: true, about: 'The generation that was acted on last.' }),
  lastScaleTime: field(2, dateTime, { pointer: true, about: 'When it last scaled.' }),
  currentReplicas: field(3, int32, { always: true, required: true, about: 'Replica count as last seen.' }),
  desiredReplicas: field(4, int32, { always: true, required: true, about: 'Replica count as last computed.' }),
  currentMetrics: field(5, listOf(metricStatus, mostMetrics), {
    always: true,
    listType: 'atomic',
    about: 'Last readings.',
  }),
  conditions: field(6, listOf(horizontalPodAutoscalerCondition), {
    always: true,
    listType: 'atomic',
    about: 'Current observations.',
  }),
}));

const type = struct(
  home,
  'HorizontalPodAutoscaler',
  'Changes the size of a workload to keep metrics near targets.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, spec, { always: true, about: 'What is wanted.' }),
    status: field(3, status, { always: true, about: 'What was last seen.' }),
  }),
);

type Autoscaler = ApiObject & Infer<typeof type>;

const carried = ['behavior'] as const;
const full = (of: 'target' | 'current') => (metric: object) => fullMetric(metric as JsonObject, { of });

function toStorage(object: Autoscaler, dialect: Dialect): ApiObject {
  const { spec: wanted = {}, status: seen = {} } = object;
  const { conditions, ...counts } = seen;
  const behavior = readCarried(horizontalPodAutoscalerBehavior, carriedText(object, dialect, 'behavior'));
  return {
    ...carrying(object, dialect, carried, {}),
    spec: { ...wanted, metrics: (wanted.metrics ?? []).map(full('target')), ...(behavior ? { behavior } : {}) },
    status: {
      ...counts,
      currentMetrics: seen.currentMetrics?.map(full('current')) ?? null,
      ...(conditions ? { conditions } : {}),
    },
  };
}

function fromStorage(object: Stored, dialect: Dialect): ApiObject {
  const { spec: wanted = {}, status: seen = {} } = object;
  const { behavior, metrics, ...kept } = wanted;
  const { currentReplicas = 0, desiredReplicas = 0 } = seen;
  return {
    ...carrying(object, dialect, carried, { behavior }),
    spec: { ...kept, ...(metrics ? { metrics: metrics.map((one) => flatMetric(one, { of: 'target' })) } : {}) },
    status: {
      ...seen,
      currentReplicas,
      desiredReplicas,
      currentMetrics: seen.currentMetrics?.map((one) => flatMetric(one, { of: 'current' })) ?? null,
      conditions: seen.conditions ?? null,
    },
  };
}

/** One pod at least; four fifths of the CPU that pods ask for, by default. */
function defaults(object: Autoscaler): ApiObject {
  const { spec: wanted = {} } = object;
  const { metrics = [] } = wanted;
  const followed = metrics.length > 0 ? metrics : [flatMetric(cpuMetric(), { of: 'target' })];
  return { ...object, spec: { minReplicas: 1, ...wanted, metrics: followed } };
}

export const horizontalPodAutoscalerV2beta1: KindDefinition = convertedKind(stored, {
  type,
  conversion: { toStorage, fromStorage },
  defaults,
  deprecated: {
    since: 22,
    removed: 25,
    replacement: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
  },
});
