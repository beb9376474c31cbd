// Flags about what can be seen of a running server: its pages and its log.

import { logAreas } from '../base/log-levels.ts';
import { type Flag, flag, inGroup } from './flag.ts';
import { integer, labelValues, oneOf, textOrNone, texts, yesOrNo } from './flag-values.ts';

const observation = inGroup('Observation', [
  flag({
    name: 'profiling',
    option: 'profiling',
    type: yesOrNo,
    default: 'true',
    help: 'Whether there are profiles below /debug/pprof, levels of the log below /debug/flags, and /configz.',
  }),
  flag({
    name: 'show-hidden-metrics-for-version',
    option: 'showHiddenMetricsForVersion',
    type: textOrNone,
    help: 'Shows metrics that this release hides and the release before, 1.35, still showed.',
  }),
  flag({
    name: 'disabled-metrics',
    option: 'disabledMetrics',
    type: texts,
    help: 'Metrics that are not shown, by name.',
  }),
  flag({
    name: 'allow-metric-labels',
    option: 'allowMetricLabels',
    type: labelValues,
    help: "Values that a label of a metric may have, metric,label='one,two'; others are shown as unexpected.",
  }),
  flag({
    name: 'allow-metric-labels-manifest',
    option: 'allowMetricLabelsManifest',
    type: textOrNone,
    help: 'YAML file with the same, which counts where --allow-metric-labels is not given.',
  }),
]);

const logging = inGroup('Logging', [
  flag({
    name: 'v',
    option: 'verbosity',
    type: integer(0, 10),
    default: '0',
    help: 'How much is logged: 0 what an operator must act on, 1 also start, stop and configuration, 2 requests that failed or were slow, 3 every request, 4 decisions.',
  }),
  flag({
    name: 'vmodule',
    option: 'vmodule',
    type: textOrNone,
    help: `Levels of their own for some areas, such as requests=3,webhooks=4; areas are ${logAreas.join(', ')}. Patterns of klog, such as httplog=9, set the areas that they match.`,
  }),
  flag({
    name: 'logging-format',
    option: 'loggingFormat',
    type: oneOf('text', 'json'),
    help: 'How lines of the log look; text on a terminal and json elsewhere when not given.',
  }),
]);

export const observationFlags: readonly Flag[] = [...observation, ...logging];
