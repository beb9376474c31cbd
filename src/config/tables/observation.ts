// Options of what can be seen of a running server: its pages and its metrics.

import { option } from '../option.ts';
import { labelValues, textOrNone, texts, yesOrNo } from '../value-types.ts';

export const observationOptions = {
  profiling: option({
    type: yesOrNo,
    flag: 'profiling',
    default: 'true',
    help: 'Whether there are profiles below /debug/pprof, levels of the log below /debug/flags, and /configz.',
  }),
  tracingConfigFile: option({
    type: textOrNone,
    flag: 'tracing-config-file',
    help: 'File with a TracingConfiguration: where traces are sent, and of how many requests.',
    note: 'No traces when not given.',
  }),
  showHiddenMetricsForVersion: option({
    type: textOrNone,
    flag: 'show-hidden-metrics-for-version',
    help: 'Shows metrics that this release hides and the release before, 1.35, still showed.',
  }),
  disabledMetrics: option({ type: texts, flag: 'disabled-metrics', help: 'Metrics that are not shown, by name.' }),
  allowMetricLabels: option({
    type: labelValues,
    flag: 'allow-metric-labels',
    help: "Values that a label of a metric may have, metric,label='one,two'; others are shown as unexpected.",
    note: "Such as { 'apiserver_request_total,code': '200,201' }.",
  }),
  allowMetricLabelsManifest: option({
    type: textOrNone,
    flag: 'allow-metric-labels-manifest',
    help: 'YAML file with the same, which counts where --allow-metric-labels is not given.',
  }),
};
