// Which feature gates are on.

import { type MetricSource, metric } from './metric-source.ts';

interface GateState {
  readonly name: string;
  readonly stage: string;
  readonly isEnabled: boolean;
}

export function featureMetrics(gates: () => readonly GateState[]): MetricSource {
  return metric('kubernetes_feature_enabled', () =>
    gates().map(({ name, stage, isEnabled }) => ({ labels: { name, stage }, value: isEnabled ? 1 : 0 })),
  );
}
