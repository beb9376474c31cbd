// Metrics as older versions write them: flat, with the target or reading in fields of its own.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { MetricSpec, MetricStatus } from './v2/metrics.ts';

/** The same metric in both forms; absent fields stay absent. */
type Form = Readonly<Record<string, unknown>>;

const present = (form: Form): JsonObject =>
  Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined)) as JsonObject;

const part = (value: unknown, name: string): JsonObject => {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) ? found : {};
};

/** Fields that both forms have under the same name. */
const sources = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;

/** What is asked for is a `target`, what was read is `current`; flat names begin with that word. */
interface Words {
  readonly of: 'target' | 'current';
}

export function flatMetric(metric: MetricSpec | MetricStatus, { of }: Words): JsonObject {
  const flat: Record<string, unknown> = { type: metric.type };
  for (const name of sources) {
    const source = metric[name];
    if (isJsonObject(source)) flat[name] = flatSource(name, source, of);
  }
  return present(flat);
}

function flatSource(name: string, source: JsonObject, of: Words['of']): JsonObject {
  const amount = part(source, of);
  const metric = part(source, 'metric');
  // what was read is always there, what is asked for need not be
  const read = of === 'current' ? '0' : undefined;
  switch (name) {
    case 'object':
      return present({
        target: source['describedObject'],
        metricName: metric['name'],
        [`${of}Value`]: amount['value'] ?? '0',
        selector: metric['selector'],
        averageValue: amount['averageValue'],
      });
    case 'pods':
      return present({
        metricName: metric['name'],
        [`${of}AverageValue`]: amount['averageValue'] ?? '0',
        selector: metric['selector'],
      });
    case 'external':
      return present({
        metricName: metric['name'],
        metricSelector: metric['selector'],
        [`${of}Value`]: amount['value'] ?? read,
        [`${of}AverageValue`]: amount['averageValue'],
      });
    default:
      return present({
        name: source['name'],
        [`${of}AverageUtilization`]: amount['averageUtilization'],
        [`${of}AverageValue`]: amount['averageValue'] ?? read,
        container: source['container'],
      });
  }
}

export function fullMetric(flat: JsonObject, words: Words): JsonObject {
  const metric: Record<string, unknown> = { type: flat['type'] };
  for (const name of sources) {
    const source = flat[name];
    if (isJsonObject(source)) metric[name] = fullSource(name, source, words.of);
  }
  return present(metric);
}

function fullSource(name: string, flat: JsonObject, of: Words['of']): JsonObject {
  const value = flat[`${of}Value`];
  const averageValue = flat[`${of}AverageValue`];
  switch (name) {
    case 'object': {
      const average = flat['averageValue'];
      const isAsked = of === 'current' || average === undefined || !isZero(value);
      const amount = { ...(isAsked ? { value } : {}), averageValue: average };
      const metric = present({ name: flat['metricName'], selector: flat['selector'] });
      const type = average === undefined ? 'Value' : 'AverageValue';
      return present({ describedObject: flat['target'], [of]: typed(of, type, amount), metric });
    }
    case 'pods': {
      const metric = present({ name: flat['metricName'], selector: flat['selector'] });
      return present({ metric, [of]: typed(of, 'AverageValue', { averageValue }) });
    }
    case 'external': {
      const metric = present({ name: flat['metricName'], selector: flat['metricSelector'] });
      const type = value === undefined ? 'AverageValue' : 'Value';
      return present({ metric, [of]: typed(of, type, { value, averageValue }) });
    }
    default: {
      const averageUtilization = flat[`${of}AverageUtilization`];
      const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
      const amount = typed(of, type, { averageValue, averageUtilization });
      return present({ name: flat['name'], [of]: amount, container: flat['container'] });
    }
  }
}

const isZero = (amount: unknown): boolean => amount === undefined || amount === 0 || amount === '0';

/** Targets say of which type they are, readings do not. */
function typed(of: Words['of'], type: string, amount: Form): JsonObject {
  return present(of === 'target' ? { type, ...amount } : amount);
}
