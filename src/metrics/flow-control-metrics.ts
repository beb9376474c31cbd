// Priority levels and their queues, under kube-apiserver's names.

import type { Histogram } from '../base/histogram.ts';
import type { Clock } from '../base/time/clock.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { FlowStats } from '../flow-control/flow-stats.ts';
import type { KindUse } from '../flow-control/level-use.ts';
import type { PriorityLevel } from '../flow-control/priority-level.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

const prefix = 'apiserver_flowcontrol_';

export function flowControlMetrics(control: FlowControl, clock: Clock): readonly MetricSource[] {
  return [
    ...kindMetrics(control),
    ...levelMetrics(control),
    ...queueMetrics(control),
    ...flowMetrics(control),
    ...useMetrics(control, clock),
  ];
}

function kindMetrics({ kinds }: FlowControl): readonly MetricSource[] {
  const read = (request_kind: 'readOnly' | 'mutating') => ({
    labels: { request_kind },
    value: kinds[request_kind].waiting.value,
  });
  const help = 'Requests that wait for seats, by whether they change something.';
  return [
    metric('apiserver_current_inqueue_requests', 'gauge', help, () => [read('readOnly'), read('mutating')], 'sum'),
  ];
}

/** All threads see the same limits; what the level needs is measured together. */
function levelMetrics({ table }: FlowControl): readonly MetricSource[] {
  const gauge = (name: string, help: string, read: (level: PriorityLevel) => number) =>
    metric(prefix + name, 'gauge', help, () =>
      table.levels.map((level) => ({ labels: { priority_level: level.name }, value: read(level) })),
    );
  return [
    gauge('nominal_limit_seats', 'Seats of a level by its shares.', ({ limits }) => limits.nominal),
    gauge('lower_limit_seats', 'Seats that a level does not lend.', ({ limits }) => limits.lower),
    gauge('upper_limit_seats', 'The most seats that a level can have.', ({ limits }) => limits.upper),
    gauge('current_limit_seats', 'Seats that a level has now.', ({ queues }) => queues.limit),
    gauge('target_seats', 'Seats that a level would need.', ({ target }) => target),
    gauge('demand_seats_average', 'Average of the seats that a level needed lately.', ({ recent }) => recent.average),
    gauge('demand_seats_stdev', 'Their standard deviation.', ({ recent }) => recent.deviation),
    gauge('demand_seats_high_watermark', 'Their maximum.', ({ recent }) => recent.highest),
    gauge('demand_seats_smoothed', 'The seats that a level usually needs.', ({ recent }) => recent.smoothed),
    metric(`${prefix}seat_fair_frac`, 'gauge', 'By how much targets are multiplied to divide all seats.', () => [
      { labels: {}, value: table.fairFraction },
    ]),
  ];
}

/** Virtual time is that of the main thread. */
function queueMetrics({ table }: FlowControl): readonly MetricSource[] {
  const queued = () => table.levels.filter(({ settings }) => settings.queues > 0);
  const gauge = (name: string, help: string, read: (level: PriorityLevel) => number) =>
    metric(prefix + name, 'gauge', help, () =>
      queued().map((level) => ({ labels: { priority_level: level.name }, value: read(level) })),
    );
  const bounds = (name: string, help: string, read: (level: PriorityLevel) => readonly number[]) =>
    metric(prefix + name, 'gauge', help, () =>
      queued().flatMap((level) => {
        const starts = read(level);
        if (starts.length === 0) return [];
        const row = (bound: string, value: number) => ({ labels: { priority_level: level.name, bound }, value });
        return [row('min', Math.min(...starts)), row('max', Math.max(...starts))];
      }),
    );
  return [
    metric(`${prefix}current_r`, 'gauge', 'Virtual time of a level, in seat-seconds.', () =>
      table.levels.map(({ name, queues }) => ({ labels: { priority_level: name }, value: queues.progress })),
    ),
    metric(`${prefix}epoch_advance_total`, 'counter', 'How often the virtual time of a level was wound back.', () =>
      queued().flatMap(({ name, queues: { epochs } }) =>
        (['sound', 'unsound'] as const)
          .filter((outcome) => epochs[outcome] > 0)
          .map((outcome) => ({
            labels: { priority_level: name, success: String(outcome === 'sound') },
            value: epochs[outcome],
          })),
      ),
    ),
    gauge('dispatch_r', 'Virtual time of the last start of a request.', ({ queues }) => queues.lastStart.progress),
    gauge('latest_s', 'Virtual start of the request that started last.', ({ queues }) => queues.lastStart.start),
    bounds('next_s_bounds', 'Virtual starts of the next requests of queues.', ({ queues }) => queues.nextStarts),
    bounds(
      'next_discounted_s_bounds',
      'The same without the estimated work of requests under way.',
      ({ queues }) => queues.discountedStarts,
    ),
  ];
}

function flowMetrics({ table }: FlowControl): readonly MetricSource[] {
  const flows = () => table.levels.flatMap((level) => [...level.stats]);
  const labelsOf = ({ schema, level }: FlowStats) => ({ flow_schema: schema, priority_level: level });
  const number = (type: 'gauge' | 'counter') => (name: string, help: string, read: (stats: FlowStats) => number) =>
    metric(
      prefix + name,
      type,
      help,
      () => flows().map((stats) => ({ labels: labelsOf(stats), value: read(stats) })),
      'sum',
    );
  const [gauge, counter] = [number('gauge'), number('counter')];
  type Spread = readonly [labels: object, spread: Histogram];
  const histogram = (name: string, help: string, read: (stats: FlowStats) => readonly Spread[]) =>
    metric(prefix + name, 'histogram', help, () =>
      flows().flatMap((stats) =>
        read(stats).flatMap(([labels, spread]) =>
          spread.count === 0 ? [] : histogramSamples(prefix + name, { ...labelsOf(stats), ...labels }, spread),
        ),
      ),
    );
  return [
    gauge('current_executing_requests', 'Requests that are worked on.', ({ executing }) => executing),
    gauge('current_executing_seats', 'Seats of requests that are worked on.', ({ executingSeats }) => executingSeats),
    gauge('current_inqueue_requests', 'Requests that wait.', ({ waiting }) => waiting),
    gauge('current_inqueue_seats', 'Seats that requests wait for.', ({ waitingSeats }) => waitingSeats),
    counter('dispatched_requests_total', 'Requests that were worked on.', ({ dispatched }) => dispatched),
    counter(
      'request_dispatch_no_accommodation_total',
      'How often the next request had to wait for more seats.',
      ({ blocked }) => blocked,
    ),
    metric(`${prefix}rejected_requests_total`, 'counter', 'Requests that were refused, by the reason.', () =>
      flows().flatMap((stats) =>
        Object.entries(stats.refused)
          .filter(([, value]) => value > 0)
          .map(([reason, value]) => ({ labels: { ...labelsOf(stats), reason }, value })),
      ),
    ),
    histogram('work_estimated_seats', 'Seats that requests were estimated to need.', ({ seats }) => [[{}, seats]]),
    histogram('watch_count_samples', 'Watches that saw a write.', ({ watches }) => [[{}, watches]]),
    histogram('request_queue_length_after_enqueue', 'Length of the queue of a request.', ({ lengths }) => [
      [{}, lengths],
    ]),
    histogram('request_wait_duration_seconds', 'Seconds that requests waited.', ({ waits }) => [
      [{ execute: 'true' }, waits.executed],
      [{ execute: 'false' }, waits.refused],
    ]),
    histogram('request_execution_seconds', 'Seconds that requests took.', ({ executions }) => [
      [{ type: 'regular' }, executions.regular],
      [{ type: 'watch' }, executions.watch],
    ]),
  ];
}

function useMetrics({ table, kinds }: FlowControl, clock: Clock): readonly MetricSource[] {
  type Ratios = readonly (readonly [labels: Record<string, string>, ratio: KindUse['waiting']])[];
  const ratios = (name: string, help: string, read: () => Ratios) =>
    metric(prefix + name, 'histogram', help, () =>
      read().flatMap(([labels, ratio]) => histogramSamples(prefix + name, labels, ratio.histogram(clock.now()))),
    );
  const ofLevels = (read: (level: PriorityLevel, labels: { priority_level: string }) => Ratios) => () =>
    table.levels.flatMap((level) => read(level, { priority_level: level.name }));
  return [
    ratios(
      'priority_level_request_utilization',
      'Nanoseconds by the part of the places in use.',
      ofLevels(({ use }, labels) => [
        [{ phase: 'waiting', ...labels }, use.waiting],
        [{ phase: 'executing', ...labels }, use.executing],
      ]),
    ),
    ratios(
      'priority_level_seat_utilization',
      'Nanoseconds by the part of the seats in use.',
      ofLevels(({ use }, labels) => [[{ phase: 'executing', ...labels }, use.seats]]),
    ),
    ratios(
      'demand_seats',
      'Nanoseconds by the seats that a level needs, as a part of those it has.',
      ofLevels(({ use }, labels) => [[labels, use.demand]]),
    ),
    ratios('read_vs_write_current_requests', 'Nanoseconds by the part of requests that read and write.', () =>
      (['readOnly', 'mutating'] as const).flatMap((request_kind) => [
        [{ phase: 'waiting', request_kind }, kinds[request_kind].waiting] as const,
        [{ phase: 'executing', request_kind }, kinds[request_kind].executing] as const,
      ]),
    ),
  ];
}
