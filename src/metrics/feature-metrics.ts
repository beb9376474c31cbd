// Which feature gates are on.

import type { DialectNames } from '../meta/dialect.ts';
import { type MetricSource, metric } from './request-metrics.ts';

interface GateState {
  readonly name: string;
  readonly stage: string;
  readonly isEnabled: boolean;
}

export function featureMetrics({ vendor }: DialectNames, gates: () => readonly GateState[]): MetricSource {
  return metric(`${vendor}_feature_enabled`, 'gauge', 'Feature gates: 1 for those that are on, with their stage.', () =>
    gates().map(({ name, stage, isEnabled }) => ({ labels: { name, stage }, value: isEnabled ? 1 : 0 })),
  );
}
