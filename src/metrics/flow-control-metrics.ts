// Priority levels and their queues, under kube-apiserver's names.

import type { Histogram } from '../base/histogram.ts';
import type { Clock } from '../base/time/clock.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { FlowStats } from '../flow-control/flow-stats.ts';
import type { KindUse } from '../flow-control/level-use.ts';
import type { PriorityLevel } from '../flow-control/priority-level.ts';
import { type MetricSource, metric, plainMetric, spreadMetric } from './metric-source.ts';
import type { LabelsOf, NameOf } from './table/all-metrics.ts';

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
  return [metric('apiserver_current_inqueue_requests', () => [read('readOnly'), read('mutating')])];
}

/** All threads see the same limits; what the level needs is measured together. */
function levelMetrics({ table }: FlowControl): readonly MetricSource[] {
  const values = (read: (level: PriorityLevel) => number) => () =>
    table.levels.map((level) => ({ labels: { priority_level: level.name }, value: read(level) }));
  const gauge = (name: NameOf<'gauge', 'priority_level'>, read: (level: PriorityLevel) => number) =>
    metric(name, values(read));
  return [
    gauge('apiserver_flowcontrol_nominal_limit_seats', ({ limits }) => limits.nominal),
    gauge('apiserver_flowcontrol_lower_limit_seats', ({ limits }) => limits.lower),
    gauge('apiserver_flowcontrol_upper_limit_seats', ({ limits }) => limits.upper),
    gauge('apiserver_flowcontrol_current_limit_seats', ({ queues }) => queues.limit),
    gauge('apiserver_flowcontrol_target_seats', ({ target }) => target),
    gauge('apiserver_flowcontrol_demand_seats_average', ({ recent }) => recent.average),
    gauge('apiserver_flowcontrol_demand_seats_stdev', ({ recent }) => recent.deviation),
    gauge('apiserver_flowcontrol_demand_seats_high_watermark', ({ recent }) => recent.highest),
    gauge('apiserver_flowcontrol_demand_seats_smoothed', ({ recent }) => recent.smoothed),
    plainMetric('apiserver_flowcontrol_seat_fair_frac', () => table.fairFraction),
  ];
}

/** Virtual time is that of the main thread. */
function queueMetrics({ table }: FlowControl): readonly MetricSource[] {
  const queued = () => table.levels.filter(({ settings }) => settings.queues > 0);
  const gauge = (name: NameOf<'gauge', 'priority_level'>, read: (level: PriorityLevel) => number) =>
    metric(name, () => queued().map((level) => ({ labels: { priority_level: level.name }, value: read(level) })));
  const bounds = (
    name: NameOf<'gauge', 'bound' | 'priority_level'>,
    read: (level: PriorityLevel) => readonly number[],
  ) =>
    metric(name, () =>
      queued().flatMap((level) => {
        const starts = read(level);
        if (starts.length === 0) return [];
        const row = (bound: string, value: number) => ({ labels: { priority_level: level.name, bound }, value });
        return [row('min', Math.min(...starts)), row('max', Math.max(...starts))];
      }),
    );
  return [
    metric('apiserver_flowcontrol_current_r', () =>
      table.levels.map(({ name, queues }) => ({ labels: { priority_level: name }, value: queues.progress })),
    ),
    metric('apiserver_flowcontrol_epoch_advance_total', () =>
      queued().flatMap(({ name, queues: { epochs } }) =>
        (['sound', 'unsound'] as const)
          .filter((outcome) => epochs[outcome] > 0)
          .map((outcome) => ({
            labels: { priority_level: name, success: String(outcome === 'sound') },
            value: epochs[outcome],
          })),
      ),
    ),
    gauge('apiserver_flowcontrol_dispatch_r', ({ queues }) => queues.lastStart.progress),
    gauge('apiserver_flowcontrol_latest_s', ({ queues }) => queues.lastStart.start),
    bounds('apiserver_flowcontrol_next_s_bounds', ({ queues }) => queues.nextStarts),
    bounds('apiserver_flowcontrol_next_discounted_s_bounds', ({ queues }) => queues.discountedStarts),
  ];
}

function flowMetrics({ table }: FlowControl): readonly MetricSource[] {
  const flows = () => table.levels.flatMap((level) => [...level.stats]);
  const labelsOf = ({ schema, level }: FlowStats) => ({ flow_schema: schema, priority_level: level });
  const number = (
    name: NameOf<'gauge' | 'counter', 'flow_schema' | 'priority_level'>,
    read: (stats: FlowStats) => number,
  ) => metric(name, () => flows().map((stats) => ({ labels: labelsOf(stats), value: read(stats) })));
  /** Nothing is shown before the first value. */
  const spread = <Name extends NameOf<'histogram'>>(
    name: Name,
    read: (stats: FlowStats) => readonly (readonly [labels: LabelsOf<Name>, spread: Histogram])[],
  ) => spreadMetric(name, () => flows().flatMap((stats) => read(stats).filter(([, { count }]) => count > 0)));
  return [
    number('apiserver_flowcontrol_current_executing_requests', ({ executing }) => executing),
    number('apiserver_flowcontrol_current_executing_seats', ({ executingSeats }) => executingSeats),
    number('apiserver_flowcontrol_current_inqueue_requests', ({ waiting }) => waiting),
    number('apiserver_flowcontrol_current_inqueue_seats', ({ waitingSeats }) => waitingSeats),
    number('apiserver_flowcontrol_dispatched_requests_total', ({ dispatched }) => dispatched),
    number('apiserver_flowcontrol_request_dispatch_no_accommodation_total', ({ blocked }) => blocked),
    metric('apiserver_flowcontrol_rejected_requests_total', () =>
      flows().flatMap((stats) =>
        Object.entries(stats.refused)
          .filter(([, value]) => value > 0)
          .map(([reason, value]) => ({ labels: { ...labelsOf(stats), reason }, value })),
      ),
    ),
    spread('apiserver_flowcontrol_work_estimated_seats', (stats) => [[labelsOf(stats), stats.seats]]),
    spread('apiserver_flowcontrol_watch_count_samples', (stats) => [[labelsOf(stats), stats.watches]]),
    spread('apiserver_flowcontrol_request_queue_length_after_enqueue', (stats) => [[labelsOf(stats), stats.lengths]]),
    spread('apiserver_flowcontrol_request_wait_duration_seconds', (stats) => [
      [{ ...labelsOf(stats), execute: 'true' }, stats.waits.executed],
      [{ ...labelsOf(stats), execute: 'false' }, stats.waits.refused],
    ]),
    spread('apiserver_flowcontrol_request_execution_seconds', (stats) => [
      [{ ...labelsOf(stats), type: 'regular' }, stats.executions.regular],
      [{ ...labelsOf(stats), type: 'watch' }, stats.executions.watch],
    ]),
  ];
}

function useMetrics({ table, kinds }: FlowControl, clock: Clock): readonly MetricSource[] {
  type Ratio = KindUse['waiting'];
  const ratios = <Name extends NameOf<'histogram'>>(
    name: Name,
    read: () => readonly (readonly [labels: LabelsOf<Name>, ratio: Ratio])[],
  ) => spreadMetric(name, () => read().map(([labels, ratio]) => [labels, ratio.histogram(clock.now())] as const));
  return [
    ratios('apiserver_flowcontrol_priority_level_request_utilization', () =>
      table.levels.flatMap(({ name: priority_level, use }) => [
        [{ phase: 'waiting', priority_level }, use.waiting] as const,
        [{ phase: 'executing', priority_level }, use.executing] as const,
      ]),
    ),
    ratios('apiserver_flowcontrol_priority_level_seat_utilization', () =>
      table.levels.map(({ name: priority_level, use }) => [{ phase: 'executing', priority_level }, use.seats] as const),
    ),
    ratios('apiserver_flowcontrol_demand_seats', () =>
      table.levels.map(({ name: priority_level, use }) => [{ priority_level }, use.demand] as const),
    ),
    ratios('apiserver_flowcontrol_read_vs_write_current_requests', () =>
      (['readOnly', 'mutating'] as const).flatMap((request_kind) => [
        [{ phase: 'waiting', request_kind }, kinds[request_kind].waiting] as const,
        [{ phase: 'executing', request_kind }, kinds[request_kind].executing] as const,
      ]),
    ),
  ];
}
