// What one metric of an autoscaler proposes: a number of replicas, and how the status shows the value.

import type { MetricSpec, MetricStatus } from '../../groups/autoscaling/v2/metrics.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { LabelSelector } from '../../groups/meta/v1/label-selector.ts';
import { formatQuantity } from '../../meta/quantity.ts';
import type { MetricValues } from './metric-values.ts';
import {
  MetricError,
  milliOf,
  replicasOfAverage,
  replicasOfShare,
  replicasOfTotal,
  replicasOfUtilization,
  type Tolerances,
} from './replicas.ts';

interface MetricProposal {
  readonly replicas: number;
  /** The metric as events name it. */
  readonly name: string;
  readonly status: MetricStatus;
}

export interface MetricSituation {
  readonly values: MetricValues;
  readonly pods: readonly Pod[];
  /** The selector of the pods, as a query parameter. */
  readonly selector: string;
  /** Replicas that the target should have, and has. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** A metric without a proposal: the reason of the condition, and the message of the event. */
export class UnusableMetric extends Error {
  override readonly name = 'UnusableMetric';
  readonly reason: string;
  /** The message with the metric. */
  readonly whole: string;

  constructor(reason: string, message: string, subject: string) {
    super(message);
    this.reason = reason;
    this.whole = `${subject}: ${message}`;
  }
}

type Propose<K extends keyof MetricSpec> = (
  source: NonNullable<MetricSpec[K]>,
  situation: MetricSituation,
) => Promise<MetricProposal>;

export async function proposeFor(metric: MetricSpec, situation: MetricSituation): Promise<MetricProposal> {
  const { type, resource, containerResource, pods, object, external } = metric;
  const attempt = async (reason: string, what: string, propose: () => Promise<MetricProposal>) => {
    try {
      return await propose();
    } catch (error) {
      if (error instanceof MetricError)
        throw new UnusableMetric(reason, error.message, `failed to get ${what} metric value`);
      throw error;
    }
  };
  if (type === 'Resource' && resource !== undefined)
    return attempt('FailedGetResourceMetric', `${resource.name} resource`, () => ofResource(resource, situation));
  if (type === 'ContainerResource' && containerResource !== undefined)
    return attempt('FailedGetContainerResourceMetric', `${containerResource.container} container`, () =>
      ofContainer(containerResource, situation),
    );
  if (type === 'Pods' && pods !== undefined)
    return attempt('FailedGetPodsMetric', 'pods', () => ofPods(pods, situation));
  if (type === 'Object' && object !== undefined)
    return attempt('FailedGetObjectMetric', 'object', () => ofObject(object, situation));
  if (type === 'External' && external !== undefined)
    return attempt('FailedGetExternalMetric', `${external.metric?.name} external`, () =>
      ofExternal(external, situation),
    );
  const message = `unknown metric source type ${JSON.stringify(type ?? '')}`;
  throw new UnusableMetric('InvalidMetricSourceType', message, message);
}

const amount = (milli: number, format: 'decimal' | 'binary' = 'decimal'): string =>
  formatQuantity({ digits: BigInt(milli), scale: -3, format });

const ofResource: Propose<'resource'> = async ({ name = '', target = {} }, situation) => {
  const { replicas, current, unit } = await resourceProposal({ name, target, container: '' }, situation);
  const full = unit === 'percent' ? ' utilization (percentage of request)' : '';
  return { replicas, name: `${name} resource${full}`, status: { type: 'Resource', resource: { name, current } } };
};

const ofContainer: Propose<'containerResource'> = async ({ name = '', container = '', target = {} }, situation) => {
  const { replicas, current, unit } = await resourceProposal({ name, target, container }, situation);
  const full = unit === 'percent' ? 'container resource utilization (percentage of request)' : 'resource';
  return {
    replicas,
    name: `${name} ${full}`,
    status: { type: 'ContainerResource', containerResource: { name, container, current } },
  };
};

interface ResourceSource {
  readonly name: string;
  readonly container: string;
  readonly target: NonNullable<NonNullable<MetricSpec['resource']>['target']>;
}

async function resourceProposal({ name, container, target }: ResourceSource, situation: MetricSituation) {
  const { averageValue, averageUtilization } = target;
  const format = name === 'memory' ? 'binary' : 'decimal';
  const what = averageValue === undefined ? 'utilization' : 'usage';
  const values = await named(`failed to get ${name} ${what}: unable to get metrics for resource ${name}`, () =>
    situation.values.ofResource(name, container, situation),
  );
  const { pods, specReplicas: currentReplicas, tolerances, now } = situation;
  const input = { pods, values, resource: name, currentReplicas, tolerances, now };
  if (averageValue !== undefined) {
    const { replicas, usage } = await named(`failed to get ${name} usage`, () =>
      replicasOfAverage(input, milliOf(averageValue)),
    );
    return { replicas, unit: 'amount', current: { averageValue: amount(usage, format) } } as const;
  }
  const { replicas, usage, utilization } = await named(`failed to get ${name} utilization`, () =>
    replicasOfUtilization({ ...input, container }, averageUtilization ?? 0),
  );
  const current = { averageUtilization: utilization ?? 0, averageValue: amount(usage, format) };
  return { replicas, unit: 'percent', current } as const;
}

const ofPods: Propose<'pods'> = async ({ metric = {}, target = {} }, situation) => {
  const { name = '' } = metric;
  const { pods, specReplicas: currentReplicas, tolerances, now } = situation;
  const values = await named(`unable to get metric ${name}`, () =>
    situation.values.ofPods(name, metric.selector as LabelSelector | undefined, situation),
  );
  const input = { pods, values, currentReplicas, tolerances, now };
  const { replicas, usage } = replicasOfAverage(input, milliOf(target.averageValue ?? '0'));
  const status = { type: 'Pods', pods: { metric, current: { averageValue: amount(usage) } } };
  return { replicas, name: `pods metric ${name}`, status };
};

const ofObject: Propose<'object'> = async ({ metric = {}, target = {}, describedObject = {} }, situation) => {
  const { name = '' } = metric;
  const usage = await namedAfter(
    `unable to get metric ${name}`,
    ` on ${describedObject.kind} ${describedObject.name}`,
    () => situation.values.ofObject(name, metric.selector as LabelSelector | undefined, describedObject),
  );
  const { replicas, current } = totalProposal(usage, target, situation);
  const subject =
    current.value === undefined ? `external metric ${name}(nil)` : `${describedObject.kind} metric ${name}`;
  return { replicas, name: subject, status: { type: 'Object', object: { describedObject, metric, current } } };
};

const ofExternal: Propose<'external'> = async ({ metric = {}, target = {} }, situation) => {
  const { name = '', selector } = metric;
  const usage = await named(`unable to get external metric ${name}`, () =>
    situation.values.ofExternal(name, selector as LabelSelector | undefined),
  );
  const { replicas, current } = totalProposal(usage, target, situation);
  const subject = `external metric ${name}(${selector === undefined ? 'nil' : JSON.stringify(selector)})`;
  return { replicas, name: subject, status: { type: 'External', external: { metric, current } } };
};

/** A value for all pods together has one target, or one for each pod. */
function totalProposal(usage: number, target: ResourceSource['target'], situation: MetricSituation) {
  const { pods, specReplicas, statusReplicas, tolerances } = situation;
  if (target.value !== undefined && target.averageValue === undefined) {
    const input = { pods, usage, tolerances, currentReplicas: specReplicas };
    const { replicas } = replicasOfTotal(input, milliOf(target.value));
    return { replicas, current: { value: amount(usage) } };
  }
  const input = { usage, tolerances, currentReplicas: statusReplicas };
  const proposal = replicasOfShare(input, milliOf(target.averageValue ?? '0'));
  return { replicas: proposal.replicas, current: { averageValue: amount(proposal.usage) } };
}

const named = <T>(prefix: string, run: () => T | Promise<T>): Promise<T> => namedAfter(prefix, '', run);

/** Puts the metric around the message of an error. */
async function namedAfter<T>(prefix: string, suffix: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof MetricError) throw new MetricError(`${prefix}: ${error.message}${suffix}`);
    throw error;
  }
}
