// The older autoscaler knows one metric, the use of CPU; everything else travels in annotations.

import { isJsonObject } from '../../../base/json/json.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Conversion } from '../../../schema/resource.ts';
import { listOf } from '../../../schema/types.ts';
import { carriedText, carrying, readCarried } from '../carried.ts';
import { flatMetric, fullMetric } from '../flat-metrics.ts';
import { cpuMetric } from '../v2/autoscaler-rules.ts';
import {
  horizontalPodAutoscalerBehavior,
  horizontalPodAutoscalerCondition,
  metricSpec,
  metricStatus,
  mostMetrics,
  type HorizontalPodAutoscaler as Stored,
} from '../v2/horizontal-pod-autoscaler-type.ts';
import type { MetricSpec } from '../v2/metrics.ts';
import type { HorizontalPodAutoscaler } from './horizontal-pod-autoscaler-type.ts';

type Spec = NonNullable<Stored['spec']>;
type Status = NonNullable<Stored['status']>;

const names = ['metrics', 'behavior', 'current-metrics', 'conditions'] as const;

const metricList = listOf(metricSpec, mostMetrics);
const statusList = listOf(metricStatus, mostMetrics);
const conditionList = listOf(horizontalPodAutoscalerCondition, mostMetrics);

const full = (of: 'target' | 'current') => (value: unknown) =>
  Array.isArray(value) ? value.map((one: unknown) => (isJsonObject(one) ? fullMetric(one, { of }) : one)) : value;

function toStorage(object: HorizontalPodAutoscaler, dialect: Dialect): ApiObject {
  const { spec = {}, status = {} } = object;
  const text = (name: (typeof names)[number]) => carriedText(object, dialect, name);
  const carried = readCarried(horizontalPodAutoscalerBehavior, text('behavior'), readBehavior);
  const behavior = carried?.scaleUp || carried?.scaleDown ? carried : undefined;
  const { targetCPUUtilizationPercentage: cpu, ...kept } = spec;
  const others = readCarried(metricList, text('metrics'), full('target')) ?? [];
  const { currentCPUUtilizationPercentage: current, currentReplicas, ...desired } = status;
  // the stored version leaves out what is zero
  const counts = currentReplicas ? { currentReplicas, ...desired } : desired;
  const readings = readCarried(statusList, text('current-metrics'), full('current')) ?? cpuReading(current);
  const conditions = readCarried(conditionList, text('conditions'));
  return {
    ...carrying(object, dialect, names, {}),
    spec: { ...kept, metrics: withCpu(others, cpu), ...(behavior ? { behavior } : {}) },
    status: { ...counts, currentMetrics: readings, ...(conditions ? { conditions } : {}) },
  };
}

function withCpu(others: readonly MetricSpec[], cpu: number | undefined): readonly MetricSpec[] {
  if (cpu !== undefined) return [...others, cpuMetric(cpu)];
  return others.length === 0 ? [cpuMetric()] : others;
}

function cpuReading(averageUtilization: number | undefined): Status['currentMetrics'] | null {
  if (averageUtilization === undefined) return null;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } }];
}

const cpuTarget = ({ type, resource }: MetricSpec) =>
  type === 'Resource' && resource?.name === 'cpu' ? resource.target?.averageUtilization : undefined;

function fromStorage(object: Stored, dialect: Dialect): ApiObject {
  const spec: Spec = object.spec ?? {};
  const status: Status = object.status ?? {};
  const { metrics, behavior, ...kept } = spec;
  const { currentMetrics, conditions, ...counts } = status;
  const cpu = (metrics ?? []).map(cpuTarget).find((target) => target !== undefined);
  const others = (metrics ?? []).filter((metric) => cpuTarget(metric) === undefined);
  const reading = currentMetrics?.find(({ resource }) => resource?.name === 'cpu')?.resource?.current
    ?.averageUtilization;
  const carried = {
    metrics: others.map((metric) => flatMetric(metric, { of: 'target' })),
    behavior: behavior && carriedBehavior(behavior),
    'current-metrics': (currentMetrics ?? []).map((metric) => flatMetric(metric, { of: 'current' })),
    conditions,
  };
  return {
    ...carrying(object, dialect, names, carried),
    spec: { ...kept, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: {
      // always written here, unlike in the stored version
      currentReplicas: 0,
      ...counts,
      ...(reading === undefined ? {} : { currentCPUUtilizationPercentage: reading }),
    },
  };
}

export const conversion: Conversion = { toStorage, fromStorage, usesAnnotations: true };

type Behavior = NonNullable<Spec['behavior']>;
type ScalingRules = NonNullable<Behavior['scaleUp']>;

/** compat: the behaviour is carried with the reference's own names of its fields, all of them */
function carriedBehavior({ scaleUp, scaleDown }: Behavior): object {
  return { ScaleUp: carriedRules(scaleUp), ScaleDown: carriedRules(scaleDown) };
}

function carriedRules(rules: ScalingRules | undefined): object | null {
  if (rules === undefined) return null;
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies, tolerance = null } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies:
      policies?.map(({ type = '', value = 0, periodSeconds = 0 }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: tolerance,
  };
}

/** Names of fields begin with a small letter here, as clients may write them; those without a value are left out. */
function readBehavior(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readBehavior);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    fields.map(([name, field]) => [`${name[0]?.toLowerCase() ?? ''}${name.slice(1)}`, readBehavior(field)]),
  );
}
