// How long the rules of custom resources take, under kube-apiserver's names.

import { ruleTimes } from '../base/rule-times.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

/** Of all servers of the process: a rule is compiled once for all of them that have the same definition. */
export function ruleMetrics(): readonly MetricSource[] {
  const spread = (what: keyof typeof ruleTimes, help: string) => {
    const name = `apiserver_cel_${what}_duration_seconds`;
    return metric(name, 'histogram', help, () => histogramSamples(name, {}, ruleTimes[what]));
  };
  return [
    spread('compilation', 'Seconds that it took to compile rules of custom resources.'),
    spread('evaluation', 'Seconds that it took to evaluate the rules of one object.'),
  ];
}
