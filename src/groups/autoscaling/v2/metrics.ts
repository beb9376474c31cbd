// Metrics that an autoscaler follows: what must hold of them, and how a table shows them.

import type { Dialect } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkPathSegment } from '../../../meta/names.ts';
import { parseQuantity } from '../../../meta/quantity.ts';
import type { Infer } from '../../../schema/types.ts';
import { validateContainerResourceName } from '../../core/v1/pod/resource-names.ts';
import { requiredChecked, type ValidationErrors } from '../../rules.ts';
import type {
  crossVersionObjectReference,
  metricIdentifier,
  metricSpec,
  metricStatus,
  metricTarget,
} from './horizontal-pod-autoscaler-type.ts';

export type MetricSpec = Infer<typeof metricSpec>;
export type MetricStatus = Infer<typeof metricStatus>;
type Target = Infer<typeof metricTarget>;
type Identifier = Infer<typeof metricIdentifier>;
type Reference = Infer<typeof crossVersionObjectReference>;

type SourceName = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';

/** Each type of metric is described in the field that has its name. */
const sources: Readonly<Record<string, SourceName>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

interface MetricRules {
  readonly dialect: Dialect;
  /** Versions of the objects that are measured may be malformed: those of old were. */
  readonly anyVersion: boolean;
}

type Check<K extends SourceName> = (
  source: NonNullable<MetricSpec[K]>,
  at: string,
  rules: MetricRules,
) => ValidationErrors;

const checks: { readonly [K in SourceName]: Check<K> } = {
  object: (source, at, { anyVersion }) => [
    ...validateReference(source.describedObject ?? {}, `${at}.describedObject`),
    ...(anyVersion ? [] : validateVersion(source.describedObject?.apiVersion, `${at}.describedObject.apiVersion`)),
    ...validateIdentifier(source.metric, `${at}.metric`),
    ...validateTarget(source.target, `${at}.target`),
    ...needs(
      source.target,
      ['value', 'averageValue'],
      at,
      'averageValue',
      'must set either a target value or averageValue',
    ),
  ],
  external: (source, at) => [
    ...validateIdentifier(source.metric, `${at}.metric`),
    ...validateTarget(source.target, `${at}.target`),
    ...needs(
      source.target,
      ['value', 'averageValue'],
      at,
      'averageValue',
      'must set either a target value for metric or a per-pod target',
    ),
    ...(source.target?.value !== undefined && source.target.averageValue !== undefined
      ? [forbiddenField(`${at}.target.value`, 'may not set both a target value for metric and a per-pod target')]
      : []),
  ],
  pods: (source, at) => [
    ...validateIdentifier(source.metric, `${at}.metric`),
    ...validateTarget(source.target, `${at}.target`),
    ...needs(source.target, ['averageValue'], at, 'averageValue', 'must specify a positive target averageValue'),
  ],
  resource: (source, at) => [
    ...(source.name ? [] : [required(`${at}.name`, 'must specify a resource name')]),
    ...validateResourceTarget(source.target, at),
  ],
  containerResource: (source, at, { dialect }) => [
    ...(source.name
      ? validateContainerResourceName(source.name, dialect, `${at}.name`)
      : [required(`${at}.name`, 'must specify a resource name')]),
    ...(source.container
      ? requiredChecked(`${at}.container`, source.container, checkLabelName)
      : [required(`${at}.container`, 'must specify a container')]),
    ...validateResourceTarget(source.target, at),
  ],
};

function validateResourceTarget(target: Target = {}, at: string): ValidationErrors {
  const detail = 'must set either a target raw value or a target utilization';
  return [
    ...validateTarget(target, `${at}.target`),
    ...needs(target, ['averageUtilization', 'averageValue'], at, 'averageUtilization', detail),
    ...(target.averageUtilization !== undefined && target.averageValue !== undefined
      ? [forbiddenField(`${at}.target.averageValue`, 'may not set both a target raw value and a target utilization')]
      : []),
  ];
}

function needs(
  target: Target = {},
  any: readonly (keyof Target)[],
  at: string,
  field: string,
  detail: string,
): ValidationErrors {
  return any.some((name) => target[name] !== undefined) ? [] : [required(`${at}.target.${field}`, detail)];
}

/** What is wrong with a group and version, in words. */
export const versionProblem = (apiVersion: string): string | undefined =>
  apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;

function validateVersion(apiVersion = '', at: string): ValidationErrors {
  const problem = versionProblem(apiVersion);
  return problem === undefined ? [] : [invalidValue(at, apiVersion, problem)];
}

export const namesOddVersion = (metrics: readonly MetricSpec[]): boolean =>
  metrics.some((one) => one.type === 'Object' && versionProblem(one.object?.describedObject?.apiVersion ?? ''));

export function validateReference({ kind, name }: Reference, at: string): ValidationErrors {
  return [
    ...requiredChecked(`${at}.kind`, kind, checkPathSegment),
    ...requiredChecked(`${at}.name`, name, checkPathSegment),
  ];
}

function validateIdentifier({ name = '' }: Identifier = {}, at: string): ValidationErrors {
  if (name === '') return [required(`${at}.name`, 'must specify a metric name')];
  return requiredChecked(`${at}.name`, name, checkPathSegment);
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function validateTarget(
  { type = '', value, averageValue, averageUtilization }: Target = {},
  at: string,
): ValidationErrors {
  return [
    ...(type === '' ? [required(`${at}.type`, 'must specify a metric target type')] : []),
    ...(targetTypes.includes(type)
      ? []
      : [invalidValue(`${at}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...positive(`${at}.value`, value),
    ...positive(`${at}.averageValue`, averageValue),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalidValue(`${at}.averageUtilization`, averageUtilization, 'must be greater than 0')]
      : []),
  ];
}

function positive(at: string, quantity: string | undefined): ValidationErrors {
  if (quantity === undefined || (parseQuantity(quantity)?.digits ?? 0n) > 0n) return [];
  return [invalidValue(at, quantity, 'must be positive')];
}

export function validateMetrics(metrics: readonly MetricSpec[], at: string, rules: MetricRules): ValidationErrors {
  return findEach(metrics, (metric, index) => validateMetric(metric, `${at}[${index}]`, rules));
}

function validateMetric(metric: MetricSpec, at: string, rules: MetricRules): ValidationErrors {
  const type = metric.type ?? '';
  const expected = Object.hasOwn(sources, type) ? sources[type] : undefined;
  const present = (Object.keys(checks) as SourceName[]).filter((name) => metric[name] !== undefined);
  const extra = present.length === 1 ? [] : present.filter((name) => name !== expected);
  const first = present[0];
  // compat: a metric of no known type is reported before and after what is said of its source
  const unknownType = expected === undefined ? [notSupported(`${at}.type`, type, Object.keys(sources))] : [];
  return [
    ...(type === '' ? [required(`${at}.type`, 'must specify a metric source type')] : []),
    ...unknownType,
    ...(first === undefined ? [] : check(metric, first, `${at}.${first}`, rules)),
    ...unknownType,
    ...(expected !== undefined && metric[expected] === undefined
      ? [required(`${at}.${expected}`, 'must populate information for the given metric source')]
      : []),
    ...extra.map((name) => forbiddenField(`${at}.${name}`, 'must populate the given metric source only')),
  ];
}

function check<K extends SourceName>(metric: MetricSpec, name: K, at: string, rules: MetricRules): ValidationErrors {
  const source = metric[name];
  return source === undefined ? [] : checks[name](source as NonNullable<MetricSpec[K]>, at, rules);
}

/** More are only counted. */
const maxShown = 2;

/** `cpu: 12%/80%, 3/10 (avg) + 1 more...` */
export function metricsText(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const texts = metrics.map((metric, index) => metricText(metric, statuses[index] ?? {}));
  const shown = texts.slice(0, maxShown).join(', ');
  return texts.length > maxShown ? `${shown} + ${texts.length - maxShown} more...` : shown;
}

const unknown = '<unknown>';

function metricText(metric: MetricSpec, status: MetricStatus): string {
  switch (metric.type) {
    case 'External':
      return totalOrAverage(metric.external?.target, status.external?.current);
    case 'Object':
      return totalOrAverage(metric.object?.target, status.object?.current);
    case 'Pods':
      return `${status.pods?.current?.averageValue ?? unknown}/${metric.pods?.target?.averageValue ?? ''}`;
    case 'Resource':
      return resourceText(metric.resource, status.resource?.current);
    case 'ContainerResource':
      return resourceText(metric.containerResource, status.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

type Current = NonNullable<NonNullable<MetricStatus['resource']>['current']>;

function totalOrAverage(target: Target = {}, current: Current = {}): string {
  return target.averageValue === undefined
    ? `${current.value ?? unknown}/${target.value ?? ''}`
    : `${current.averageValue ?? unknown}/${target.averageValue} (avg)`;
}

function resourceText(source: MetricSpec['resource'] = {}, current: Current = {}): string {
  const { name = '', target = {} } = source;
  if (target.averageValue !== undefined) return `${name}: ${current.averageValue ?? unknown}/${target.averageValue}`;
  const percent = (value: number | undefined, none: string) => (value === undefined ? none : `${value}%`);
  return `${name}: ${percent(current.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
}
