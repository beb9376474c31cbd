// How long the rules of custom resources take, under kube-apiserver's names.

import { RuleTimes } from '../base/time/rule-times.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

export class RuleMetrics {
  readonly times = new RuleTimes();

  get sources(): readonly MetricSource[] {
    const spread = (what: keyof RuleTimes, help: string) => {
      const name = `apiserver_cel_${what}_duration_seconds`;
      return metric(name, 'histogram', help, () => histogramSamples(name, {}, this.times[what]));
    };
    return [
      spread('compilation', 'Seconds that it took to compile rules of custom resources.'),
      spread('evaluation', 'Seconds that it took to evaluate the rules of one object.'),
    ];
  }
}
