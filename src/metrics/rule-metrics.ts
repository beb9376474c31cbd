// How long the rules of custom resources take, under kube-apiserver's names.

import { RuleTimes } from '../base/time/rule-times.ts';
import { type MetricSource, spreadMetric } from './metric-source.ts';

export class RuleMetrics {
  readonly times = new RuleTimes();

  get sources(): readonly MetricSource[] {
    return [
      spreadMetric('apiserver_cel_compilation_duration_seconds', () => [[{}, this.times.compilation]]),
      spreadMetric('apiserver_cel_evaluation_duration_seconds', () => [[{}, this.times.evaluation]]),
    ];
  }
}
