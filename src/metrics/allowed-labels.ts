// Labels whose values are limited: a value that is not allowed is shown as `unexpected`, together with all others of that kind.

import type { Sample } from './metric-source.ts';

/** By metric, then by label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

const unexpected = 'unexpected';

interface Limited {
  readonly samples: readonly Sample[];
  /** How often a value that is not allowed was counted. */
  readonly unexpected: number;
}

/** The samples of a metric with limited labels. */
export function withAllowedLabels(
  samples: readonly Sample[],
  allowed: ReadonlyMap<string, ReadonlySet<string>>,
): Limited {
  const rows = new Map<string, { -readonly [K in keyof Sample]: Sample[K] }>();
  let count = 0;
  for (const sample of samples) {
    const labels = limit(sample.labels, allowed);
    if (labels !== sample.labels && isCount(sample)) count += sample.value;
    const key = JSON.stringify([sample.metricName, labels]);
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { ...sample, labels });
    else row.value += sample.value;
  }
  return { samples: [...rows.values()], unexpected: count };
}

/** Of a histogram, the sample with the count. */
const isCount = ({ metricName }: Sample) => metricName === undefined || metricName.endsWith('_count');

function limit(labels: Sample['labels'], allowed: ReadonlyMap<string, ReadonlySet<string>>) {
  const bad = Object.entries(labels).filter(([name, value]) => allowed.get(name)?.has(String(value)) === false);
  if (bad.length === 0) return labels;
  return { ...labels, ...Object.fromEntries(bad.map(([name]) => [name, unexpected])) };
}
