// Requests under kube-apiserver's names: how many, how long, how large the answers, how many right now. The hot path
// only adds to plain numbers; the metrics library is loaded on the first scrape.

import type { Registry } from 'prom-client';
import { Histogram } from '../base/histogram.ts';
import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import { release } from '../meta/release.ts';
import { loopbackUser } from '../meta/user.ts';
import { type AllowedLabels, withAllowedLabels } from './allowed-labels.ts';
import { type MetricSnapshot, mergeSnapshots } from './metric-snapshot.ts';
import { type MetricSource, metric, plainMetric, type Sample, spreadMetric } from './metric-source.ts';
import { metricText } from './metric-text.ts';
import { hasSize, labelsOf, lasts, type RequestLabels, seriesKey } from './request-labels.ts';
import type { LabelsOf } from './table/all-metrics.ts';

const seconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** The buckets from 50 ms on. */
const ownSeconds = seconds.slice(2);
const bodyBytes = Array.from({ length: 31 }, (_, at) => 50_000 + at * 100_000);
const bytes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

interface Series {
  readonly labels: RequestLabels;
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

/** Which metrics are shown, and how. */
interface MetricPolicy {
  /** The minor release whose metrics are shown; deprecated ones end with one. */
  readonly release: number;
  /** Metrics of the process, besides those of the metrics library; undefined where another thread has them. */
  readonly ofProcess?: readonly MetricSource[];
  /** The name of a metric in the dialect. */
  nameOf?(name: string): string;
  /** Names of metrics that are not shown. */
  readonly disabled?: ReadonlySet<string>;
  /** Values that labels may have. */
  allowedLabels?(): Promise<AllowedLabels>;
  /** Called for deprecated metrics that are still shown. */
  onDeprecated(name: string, since: number): void;
}

/** Releases after which a deprecated metric is no longer shown. */
export const deprecatedReleases = 3;

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
      registry.registerMetric(shownMetric(source, source.entry.help) as never);
    }
    const allowed = (await this.#policy.allowedLabels?.()) ?? new Map();
    // the library reads only the name and the values of a metric
    for (const source of [...this.#own(), ...this.#sources].map((one) => this.#renamed(one)))
      if (this.#isShown(source)) registry.registerMetric(this.#limitedMetric(source, allowed) as never);
    return registry;
  }

  #renamed(source: MetricSource): MetricSource {
    const { name, entry } = source;
    const shownName = this.#policy.nameOf?.(name) ?? name;
    if (shownName === name) return source;
    const renamed = ({ metricName, ...sample }: Sample): Sample =>
      metricName === undefined ? sample : { ...sample, metricName: `${shownName}${metricName.slice(name.length)}` };
    return { name: shownName, entry, values: async () => (await source.values()).map(renamed) };
  }

  #isShown({ name, entry: { deprecatedSince: since } }: MetricSource): boolean {
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
  #limitedMetric(source: MetricSource, allowed: AllowedLabels): object {
    const { name, entry } = source;
    const since = entry.deprecatedSince === undefined ? '' : `${release.major}.${entry.deprecatedSince}.0`;
    const key = JSON.stringify([entry.stability, since]);
    const { byStability } = this.#registered;
    byStability.set(key, (byStability.get(key) ?? 0) + 1);
    const help = `[${entry.stability}] ${since === '' ? '' : `(Deprecated since ${since}) `}${entry.help}`;
    const labels = allowed.get(name);
    if (labels === undefined) return shownMetric(source, help);
    const limited = async () => withAllowedLabels(await source.values(), labels);
    this.#unexpected.push(async () => (await limited()).unexpected);
    return shownMetric({ ...source, values: async () => (await limited()).samples }, help);
  }

  /** Metrics about metrics. */
  #aboutMetrics(): readonly MetricSource[] {
    const registered = this.#registered;
    return [
      plainMetric('disabled_metrics_total', () => registered.disabled),
      plainMetric('hidden_metrics_total', () => registered.hidden),
      metric('cardinality_enforcement_unexpected_categorizations_total', async () => {
        const counts = await Promise.all(this.#unexpected.map((read) => read()));
        return [{ labels: {}, value: counts.reduce((sum, one) => sum + one, 0) }];
      }),
      metric('registered_metrics_total', () =>
        [...registered.byStability].map(([key, value]) => {
          const [stability, since] = JSON.parse(key) as [string, string];
          return { labels: { deprecated_version: since, stability_level: stability }, value };
        }),
      ),
    ];
  }

  #own(): readonly MetricSource[] {
    const all = () => [...this.#series.values()];
    return [
      ...this.#aboutMetrics(),
      metric('apiserver_request_total', () =>
        all().map(({ labels, code, durations }) => ({ labels: { ...labels, code }, value: durations.count })),
      ),
      spreadMetric('apiserver_request_duration_seconds', () =>
        all().map(({ labels, durations }) => [labels, durations] as const),
      ),
      spreadMetric('apiserver_response_sizes', () =>
        all().flatMap(({ labels, sizes }) => (sizes ? [[sized(labels), sizes] as const] : [])),
      ),
      spreadMetric('apiserver_request_sli_duration_seconds', () =>
        merged(
          all(),
          ({ own }) => own,
          ({ labels }) => sized(labels),
        ),
      ),
      spreadMetric('apiserver_request_body_size_bytes', () => merged(all(), ({ bodies }) => bodies, bodyLabels)),
      metric('apiserver_selfrequest_total', () => selfMade(all())),
      spreadMetric('field_validation_request_duration_seconds', () =>
        Object.entries(this.#validations).map(([value, spread]) => [{ field_validation: value }, spread] as const),
      ),
      metric('apiserver_current_inflight_requests', () =>
        Object.entries(this.#inFlight).map(([kind, value]) => ({ labels: { request_kind: kind }, value })),
      ),
      metric('apiserver_requested_deprecated_apis', () => this.#deprecatedUse()),
    ];
  }

  /** One sample for each deprecated resource that was requested. */
  #deprecatedUse() {
    const used = new Map<string, LabelsOf<'apiserver_requested_deprecated_apis'>>();
    for (const { labels, removedRelease } of this.#series.values()) {
      if (removedRelease === undefined) continue;
      const { group, version, resource, subresource } = labels;
      const useLabels = { group, removed_release: removedRelease, resource, subresource, version };
      used.set(JSON.stringify(useLabels), useLabels);
    }
    return [...used.values()].map((labels) => ({ labels, value: 1 }));
  }
}

/** Spreads of series that have the same labels to a metric, as one. */
function merged<Labels>(
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

const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  APPLY: 'patch',
};

function bodyLabels({ labels: { group, resource, verb } }: Series): LabelsOf<'apiserver_request_body_size_bytes'> {
  return { group, resource, verb: verbOfMethod[verb] ?? verb.toLowerCase() };
}

function selfMade(all: readonly Series[]) {
  const rows = new Map<string, { readonly labels: LabelsOf<'apiserver_selfrequest_total'>; value: number }>();
  for (const series of all.filter((one) => one.selfMade > 0)) {
    const { group, resource, subresource, verb } = series.labels;
    const labels = { group, resource, subresource, verb };
    const row = rows.get(JSON.stringify(labels)) ?? { labels, value: 0 };
    row.value += series.selfMade;
    rows.set(JSON.stringify(labels), row);
  }
  return [...rows.values()];
}

/** A metric in the form in which the metrics library takes it. */
function shownMetric({ name, entry, values }: MetricSource, help: string): object {
  const { type, threads: aggregator = type === 'gauge' ? 'first' : 'sum' } = entry;
  return { name, get: async () => ({ name, type, help, values: await values(), aggregator }) };
}

const kindOf = (method: string) => (method === 'GET' || method === 'HEAD' ? 'readOnly' : 'mutating');

/** Size metrics have no dry_run label. */
const sized = ({ dry_run: _, ...labels }: RequestLabels) => labels;

/** The size of a body, known before it is sent. */
function sizeOf({ body, expectedLength = 0 }: ApiResponse): number {
  return body === undefined || typeof body === 'function' ? expectedLength : body.length;
}
