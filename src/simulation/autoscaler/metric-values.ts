// Values of metrics: from annotations of an autoscaler, or from the metrics APIs.

import { type Client, isNotFound } from '../../client/client.ts';
import type { ControllerContext, KindLookup } from '../../controllers/controller.ts';
import type { HorizontalPodAutoscaler } from '../../groups/autoscaling/v2/horizontal-pod-autoscaler-type.ts';
import type { MetricSpec } from '../../groups/autoscaling/v2/metrics.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatLabelSelector, type LabelSelector } from '../../groups/meta/v1/label-selector.ts';
import { apiGroup, type Dialect } from '../../meta/dialect.ts';
import { parseDuration } from '../../meta/duration.ts';
import { parseApiVersion } from '../../meta/group-version.ts';
import { parseQuantity } from '../../meta/quantity.ts';
import { annotationDomain } from '../nodes/read-behaviour.ts';
import { reasonOf } from '../workloads/pod-control.ts';
import { MetricError, milliOf, type PodValue } from './replicas.ts';

/** `metrics.simulation.keelson.dev/requests_per_second: "30"` is the value of a metric with this name. */
const annotationPrefix = `metrics.${annotationDomain}/`;

const isMetricAnnotation = (key: string): boolean => key.startsWith(annotationPrefix);

/** The annotations with values, which other annotations do not change. */
export const metricAnnotations = ({ metadata: { annotations = {} } }: HorizontalPodAutoscaler): object =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => isMetricAnnotation(key)));

type Reference = NonNullable<NonNullable<MetricSpec['object']>['describedObject']>;

interface PodQuery {
  readonly pods: readonly Pod[];
  /** As a query parameter. */
  readonly selector: string;
}

interface Measured {
  readonly metadata?: { readonly name?: string };
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name?: string; readonly usage?: Readonly<Record<string, string>> }[];
}

interface CustomValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly value?: string;
}

const usualWindowMs = 60_000;

export class MetricValues {
  readonly #client: Client;
  readonly #dialect: Dialect;
  readonly #kinds: KindLookup;
  readonly #annotations: Readonly<Record<string, string>>;
  readonly #namespace: string;
  readonly #now: number;

  constructor({ client, dialect, kinds, clock }: ControllerContext, { metadata }: HorizontalPodAutoscaler) {
    this.#client = client;
    this.#dialect = dialect;
    this.#kinds = kinds;
    this.#annotations = metadata.annotations ?? {};
    this.#namespace = metadata.namespace ?? '';
    this.#now = clock.now();
  }

  /** What each pod, or its container with this name, uses of a resource. */
  async ofResource(resource: string, container: string, query: PodQuery): Promise<ReadonlyMap<string, PodValue>> {
    const annotated = this.#annotated(resource);
    if (annotated !== undefined) return this.#forAll(query.pods, annotated);
    const group = apiGroup(this.#dialect, 'metrics');
    const path = `/apis/${group}/v1beta1/namespaces/${this.#namespace}/pods`;
    const items = await this.#read<Measured>(`${path}?labelSelector=${encodeURIComponent(query.selector)}`, 'resource');
    const values = new Map<string, PodValue>();
    for (const item of items) {
      const value = usageOf(item, resource, container);
      if (value === undefined) continue;
      const windowMs = (parseDuration(item.window ?? '') ?? 0) * 1000;
      values.set(item.metadata?.name ?? '', { value, windowMs, time: Date.parse(item.timestamp ?? '') });
    }
    return values;
  }

  /** A metric that each pod has. */
  async ofPods(
    metric: string,
    selector: LabelSelector | undefined,
    query: PodQuery,
  ): Promise<ReadonlyMap<string, PodValue>> {
    const annotated = this.#annotated(metric);
    if (annotated !== undefined) return this.#forAll(query.pods, annotated);
    const text = `labelSelector=${encodeURIComponent(query.selector)}${metricSelector('&metricLabelSelector', selector)}`;
    const items = await this.#readCustom(`namespaces/${this.#namespace}/pods/*/${metric}?${text}`);
    return new Map(
      items.map(({ describedObject, value = '0', timestamp = '', windowSeconds }) => [
        describedObject?.name ?? '',
        {
          value: milliOf(value),
          time: Date.parse(timestamp),
          windowMs: windowSeconds === undefined ? usualWindowMs : windowSeconds * 1000,
        },
      ]),
    );
  }

  /** A metric of one object. */
  async ofObject(metric: string, selector: LabelSelector | undefined, reference: Reference): Promise<number> {
    const annotated = this.#annotated(metric);
    if (annotated !== undefined) return annotated;
    const query = metricSelector('?metricLabelSelector', selector);
    const [item] = await this.#readCustom(`${this.#placeOf(reference)}/${metric}${query}`);
    return milliOf(item?.value ?? '0');
  }

  /** The sum of all values of an external metric. */
  async ofExternal(metric: string, selector: LabelSelector | undefined): Promise<number> {
    const annotated = this.#annotated(metric);
    if (annotated !== undefined) return annotated;
    const group = apiGroup(this.#dialect, 'external.metrics');
    const path = `/apis/${group}/v1beta1/namespaces/${this.#namespace}/${metric}`;
    const items = await this.#read<CustomValue>(`${path}${metricSelector('?labelSelector', selector)}`, 'external');
    return items.reduce((sum, { value = '0' }) => sum + milliOf(value), 0);
  }

  #annotated(metric: string): number | undefined {
    const text = this.#annotations[annotationPrefix + metric];
    if (text === undefined) return undefined;
    if (parseQuantity(text) === undefined)
      throw new MetricError(`annotation ${annotationPrefix}${metric} is not a quantity`);
    return milliOf(text);
  }

  #forAll(pods: readonly Pod[], value: number): ReadonlyMap<string, PodValue> {
    const measured = { value, time: this.#now, windowMs: 0 };
    return new Map(pods.map(({ metadata }) => [metadata.name ?? '', measured]));
  }

  /** Where a custom metrics API has the metrics of an object. */
  #placeOf({ apiVersion = '', kind = '', name = '' }: Reference): string {
    const group = parseApiVersion(apiVersion)?.group ?? '';
    if (kind === 'Namespace' && group === '') return `namespaces/${this.#namespace}/metrics`;
    const plural = this.#kinds.byKind(apiVersion, kind)?.plural;
    if (plural === undefined) throw new MetricError(unfetched('custom', noKind(kind, group)));
    return `namespaces/${this.#namespace}/${plural}${group === '' ? '' : `.${group}`}/${name}`;
  }

  /** From the newest version that is served. */
  async #readCustom(path: string): Promise<readonly CustomValue[]> {
    const group = apiGroup(this.#dialect, 'custom.metrics');
    try {
      return itemsOf(await this.#client.list(`/apis/${group}/v1beta2/${path}`), 'custom');
    } catch (error) {
      if (error instanceof MetricError || !isNotFound(error)) throw asMetricError(error, 'custom');
      return this.#read(`/apis/${group}/v1beta1/${path}`, 'custom');
    }
  }

  async #read<T>(path: string, api: string): Promise<readonly T[]> {
    try {
      return itemsOf<T>(await this.#client.list(path), api);
    } catch (error) {
      throw asMetricError(error, api);
    }
  }
}

export const noKind = (kind: string, group: string): string =>
  `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`;

const unfetched = (api: string, reason: string): string => `unable to fetch metrics from ${api} metrics API: ${reason}`;

/** The answer for a path that is not served has no message. */
const noApi = 'the server could not find the requested resource';

const asMetricError = (error: unknown, api: string): MetricError =>
  error instanceof MetricError ? error : new MetricError(unfetched(api, reasonOf(error) || noApi), { cause: error });

function itemsOf<T>({ items }: { readonly items?: readonly unknown[] }, api: string): readonly T[] {
  if (items === undefined || items.length === 0) throw new MetricError(`no metrics returned from ${api} metrics API`);
  return items as readonly T[];
}

function metricSelector(parameter: string, selector: LabelSelector | undefined): string {
  const text = selector === undefined ? '' : formatLabelSelector(selector);
  return text === '' ? '' : `${parameter}=${encodeURIComponent(text)}`;
}

/** Undefined where a container has no value. */
function usageOf({ containers = [] }: Measured, resource: string, container: string): number | undefined {
  const measured = container === '' ? containers : containers.filter(({ name }) => name === container).slice(0, 1);
  if (measured.length === 0) return undefined;
  let sum = 0;
  for (const { usage } of measured) {
    const value = usage?.[resource];
    if (value === undefined) return undefined;
    sum += milliOf(value);
  }
  return sum;
}
