// Request counts and latencies under kube-apiserver's names. The hot path only adds to plain numbers; the
// metrics library is loaded when somebody scrapes.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';

const buckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly code: string;
  readonly removedRelease: string | undefined;
  count: number;
  sum: number;
  readonly counts: number[];
}

/** A metric that is asked for its values when somebody scrapes. */
export interface MetricSource {
  readonly name: string;
  get(): Promise<object>;
}

export class RequestMetrics {
  readonly #sources: MetricSource[] = [];
  readonly #series = new Map<string, Series>();
  #render: Promise<() => Promise<string>> | undefined;

  observe(exchange: Exchange, { status }: ApiResponse, seconds: number): void {
    const series = this.#find(exchange, status);
    series.count++;
    series.sum += seconds;
    const at = buckets.findIndex((bound) => seconds <= bound);
    if (at >= 0) series.counts[at] = (series.counts[at] as number) + 1;
  }

  /** Has more metrics shown beside those of requests; call before the first scrape. */
  include(sources: readonly MetricSource[]): void {
    this.#sources.push(...sources);
  }

  /** The text format of all metrics. */
  async render(): Promise<string> {
    this.#render ??= this.#load();
    return (await this.#render)();
  }

  #find(exchange: Exchange, status: number): Series {
    // names that clients made up stay out of the labels
    const { info, request, isServed: served } = exchange;
    const resource = served
      ? `${info.group}/${info.version}/${info.resource}/${info.subresource}/${info.scope}/${info.name === ''}`
      : '';
    const key = `${served ? info.verb : methodLabel(request.method)}|${resource}|${status}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = {
        labels: labelsOf(exchange),
        removedRelease: exchange.removedRelease,
        code: String(status),
        count: 0,
        sum: 0,
        counts: buckets.map(() => 0),
      };
      this.#series.set(key, series);
    }
    return series;
  }

  /** Of each deprecated resource only that it was asked for is kept. */
  async #load(): Promise<() => Promise<string>> {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    // the library asks a metric for its name and its values, nothing more
    registry.registerMetric({ name: 'apiserver_request_total', get: async () => this.#total() } as never);
    registry.registerMetric({
      name: 'apiserver_request_duration_seconds',
      get: async () => this.#durations(),
    } as never);
    registry.registerMetric({
      name: 'apiserver_requested_deprecated_apis',
      get: async () => this.#deprecatedUse(),
    } as never);
    for (const source of this.#sources) registry.registerMetric(source as never);
    return () => registry.metrics();
  }

  #deprecatedUse(): object {
    const name = 'apiserver_requested_deprecated_apis';
    const used = new Map<string, Readonly<Record<string, string>>>();
    for (const { labels, removedRelease } of this.#series.values()) {
      if (removedRelease === undefined) continue;
      const { group = '', version = '', resource = '', subresource = '' } = labels;
      const shown = { group, removed_release: removedRelease, resource, subresource, version };
      used.set(JSON.stringify(shown), shown);
    }
    const values = [...used.values()].map((labels) => ({ labels, value: 1 }));
    const help = 'Deprecated APIs that were requested, with the release that no longer has them.';
    return { name, type: 'gauge', help, values, aggregator: 'max' };
  }

  #total(): object {
    const values = [...this.#series.values()].map(({ labels, code, count }) => ({
      labels: { ...labels, code },
      value: count,
    }));
    const help = 'Requests by verb, resource, scope and HTTP response code.';
    return { name: 'apiserver_request_total', type: 'counter', help, values, aggregator: 'sum' };
  }

  #durations(): object {
    const name = 'apiserver_request_duration_seconds';
    const values = [...this.#series.values()].flatMap((series) => {
      let below = 0;
      const bounds = buckets.map((le, index) => {
        below += series.counts[index] as number;
        return { metricName: `${name}_bucket`, labels: { ...series.labels, le }, value: below };
      });
      return [
        ...bounds,
        { metricName: `${name}_bucket`, labels: { ...series.labels, le: '+Inf' }, value: series.count },
        { metricName: `${name}_sum`, labels: series.labels, value: series.sum },
        { metricName: `${name}_count`, labels: series.labels, value: series.count },
      ];
    });
    return {
      name,
      type: 'histogram',
      help: 'Seconds until the answer began, by verb, resource and scope.',
      values,
      aggregator: 'sum',
    };
  }
}

function labelsOf({ info, request, isServed: served }: Exchange): Readonly<Record<string, string>> {
  const scope = info.name !== '' ? 'resource' : info.scope === 'namespace' ? 'namespace' : 'cluster';
  return {
    verb: (served ? info.verb : methodLabel(request.method)).toUpperCase(),
    component: 'apiserver',
    dry_run: '',
    group: served ? info.group : '',
    version: served ? info.version : '',
    resource: served ? info.resource : '',
    subresource: served ? info.subresource : '',
    scope: served ? scope : '',
  };
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const methodLabel = (method: string) => (methods.has(method) ? method : 'other');
