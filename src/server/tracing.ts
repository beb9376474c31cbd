// Tracing of a configuration: its file read, and the way to the collector opened.

import { hostname } from 'node:os';
import { packageVersion } from '../base/package-version.ts';
import { identityName } from '../bootstrap/server-identity.ts';
import { OptionError } from '../config/option-error.ts';
import { readOptionFile, type ServerConfig } from '../config/options.ts';
import { decodeTracingFile, type TracingSettings } from '../config/tracing-file.ts';
import { type MetricSource, metric } from '../metrics/metric-source.ts';
import type { BatchingExporter } from '../trace/batching-exporter.ts';

export interface OpenTracing {
  readonly exporter: BatchingExporter;
  readonly samplesPerMillion: number;
}

/** Undefined where no file is configured. Throws an OptionError for an invalid file. */
export async function readTracing({ tracingFile, dialect }: ServerConfig): Promise<TracingSettings | undefined> {
  if (tracingFile === undefined) return undefined;
  try {
    return await decodeTracingFile(readOptionFile('tracingConfigFile', tracingFile), dialect);
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new OptionError(`tracingConfigFile: ${tracingFile}: ${(error as Error).message}`);
  }
}

export async function openTracing(config: ServerConfig): Promise<OpenTracing | undefined> {
  const settings = await readTracing(config);
  if (settings === undefined) return undefined;
  const { BatchingExporter } = await import('../trace/batching-exporter.ts');
  const { openCollector } = await import('../trace/collector.ts');
  const resource = {
    'service.name': 'apiserver',
    'service.instance.id': identityName(config.dialect, hostname()),
    'service.version': packageVersion(),
  };
  const { log } = config;
  const exporter = new BatchingExporter({
    collector: openCollector(settings.endpoint),
    resource,
    onFailure: (error) => log.warn({ err: error, endpoint: settings.endpoint }, 'spans could not be sent'),
  });
  return { exporter, samplesPerMillion: settings.samplesPerMillion };
}

/** Spans by outcome; `dropped` had no space in the buffer, `failed` were not taken by the collector. */
export function tracingMetrics(tracing: OpenTracing | undefined): readonly MetricSource[] {
  if (tracing === undefined) return [];
  const { counts } = tracing.exporter;
  return [
    metric('keelson_trace_spans_total', () =>
      Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
  ];
}
