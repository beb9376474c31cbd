// Metrics of the store and of the caches above it, by kind, under kube-apiserver's names.

import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import type { WatchCounts } from '../registry/watch-counts.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

type Labels = Readonly<Record<string, string>>;
type Read = (registry: Registry, labels: Labels) => readonly object[];

export function storeMetrics(resources: Resources): readonly MetricSource[] {
  const of = (name: string, type: 'counter' | 'gauge' | 'histogram', help: string, read: Read) =>
    metric(name, type, help, () =>
      [...resources.storedKinds()].flatMap((registry) => {
        const { group, plural: resource } = registry.definition;
        return read(registry, { group, resource });
      }),
    );
  const counter = (name: string, help: string, read: (registry: Registry) => number) =>
    of(name, 'counter', help, (registry, labels) => {
      const value = read(registry);
      return value === 0 ? [] : [{ labels, value }];
    });
  const gauge = (name: string, help: string, read: (registry: Registry) => number) =>
    of(name, 'gauge', help, (registry, labels) =>
      registry.cache.counts.initializations === 0 ? [] : [{ labels, value: read(registry) }],
    );
  return [
    ...requestMetrics(of),
    ...listMetrics(of, counter),
    counter(
      'apiserver_storage_decode_errors_total',
      'Stored values that could not be read.',
      ({ kind }) => kind.counts.unreadable,
    ),
    counter('apiserver_storage_events_received_total', 'Changes that came from the store.', (one) => received(one)),
    counter(`${cache}_events_received_total`, 'Changes that came to the cache.', (one) => received(one)),
    counter(`${cache}_events_dispatched_total`, 'Changes that the cache told.', (one) => one.cache.counts.dispatched),
    counter(
      `${cache}_initializations_total`,
      'How often the cache was filled.',
      (one) => one.cache.counts.initializations,
    ),
    counter('etcd_bookmark_total', 'How often the store said how far it is.', (one) => one.cache.counts.progress),
    gauge(`${cache}_resource_version`, 'The version that the cache has reached.', (one) => Number(one.cache.revision)),
    gauge('watch_cache_capacity', 'Changes that the cache keeps for watches.', (one) => one.cache.capacity),
    gauge('apiserver_resource_size_estimate_bytes', 'Bytes that objects take, estimated by some.', sizeEstimate),
    of(`${cache}_read_wait_seconds`, 'histogram', 'Seconds that reads waited for the cache.', (one, labels) =>
      one.cache.readWaits === undefined
        ? []
        : histogramSamples(`${cache}_read_wait_seconds`, labels, one.cache.readWaits),
    ),
  ];
}

const cache = 'apiserver_watch_cache';
const duration = 'etcd_request_duration_seconds';

const received = (registry: Registry) => registry.cache.counts.received;

type Of = (name: string, type: 'counter' | 'gauge' | 'histogram', help: string, read: Read) => MetricSource;

/** compat: under the names of etcd, whatever the store is. */
function requestMetrics(of: Of): readonly MetricSource[] {
  const operations = ({ kind }: Registry) => [...kind.counts.requests];
  return [
    of('etcd_requests_total', 'counter', 'Requests to the store.', (one, labels) =>
      operations(one).map(([operation, { count }]) => ({ labels: { operation, ...labels }, value: count })),
    ),
    of('etcd_request_errors_total', 'counter', 'Requests to the store that failed.', (one, labels) =>
      [...one.kind.counts.failures].map(([operation, value]) => ({ labels: { operation, ...labels }, value })),
    ),
    of(duration, 'histogram', 'Seconds that requests to the store took.', (one, labels) =>
      operations(one).flatMap(([operation, spread]) => histogramSamples(duration, { operation, ...labels }, spread)),
    ),
  ];
}

function listMetrics(
  of: Of,
  counter: (name: string, help: string, read: (registry: Registry) => number) => MetricSource,
): readonly MetricSource[] {
  const cached = ({ kind }: Registry) => [...kind.counts.cacheLists];
  const stored = (read: (lists: { lists: number; fetched: number; returned: number }) => number) => (one: Registry) =>
    read(one.kind.counts.storeLists);
  return [
    of('apiserver_cache_list_total', 'counter', 'Lists that the cache answered.', (one, labels) =>
      cached(one).map(([index, { lists }]) => ({ labels: { ...labels, index }, value: lists })),
    ),
    of('apiserver_cache_list_fetched_objects_total', 'counter', 'Objects that such lists looked at.', (one, labels) =>
      cached(one).map(([index, { fetched }]) => ({ labels: { ...labels, index }, value: fetched })),
    ),
    counter('apiserver_cache_list_returned_objects_total', 'Objects that such lists showed.', (one) =>
      cached(one).reduce((sum, [, { returned }]) => sum + returned, 0),
    ),
    counter(
      'apiserver_storage_list_total',
      'Lists that the store answered.',
      stored(({ lists }) => lists),
    ),
    counter(
      'apiserver_storage_list_fetched_objects_total',
      'Objects read for them.',
      stored(({ fetched }) => fetched),
    ),
    counter(
      'apiserver_storage_list_evaluated_objects_total',
      'Objects looked at.',
      stored(({ fetched }) => fetched),
    ),
    counter(
      'apiserver_storage_list_returned_objects_total',
      'Objects shown.',
      stored(({ returned }) => returned),
    ),
    of(`${cache}_consistent_read_total`, 'counter', 'Lists of the latest state, by what answered.', (one, labels) => {
      const { cache: fresh, store: late } = one.kind.counts.latest;
      return [
        ...(fresh === 0 ? [] : [{ labels: { ...labels, success: 'true', fallback: 'false' }, value: fresh }]),
        ...(late === 0 ? [] : [{ labels: { ...labels, success: 'false', fallback: 'true' }, value: late }]),
      ];
    }),
  ];
}

const samples = 100;

/** As many times the average of some objects as there are. */
function sizeEstimate({ cache: kept, prefix }: Registry): number {
  const some = kept.present().range(prefix, undefined, samples);
  const bytes = some.reduce((sum, { bytes: { length } }) => sum + length, 0);
  return some.length === 0 ? 0 : Math.round((bytes / some.length) * kept.size);
}

/** What watches were sent, by version. */
export function watchMetrics(resources: Resources): readonly MetricSource[] {
  const sizesName = 'apiserver_watch_events_sizes';
  const stateName = 'apiserver_watch_list_duration_seconds';
  const watched = () =>
    [...resources.openRegistries()].flatMap(({ definition, watchCounts }) => {
      const { group, version, plural: resource } = definition;
      return watchCounts === undefined ? [] : [{ labels: { group, version, resource }, counts: watchCounts }];
    });
  const counter = (name: string, help: string, read: (counts: WatchCounts) => number) =>
    metric(name, 'counter', help, () => {
      const rows = watched().map(({ labels: { version: _, ...labels }, counts }) => ({ labels, value: read(counts) }));
      return summed(rows.filter(({ value }) => value > 0));
    });
  return [
    counter('apiserver_init_events_total', 'Objects and changes that watches began with.', ({ initial }) => initial),
    counter('apiserver_terminated_watchers_total', 'Watches whose clients did not keep up.', ({ cut }) => cut),
    metric('apiserver_watch_events_total', 'counter', 'Events that were sent to watches.', () =>
      watched().map(({ labels, counts }) => ({ labels, value: counts.sizes.count })),
    ),
    metric(sizesName, 'histogram', 'Bytes of events that were sent to watches.', () =>
      watched().flatMap(({ labels, counts }) => histogramSamples(sizesName, labels, counts.sizes)),
    ),
    metric(stateName, 'histogram', 'Seconds it took to send the state that watches begin with.', () =>
      watched().flatMap(({ labels, counts }) =>
        [...counts.states].flatMap(([scope, spread]) => histogramSamples(stateName, { ...labels, scope }, spread)),
      ),
    ),
  ];
}

interface Row {
  readonly labels: Labels;
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
