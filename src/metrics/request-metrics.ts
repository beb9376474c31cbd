// Requests under kube-apiserver's names: how many, how long, how large the answers, how many right now. The hot path
// only adds to plain numbers; the metrics library is loaded on the first scrape.

import type { Registry } from 'prom-client';
import { Histogram } from '../base/histogram.ts';
import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import { release } from '../meta/release.ts';
import { loopbackUser } from '../meta/user.ts';
import { type AllowedLabels, withAllowedLabels } from './allowed-labels.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSnapshot, mergeSnapshots } from './metric-snapshot.ts';
import { stabilityOf } from './metric-stability.ts';
import { metricText } from './metric-text.ts';
import { hasSize, labelsOf, lasts, seriesKey } from './request-labels.ts';

const seconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** The buckets from 50 ms on. */
const ownSeconds = seconds.slice(2);
const bodyBytes = Array.from({ length: 31 }, (_, at) => 50_000 + at * 100_000);
const bytes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly code: string;
  readonly removedRelease: string | undefined;
  readonly durations: Histogram;
  /** Of reads. */
  readonly sizes: Histogram | undefined;
  /** Without the time of webhooks; not of requests that last. */
  readonly own: Histogram | undefined;
  /** Of requests that had one. */
  bodies: Histogram | undefined;
  /** How many of them the server itself made. */
  selfMade: number;
}

/** A metric whose values are read on each scrape. */
export interface MetricSource {
  readonly name: string;
  /** The minor release in which the metric was deprecated. */
  readonly deprecatedSince?: number;
  get(): Promise<object>;
}

/** Which metrics are shown, and how. */
interface MetricPolicy {
  /** The minor release whose metrics are shown; deprecated ones end with one. */
  readonly release: number;
  /** Metrics of the process, besides those of the metrics library; undefined where another thread has them. */
  readonly ofProcess?: readonly MetricSource[];
  /** Names of metrics that are not shown. */
  readonly disabled?: ReadonlySet<string>;
  /** Values that labels may have. */
  allowedLabels?(): Promise<AllowedLabels>;
  /** Called for deprecated metrics that are still shown. */
  onDeprecated(name: string, since: number): void;
}

/** Releases after which a deprecated metric is no longer shown. */
export const deprecatedReleases = 3;

interface ShownMetric {
  readonly help: string;
  readonly values: readonly { readonly value: number }[];
}

const newValidations = (): Readonly<Record<string, Histogram>> =>
  Object.assign(Object.create(null) as object, {
    '': new Histogram(ownSeconds),
    Ignore: new Histogram(ownSeconds),
    Warn: new Histogram(ownSeconds),
    Strict: new Histogram(ownSeconds),
  });

export class RequestMetrics {
  readonly #policy: MetricPolicy;
  readonly #sources: MetricSource[] = [];
  readonly #series = new Map<string, Series>();
  /** By what clients may ask for. */
  #validations = newValidations();
  readonly #inFlight = { mutating: 0, readOnly: 0 };
  #registry: Promise<Registry> | undefined;
  /** Of each metric whose labels are limited: how often a value was not allowed. */
  readonly #unexpected: (() => Promise<number>)[] = [];
  readonly #registered = { disabled: 0, hidden: 0, byStability: new Map<string, number>() };

  constructor(policy: MetricPolicy) {
    this.#policy = policy;
  }

  /** A request came in; `observe` records its answer. */
  began({ method }: ApiRequest): void {
    this.#inFlight[kindOf(method)]++;
  }

  observe(exchange: Exchange, response: ApiResponse, took: number): void {
    this.#inFlight[kindOf(exchange.request.method)]--;
    // answers of another server are in its own metrics
    if (exchange.passedOn !== undefined) return;
    const series = this.#find(exchange, response.status);
    series.durations.observe(took);
    series.sizes?.observe(sizeOf(response));
    series.own?.observe(Math.max(0, took - exchange.elsewhereSeconds));
    if (exchange.user === loopbackUser) series.selfMade++;
    if (exchange.bodyBytes > 0) this.#observeBody(series, exchange, took);
  }

  #observeBody(series: Series, exchange: Exchange, took: number): void {
    series.bodies ??= new Histogram(bodyBytes);
    series.bodies.observe(exchange.bodyBytes);
    const { request, query } = exchange;
    const validation = request.rawQuery.includes('fieldValidation') ? (query.get('fieldValidation') ?? '') : '';
    this.#validations[validation]?.observe(took);
  }

  /** Requests whose answer has not begun. */
  get underWay(): number {
    return this.#inFlight.mutating + this.#inFlight.readOnly;
  }

  /** Adds metrics to those of requests; call before the first scrape. */
  include(sources: readonly MetricSource[]): void {
    this.#sources.push(...sources);
  }

  /** Resets the counts of requests. Counts of other parts of the server continue: they are the current state. */
  reset(): void {
    this.#series.clear();
    this.#validations = newValidations();
  }

  /** The text format of all metrics, with those that other threads have. */
  async render(others: readonly (readonly MetricSnapshot[])[] = []): Promise<string> {
    const own = await this.snapshot();
    return metricText(others.length === 0 ? own : mergeSnapshots([own, ...others]));
  }

  /** All metrics as data, for another thread. */
  async snapshot(): Promise<readonly MetricSnapshot[]> {
    this.#registry ??= this.#load();
    return (await (await this.#registry).getMetricsAsJSON()) as unknown as readonly MetricSnapshot[];
  }

  #find(exchange: Exchange, status: number): Series {
    const key = seriesKey(exchange, status);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = {
        labels: labelsOf(exchange),
        removedRelease: exchange.removedRelease,
        code: String(status),
        durations: new Histogram(seconds),
        sizes: hasSize(exchange) ? new Histogram(bytes) : undefined,
        own: lasts(exchange) ? undefined : new Histogram(ownSeconds),
        bodies: undefined,
        selfMade: 0,
      };
      this.#series.set(key, series);
    }
    return series;
  }

  async #load(): Promise<Registry> {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const registry = new Registry();
    const { ofProcess } = this.#policy;
    if (ofProcess !== undefined) collectDefaultMetrics({ register: registry });
    for (const source of ofProcess ?? []) {
      // the library's metric of this name, where it has one
      registry.removeSingleMetric(source.name);
      registry.registerMetric(source as never);
    }
    const allowed = (await this.#policy.allowedLabels?.()) ?? new Map();
    // the library reads only the name and the values of a metric
    for (const source of [...this.#own(), ...this.#sources])
      if (this.#isShown(source)) registry.registerMetric(this.#limitedMetric(source, allowed) as never);
    return registry;
  }

  #isShown({ name, deprecatedSince: since }: MetricSource): boolean {
    if (this.#policy.disabled?.has(name)) {
      this.#registered.disabled++;
      return false;
    }
    if (since === undefined) return true;
    if (this.#policy.release - since >= deprecatedReleases) {
      this.#registered.hidden++;
      return false;
    }
    this.#policy.onDeprecated(name, since);
    return true;
  }

  /** With its stability before its help, and with the values of labels that are allowed. */
  #limitedMetric(source: MetricSource, allowed: AllowedLabels): MetricSource {
    const { name, deprecatedSince, get } = source;
    const stability = stabilityOf(name);
    const key = JSON.stringify([
      stability,
      deprecatedSince === undefined ? '' : `${release.major}.${deprecatedSince}.0`,
    ]);
    const { byStability } = this.#registered;
    byStability.set(key, (byStability.get(key) ?? 0) + 1);
    const labels = allowed.get(name);
    const limited = async () => {
      const limitedMetric = (await get()) as ShownMetric;
      return labels === undefined
        ? { shown: limitedMetric, samples: limitedMetric.values, unexpected: 0 }
        : { shown: limitedMetric, ...withAllowedLabels(limitedMetric.values, labels) };
    };
    if (labels !== undefined) this.#unexpected.push(async () => (await limited()).unexpected);
    return {
      name,
      async get() {
        const { shown, samples: values } = await limited();
        return { ...shown, values, help: `[${stability}] ${shown.help}` };
      },
    };
  }

  /** Metrics about metrics. */
  #aboutMetrics(): readonly MetricSource[] {
    const count = (name: string, help: string, read: () => number | Promise<number>) =>
      metric(name, 'counter', help, async () => [{ labels: {}, value: await read() }], 'first');
    const registered = this.#registered;
    return [
      count('disabled_metrics_total', 'Metrics that are disabled by an option.', () => registered.disabled),
      count('hidden_metrics_total', 'Metrics that are hidden, being deprecated.', () => registered.hidden),
      count(
        'cardinality_enforcement_unexpected_categorizations_total',
        'Labels that were shown as unexpected, since their values are limited.',
        async () => (await Promise.all(this.#unexpected.map((read) => read()))).reduce((sum, one) => sum + one, 0),
      ),
      metric(
        'registered_metrics_total',
        'counter',
        'Metrics by stability and the release that deprecated them.',
        () =>
          [...registered.byStability].map(([key, value]) => {
            const [stability, since] = JSON.parse(key) as [string, string];
            return { labels: { deprecated_version: since, stability_level: stability }, value };
          }),
        'first',
      ),
    ];
  }

  #own(): readonly MetricSource[] {
    const all = () => [...this.#series.values()];
    return [
      ...this.#aboutMetrics(),
      metric('apiserver_request_total', 'counter', 'Requests by verb, resource, scope and HTTP response code.', () =>
        all().map(({ labels, code, durations }) => ({ labels: { ...labels, code }, value: durations.count })),
      ),
      metric(durationName, 'histogram', 'Seconds until the answer began, by verb, resource and scope.', () =>
        all().flatMap(({ labels, durations }) => histogramSamples(durationName, labels, durations)),
      ),
      metric(sizeName, 'histogram', 'Bytes of the answers to reads, by verb, resource and scope.', () =>
        all().flatMap(({ labels, sizes }) => (sizes ? histogramSamples(sizeName, sized(labels), sizes) : [])),
      ),
      metric(ownName, 'histogram', 'Seconds until the answer began, without those spent in webhooks.', () =>
        merged(
          all(),
          ({ own }) => own,
          ({ labels }) => sized(labels),
        ).flatMap(([labels, spread]) => histogramSamples(ownName, labels, spread)),
      ),
      metric(bodyName, 'histogram', 'Bytes of the bodies of requests, by resource and verb.', () =>
        merged(all(), ({ bodies }) => bodies, bodyLabels).flatMap(([labels, spread]) =>
          histogramSamples(bodyName, labels, spread),
        ),
      ),
      metric('apiserver_selfrequest_total', 'counter', 'Requests that the server made of itself.', () =>
        selfMade(all()),
      ),
      metric(validationName, 'histogram', 'Seconds until the answer began, by what happens to unknown fields.', () =>
        Object.entries(this.#validations).flatMap(([value, spread]) =>
          histogramSamples(validationName, { field_validation: value }, spread),
        ),
      ),
      metric(
        'apiserver_current_inflight_requests',
        'gauge',
        'Requests whose answer has not begun.',
        () => Object.entries(this.#inFlight).map(([kind, value]) => ({ labels: { request_kind: kind }, value })),
        'sum',
      ),
      metric(
        deprecatedName,
        'gauge',
        'Deprecated APIs that were requested, with the release that no longer has them.',
        () => this.#deprecatedUse(),
      ),
    ];
  }

  /** One sample for each deprecated resource that was requested. */
  #deprecatedUse(): readonly object[] {
    const used = new Map<string, Readonly<Record<string, string>>>();
    for (const { labels, removedRelease } of this.#series.values()) {
      if (removedRelease === undefined) continue;
      const { group = '', version = '', resource = '', subresource = '' } = labels;
      const useLabels = { group, removed_release: removedRelease, resource, subresource, version };
      used.set(JSON.stringify(useLabels), useLabels);
    }
    return [...used.values()].map((labels) => ({ labels, value: 1 }));
  }
}

type Labels = Readonly<Record<string, string>>;

/** Spreads of series that have the same labels to a metric, as one. */
function merged(
  all: readonly Series[],
  read: (series: Series) => Histogram | undefined,
  labelsFor: (series: Series) => Labels,
): readonly (readonly [Labels, Histogram])[] {
  const rows = new Map<string, readonly [Labels, Histogram]>();
  for (const series of all) {
    const spread = read(series);
    if (spread === undefined) continue;
    const labels = labelsFor(series);
    const key = JSON.stringify(labels);
    const [, sum = new Histogram(spread.bounds)] = rows.get(key) ?? [];
    sum.add(spread);
    rows.set(key, [labels, sum]);
  }
  return [...rows.values()];
}

const verbOfMethod: Labels = { POST: 'create', PUT: 'update', PATCH: 'patch', APPLY: 'patch' };

function bodyLabels({ labels: { group = '', resource = '', verb = '' } }: Series): Labels {
  return { group, resource, verb: verbOfMethod[verb] ?? verb.toLowerCase() };
}

function selfMade(all: readonly Series[]): readonly object[] {
  const rows = new Map<string, { readonly labels: Labels; value: number }>();
  for (const series of all.filter((one) => one.selfMade > 0)) {
    const { group = '', resource = '', subresource = '', verb = '' } = series.labels;
    const labels = { group, resource, subresource, verb };
    const row = rows.get(JSON.stringify(labels)) ?? { labels, value: 0 };
    row.value += series.selfMade;
    rows.set(JSON.stringify(labels), row);
  }
  return [...rows.values()];
}

const ownName = 'apiserver_request_sli_duration_seconds';
const bodyName = 'apiserver_request_body_size_bytes';
const validationName = 'field_validation_request_duration_seconds';
const durationName = 'apiserver_request_duration_seconds';
const sizeName = 'apiserver_response_sizes';
const deprecatedName = 'apiserver_requested_deprecated_apis';

/** A metric whose values are looked up on each scrape. */
export function metric(
  name: string,
  type: 'counter' | 'gauge' | 'histogram' | 'summary',
  help: string,
  values: () => readonly object[] | Promise<readonly object[]>,
  // each thread counts its own work, but all threads see equal objects
  aggregator: MetricSnapshot['aggregator'] = type === 'gauge' ? 'first' : 'sum',
): MetricSource {
  return { name, get: async () => ({ name, type, help, values: await values(), aggregator }) };
}

/** A deprecated metric, with a mark in its help text. */
export function deprecated(since: number, { name, get }: MetricSource): MetricSource {
  const prefix = `(Deprecated since ${release.major}.${since}.0)`;
  return {
    name,
    deprecatedSince: since,
    async get() {
      const metric = (await get()) as { readonly help: string };
      return { ...metric, help: `${prefix} ${metric.help}` };
    },
  };
}

const kindOf = (method: string) => (method === 'GET' || method === 'HEAD' ? 'readOnly' : 'mutating');

/** Size metrics have no dry_run label. */
const sized = ({ dry_run: _, ...labels }: Readonly<Record<string, string>>) => labels;

/** The size of a body, known before it is sent. */
function sizeOf({ body, expectedLength = 0 }: ApiResponse): number {
  return body === undefined || typeof body === 'function' ? expectedLength : body.length;
}
