// Options of metrics: which are shown, and which values their labels may have.

import { isJsonObject } from '../base/json/json.ts';
import { parseYaml } from '../codec/body.ts';
import { release } from '../meta/release.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import type { ResolvedOptions } from './server-options.ts';

export interface MetricConfig {
  /** Metrics that were hidden after this minor release are shown. */
  readonly release: number;
  readonly disabled: ReadonlySet<string>;
  /** By metric, then by label. */
  readonly allowedLabels: AllowedLabels;
  /** A file with the allowed labels, read with the first scrape. */
  readonly manifest: string | undefined;
}

type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export function resolveMetrics(options: ResolvedOptions): MetricConfig {
  const { allowMetricLabels: labels, allowMetricLabelsManifest: manifest } = options;
  if (manifest !== undefined) readOptionFile('allowMetricLabelsManifest', manifest);
  return {
    release: resolveRelease(options.showHiddenMetricsForVersion),
    disabled: new Set(options.disabledMetrics ?? []),
    allowedLabels: labels === undefined ? new Map() : allowedLabels(labels, 'allowMetricLabels'),
    manifest: labels === undefined ? manifest : undefined,
  };
}

/** The given labels, or those of the file; an unusable file limits nothing, and `onProblem` receives the error. */
export async function openAllowedLabels(
  { allowedLabels: given, manifest }: MetricConfig,
  onProblem: (error: unknown) => void,
): Promise<AllowedLabels> {
  if (manifest === undefined) return given;
  try {
    const { value } = await parseYaml(readOptionFile('allowMetricLabelsManifest', manifest));
    return allowedLabels(isJsonObject(value) ? value : {}, 'allowMetricLabelsManifest');
  } catch (error) {
    onProblem(error);
    return given;
  }
}

function allowedLabels(given: Readonly<Record<string, unknown>>, option: string): AllowedLabels {
  const limits = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of Object.entries(given)) {
    const [metric = '', label = '', ...more] = key.split(',').map((part) => part.trim());
    if (metric === '' || label === '' || more.length > 0 || typeof values !== 'string')
      throw new OptionError(
        `${option}: ${JSON.stringify(key)} is not a metric and a label such as metric,label=one,two`,
      );
    const ofMetric = limits.get(metric) ?? new Map<string, ReadonlySet<string>>();
    ofMetric.set(label, new Set(values.split(',').map((value) => value.trim())));
    limits.set(metric, ofMetric);
  }
  return limits;
}

function resolveRelease(version: string | undefined): number {
  if (version === undefined) return release.minor;
  const previous = `${release.major}.${release.minor - 1}`;
  if (version === previous) return release.minor - 1;
  throw new OptionError(
    `showHiddenMetricsForVersion: must be omitted or have the value '${previous}', the release before this one`,
  );
}
