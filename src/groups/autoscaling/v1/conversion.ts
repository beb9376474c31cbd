// The older autoscaler knows one metric, the use of CPU; everything else travels in annotations.

import { isJsonObject } from '../../../base/json.ts';
import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import { DecodeContext, decoderOf } from '../../../schema/decode.ts';
import type { Conversion } from '../../../schema/resource.ts';
import { type Infer, listOf, type SchemaType } from '../../../schema/types.ts';
import { cpuMetric } from '../v2/autoscaler-rules.ts';
import {
  horizontalPodAutoscalerBehavior,
  horizontalPodAutoscalerCondition,
  metricSpec,
  metricStatus,
  type HorizontalPodAutoscaler as Stored,
} from '../v2/horizontal-pod-autoscaler.ts';
import type { MetricSpec } from '../v2/metrics.ts';
import type { HorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { flatMetric, fullMetric } from './metrics-annotation.ts';

type Spec = NonNullable<Stored['spec']>;
type Status = NonNullable<Stored['status']>;

const annotation = (dialect: Dialect, name: string) => `autoscaling.alpha.${labelKey(dialect, name)}`;
const names = ['metrics', 'behavior', 'current-metrics', 'conditions'] as const;

const metricList = listOf(metricSpec);
const statusList = listOf(metricStatus);
const conditionList = listOf(horizontalPodAutoscalerCondition);

/** The value of an annotation, as the type has it; one that cannot be read says nothing. */
function read<S extends SchemaType>(
  type: S,
  text: string | undefined,
  change: (value: unknown) => unknown,
): Infer<S> | undefined {
  if (text === undefined) return undefined;
  try {
    return decoderOf(type)(change(JSON.parse(text)), new DecodeContext()) as Infer<S>;
  } catch {
    return undefined;
  }
}

const asItIs = (value: unknown) => value;
const full = (of: 'target' | 'current') => (value: unknown) =>
  Array.isArray(value) ? value.map((one: unknown) => (isJsonObject(one) ? fullMetric(one, { of }) : one)) : value;

function toStorage(object: ApiObject, dialect: Dialect): ApiObject {
  const { spec = {}, status = {} } = object as HorizontalPodAutoscaler;
  const { annotations = {} } = object.metadata;
  const text = (name: (typeof names)[number]) => annotations[annotation(dialect, name)];
  const behavior = read(horizontalPodAutoscalerBehavior, text('behavior'), asItIs);
  const { targetCPUUtilizationPercentage: cpu, ...kept } = spec;
  const others = read(metricList, text('metrics'), full('target')) ?? [];
  const { currentCPUUtilizationPercentage: current, ...counts } = status;
  const readings = read(statusList, text('current-metrics'), full('current')) ?? cpuReading(current);
  const conditions = read(conditionList, text('conditions'), asItIs);
  return {
    ...withAnnotations(object, dialect, {}),
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

/** Without the annotations that carry something, and with those given. */
function withAnnotations(object: ApiObject, dialect: Dialect, given: Readonly<Record<string, string>>): ApiObject {
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  for (const name of names) delete annotations[annotation(dialect, name)];
  const all = Object.entries({ ...annotations, ...given }).sort(([a], [b]) => (a < b ? -1 : 1));
  return withMeta(object, { annotations: all.length === 0 ? undefined : Object.fromEntries(all) });
}

const cpuTarget = ({ type, resource }: MetricSpec) =>
  type === 'Resource' && resource?.name === 'cpu' ? resource.target?.averageUtilization : undefined;

function fromStorage(object: ApiObject, dialect: Dialect): ApiObject {
  const { spec = {}, status = {} } = object as Stored;
  const { metrics, behavior, ...kept } = spec as Spec;
  const { currentMetrics, conditions, ...counts } = status as Status;
  const cpu = (metrics ?? []).map(cpuTarget).find((target) => target !== undefined);
  const others = (metrics ?? []).filter((metric) => cpuTarget(metric) === undefined);
  const reading = currentMetrics?.find(({ resource }) => resource?.name === 'cpu')?.resource?.current
    ?.averageUtilization;
  const carried = {
    metrics: others.map((metric) => flatMetric(metric, { of: 'target' })),
    behavior,
    'current-metrics': (currentMetrics ?? []).map((metric) => flatMetric(metric, { of: 'current' })),
    conditions,
  };
  return {
    ...withAnnotations(object, dialect, texts(carried, dialect)),
    spec: { ...kept, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: { ...counts, ...(reading === undefined ? {} : { currentCPUUtilizationPercentage: reading }) },
  };
}

/** Annotations for what there is something to say about. */
function texts(carried: Readonly<Record<string, unknown>>, dialect: Dialect): Record<string, string> {
  const said = Object.entries(carried).filter(([, value]) => value && !(Array.isArray(value) && value.length === 0));
  return Object.fromEntries(said.map(([name, value]) => [annotation(dialect, name), JSON.stringify(value)]));
}

export const conversion: Conversion = { toStorage, fromStorage };
