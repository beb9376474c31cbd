// Metrics of the store and of the caches above it, by kind, under kube-apiserver's names.

import type { Histogram } from '../base/histogram.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import type { WatchCounts } from '../registry/watch-counts.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';
import type { LabelsOf, NameOf } from './table/all-metrics.ts';

interface KindLabels {
  readonly group: string;
  readonly resource: string;
}

type ReadNumber = (registry: Registry) => number;
type ReadRows<Row> = (registry: Registry, labels: KindLabels) => readonly Row[];

export function storeMetrics(resources: Resources): readonly MetricSource[] {
  const ofKinds =
    <Row>(read: ReadRows<Row>) =>
    () =>
      [...resources.storedKinds()].flatMap((registry) => {
        const { group, plural: resource } = registry.definition;
        return read(registry, { group, resource });
      });
  /** Kinds of which nothing was counted are left out. */
  const counter = (name: NameOf<'counter', keyof KindLabels>, read: ReadNumber) =>
    metric(
      name,
      ofKinds((registry, labels) => {
        const value = read(registry);
        return value === 0 ? [] : [{ labels, value }];
      }),
    );
  /** Kinds without a filled cache are left out. */
  const gauge = (name: NameOf<'gauge', keyof KindLabels>, read: ReadNumber) =>
    metric(
      name,
      ofKinds((registry, labels) =>
        registry.cache.counts.initializations === 0 ? [] : [{ labels, value: read(registry) }],
      ),
    );
  return [
    ...requestMetrics(ofKinds),
    ...listMetrics(ofKinds, counter),
    counter('apiserver_storage_decode_errors_total', ({ kind }) => kind.counts.unreadable),
    counter('apiserver_storage_events_received_total', received),
    counter('apiserver_watch_cache_events_received_total', received),
    counter('apiserver_watch_cache_events_dispatched_total', ({ cache }) => cache.counts.dispatched),
    counter('apiserver_watch_cache_initializations_total', ({ cache }) => cache.counts.initializations),
    counter('etcd_bookmark_total', ({ cache }) => cache.counts.progress),
    gauge('apiserver_watch_cache_resource_version', ({ cache }) => Number(cache.revision)),
    gauge('watch_cache_capacity', ({ cache }) => cache.capacity),
    gauge('apiserver_resource_size_estimate_bytes', sizeEstimate),
    spreadMetric(
      'apiserver_watch_cache_read_wait_seconds',
      ofKinds(({ cache: { readWaits } }, labels) => (readWaits === undefined ? [] : [[labels, readWaits] as const])),
    ),
  ];
}

const received = (registry: Registry) => registry.cache.counts.received;

type OfKinds = <Row>(read: ReadRows<Row>) => () => readonly Row[];

/** compat: under the names of etcd, whatever the store is. */
function requestMetrics(ofKinds: OfKinds): readonly MetricSource[] {
  const operations = ({ kind }: Registry) => [...kind.counts.requests];
  return [
    metric(
      'etcd_requests_total',
      ofKinds((one, labels) =>
        operations(one).map(([operation, { count }]) => ({ labels: { operation, ...labels }, value: count })),
      ),
    ),
    metric(
      'etcd_request_errors_total',
      ofKinds((one, labels) =>
        [...one.kind.counts.failures].map(([operation, value]) => ({ labels: { operation, ...labels }, value })),
      ),
    ),
    spreadMetric(
      'etcd_request_duration_seconds',
      ofKinds((one, labels) =>
        operations(one).map(([operation, spread]): readonly [LabelsOf<'etcd_request_duration_seconds'>, Histogram] => [
          { operation, ...labels },
          spread,
        ]),
      ),
    ),
  ];
}

function listMetrics(
  ofKinds: OfKinds,
  counter: (name: NameOf<'counter', keyof KindLabels>, read: ReadNumber) => MetricSource,
): readonly MetricSource[] {
  const cached = ({ kind }: Registry) => [...kind.counts.cacheLists];
  return [
    metric(
      'apiserver_cache_list_total',
      ofKinds((one, labels) =>
        cached(one).map(([index, { lists }]) => ({ labels: { ...labels, index }, value: lists })),
      ),
    ),
    metric(
      'apiserver_cache_list_fetched_objects_total',
      ofKinds((one, labels) =>
        cached(one).map(([index, { fetched }]) => ({ labels: { ...labels, index }, value: fetched })),
      ),
    ),
    counter('apiserver_cache_list_returned_objects_total', (one) =>
      cached(one).reduce((sum, [, { returned }]) => sum + returned, 0),
    ),
    counter('apiserver_storage_list_total', ({ kind }) => kind.counts.storeLists.lists),
    counter('apiserver_storage_list_fetched_objects_total', ({ kind }) => kind.counts.storeLists.fetched),
    counter('apiserver_storage_list_evaluated_objects_total', ({ kind }) => kind.counts.storeLists.fetched),
    counter('apiserver_storage_list_returned_objects_total', ({ kind }) => kind.counts.storeLists.returned),
    metric(
      'apiserver_watch_cache_consistent_read_total',
      ofKinds((one, labels) => {
        const { cache: fresh, store: late } = one.kind.counts.latest;
        return [
          ...(fresh === 0 ? [] : [{ labels: { ...labels, success: 'true', fallback: 'false' }, value: fresh }]),
          ...(late === 0 ? [] : [{ labels: { ...labels, success: 'false', fallback: 'true' }, value: late }]),
        ];
      }),
    ),
  ];
}

const samples = 100;

/** As many times the average of some objects as there are. */
function sizeEstimate({ cache: kept, prefix }: Registry): number {
  const some = kept.present().range(prefix, undefined, samples);
  const bytes = some.reduce((sum, { bytes: { length } }) => sum + length, 0);
  return some.length === 0 ? 0 : Math.round((bytes / some.length) * kept.size);
}

/** Events that were sent to watches, by version. */
export function watchMetrics(resources: Resources): readonly MetricSource[] {
  const watched = () =>
    [...resources.openRegistries()].flatMap(({ definition, watchCounts }) => {
      const { group, version, plural: resource } = definition;
      return watchCounts === undefined ? [] : [{ labels: { group, version, resource }, counts: watchCounts }];
    });
  const sums = (read: (counts: WatchCounts) => number) => () => {
    const rows = watched().map(({ labels: { version: _, ...labels }, counts }) => ({ labels, value: read(counts) }));
    return summed(rows.filter(({ value }) => value > 0));
  };
  return [
    metric(
      'apiserver_init_events_total',
      sums(({ initial }) => initial),
    ),
    metric(
      'apiserver_terminated_watchers_total',
      sums(({ cut }) => cut),
    ),
    metric('apiserver_watch_events_total', () =>
      watched().map(({ labels, counts }) => ({ labels, value: counts.sizes.count })),
    ),
    spreadMetric('apiserver_watch_events_sizes', () =>
      watched().map(({ labels, counts }) => [labels, counts.sizes] as const),
    ),
    spreadMetric('apiserver_watch_list_duration_seconds', () =>
      watched().flatMap(({ labels, counts }) =>
        [...counts.states].map(([scope, spread]) => [{ ...labels, scope }, spread] as const),
      ),
    ),
  ];
}

interface Row {
  readonly labels: KindLabels;
  readonly value: number;
}

/** Versions of a kind are the same to some metrics. */
function summed(rows: readonly Row[]): readonly Row[] {
  const sums = new Map<string, Row>();
  for (const { labels, value } of rows) {
    const key = JSON.stringify(labels);
    sums.set(key, { labels, value: value + (sums.get(key)?.value ?? 0) });
  }
  return [...sums.values()];
}
