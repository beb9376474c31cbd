// HorizontalPodAutoscaler: defaults and what must hold.

import type { Dialect } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { noneNegative, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import type { HorizontalPodAutoscaler } from './horizontal-pod-autoscaler-type.ts';
import { type MetricSpec, namesOddVersion, validateMetrics, validateReference, versionProblem } from './metrics.ts';

type Spec = NonNullable<HorizontalPodAutoscaler['spec']>;
type Behavior = NonNullable<Spec['behavior']>;
type ScalingRules = NonNullable<Behavior['scaleUp']>;
type ScalingPolicy = NonNullable<ScalingRules['policies']>[number];

const specOf = (object: HorizontalPodAutoscaler): Spec => object.spec ?? {};

/** What is followed when nothing else is. */
export const cpuMetric = (averageUtilization = 80): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const scaleUp: ScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDown: ScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function defaults(object: HorizontalPodAutoscaler): ApiObject {
  const given = specOf(object);
  const spec: Spec = {
    minReplicas: 1,
    ...given,
    metrics: given.metrics?.length ? given.metrics : [cpuMetric()],
    ...(given.behavior ? { behavior: defaultBehavior(given.behavior) } : {}),
  };
  return { ...object, spec };
}

const defaultBehavior = (given: Behavior): Behavior => ({
  scaleUp: { ...scaleUp, ...given.scaleUp },
  scaleDown: { ...scaleDown, ...given.scaleDown },
});

/** `old` is undefined for a new object; what it has already is let through where nothing changes it. */
function validateSpec(next: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler | undefined, dialect: Dialect) {
  const spec = specOf(next);
  const was = old === undefined ? {} : specOf(old);
  const metricRules = { dialect, anyVersion: namesOddVersion(was.metrics ?? []) };
  return [
    ...validateLimits(spec, was.minReplicas === 0 ? 0 : 1),
    ...validateReference(spec.scaleTargetRef ?? {}, 'spec.scaleTargetRef'),
    ...validateTarget(next, old),
    ...validateMetrics(spec.metrics ?? [], 'spec.metrics', metricRules),
    ...validateZero(spec, 'spec.metrics'),
    ...validateScaling(spec.behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...validateScaling(spec.behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

/** A workload without replicas has nothing to measure but what is elsewhere. */
function validateZero({ minReplicas, metrics = [] }: Spec, at: string): ValidationErrors {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return [];
  return [
    forbiddenField(at, 'must specify at least one Object or External metric to support scaling to zero replicas'),
  ];
}

function validateLimits({ minReplicas: min, maxReplicas: max = 0 }: Spec, least: number): ValidationErrors {
  return [
    ...(min !== undefined && min < least
      ? [invalidValue('spec.minReplicas', min, `must be greater than or equal to ${least}`)]
      : []),
    ...(max === 0 ? [required('spec.maxReplicas', 'must be set and greater than 0')] : []),
    ...(max < 0 ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to 1')] : []),
    ...(min !== undefined && max < min
      ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')]
      : []),
  ];
}

/** The only kind without a group that can be scaled. */
const grouplessTarget = 'ReplicationController';

/** What is scaled, unless it is what was scaled before. */
function validateTarget(next: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): ValidationErrors {
  const { apiVersion = '', kind = '' } = specOf(next).scaleTargetRef ?? {};
  const was = old && specOf(old).scaleTargetRef;
  if (was !== undefined && (was.apiVersion ?? '') === apiVersion && was.kind === kind) return [];
  const problem = targetProblem(apiVersion, kind);
  return problem === undefined ? [] : [invalidValue('spec.scaleTargetRef.apiVersion', apiVersion, problem)];
}

function targetProblem(apiVersion: string, kind: string): string | undefined {
  const malformed = versionProblem(apiVersion);
  if (malformed !== undefined) return malformed;
  const hasGroup = apiVersion.indexOf('/') > 0;
  return hasGroup || kind === grouplessTarget ? undefined : 'apiVersion must specify API group';
}

const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;
const selectPolicies = ['Disabled', 'Max', 'Min'];

function validateScaling(rules: ScalingRules | undefined, at: string): ValidationErrors {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  return [
    ...(window < 0
      ? [invalidValue(`${at}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero')]
      : []),
    ...(window > maxWindowSeconds
      ? [invalidValue(`${at}.stabilizationWindowSeconds`, window, `must be less than or equal to ${maxWindowSeconds}`)]
      : []),
    ...(selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)
      ? [notSupported(`${at}.selectPolicy`, selectPolicy, selectPolicies)]
      : []),
    ...(policies.length === 0 ? [required(`${at}.policies`, 'must specify at least one Policy')] : []),
    ...findEach(policies, (policy, index) => validatePolicy(policy, `${at}.policies[${index}]`)),
    ...(tolerance?.startsWith('-')
      ? [invalidValue(`${at}.tolerance`, tolerance, 'must be greater than or equal to 0')]
      : []),
  ];
}

function validatePolicy(
  { type = '', value = 0, periodSeconds: period = 0 }: ScalingPolicy,
  at: string,
): ValidationErrors {
  const types = ['Percent', 'Pods'];
  return [
    ...(types.includes(type) ? [] : [notSupported(`${at}.type`, type, types)]),
    ...(value <= 0 ? [invalidValue(`${at}.value`, value, 'must be greater than zero')] : []),
    ...(period <= 0 ? [invalidValue(`${at}.periodSeconds`, period, 'must be greater than zero')] : []),
    ...(period > maxPeriodSeconds
      ? [invalidValue(`${at}.periodSeconds`, period, `must be less than or equal to ${maxPeriodSeconds}`)]
      : []),
  ];
}

/** The older version keeps parts of the status in annotations: they are no way to write it. */
function withoutStatus(object: ApiObject): ApiObject {
  return { ...object, status: { desiredReplicas: 0, currentMetrics: null } };
}

export const autoscalerRules: Strategy<HorizontalPodAutoscaler> = {
  updateChecks: { meta: 0 },
  defaults,
  prepareForCreate: withoutStatus,
  prepareForUpdate: (next, old) => ({ ...next, status: old['status'] }),
  validateCreate: (next, { dialect }) => validateSpec(next, undefined, dialect),
  validateUpdate: (next, old, { dialect }) => validateSpec(next, old, dialect),
};

export const autoscalerStatusPart: PartSubresource<HorizontalPodAutoscaler> = {
  ...statusOnly,
  validateUpdate: (next) => noneNegative('status', next.status ?? {}, ['currentReplicas', 'desiredReplicas']),
};
