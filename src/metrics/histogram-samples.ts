// A histogram in the form in which metrics are shown.

import type { Histogram } from '../base/histogram.ts';
import type { Sample } from './metric-source.ts';

export function histogramSamples(
  metricName: string,
  labels: Sample['labels'],
  histogram: Histogram,
): readonly Sample[] {
  const { bounds, count, sum } = histogram;
  const cumulative = histogram.cumulative();
  const bucket = (le: number | string, value: number) => ({
    metricName: `${metricName}_bucket`,
    labels: { ...labels, le },
    value,
  });
  return [
    ...bounds.map((bound, index) => bucket(bound, cumulative[index] as number)),
    bucket('+Inf', count),
    { metricName: `${metricName}_sum`, labels, value: sum },
    { metricName: `${metricName}_count`, labels, value: count },
  ];
}
