// The file of --tracing-config-file: a TracingConfiguration.

import { decodeConfigurationFile, type WarnOfFile } from '../codec/configuration-file.ts';
import { apiGroup, type DialectNames } from '../meta/dialect.ts';
import { invalidValue } from '../meta/field-errors.ts';
import type { FieldError } from '../meta/status.ts';
import { field, type Infer, int32, string, struct } from '../schema/types.ts';

export interface TracingSettings {
  /** Of the collector: for gRPC `host:port`, `dns:…` or `unix:…`; for HTTP an address that begins with `http://` or `https://`. */
  readonly endpoint: string;
  readonly samplesPerMillion: number;
}

/** As in OpenTelemetry. */
const usualEndpoint = 'localhost:4317';
const million = 1_000_000;

const home = 'apiserver/v1';
const tracingType = struct(home, 'TracingConfiguration', 'Where traces are sent, and how many.', {
  endpoint: field(1, string, { pointer: true, about: 'Address of the collector; localhost:4317 when absent.' }),
  samplingRatePerMillion: field(2, int32, {
    pointer: true,
    about:
      'Requests in a million of which a trace is taken; none when absent, except those that a trusted client samples.',
  }),
});

/** Throws an error in words for a file that is not a valid configuration. */
export async function decodeTracingFile(
  bytes: Uint8Array,
  dialect: DialectNames,
  warn?: WarnOfFile,
): Promise<TracingSettings> {
  const kind = 'TracingConfiguration';
  const older = apiGroup(dialect, 'apiserver');
  const configuration = (await decodeConfigurationFile(
    bytes,
    {
      group: apiGroup(dialect, 'apiserver.config'),
      versions: ['v1', 'v1beta1', 'v1alpha1'],
      kind,
      type: tracingType,
      olderNames: ['v1beta1', 'v1alpha1'].map((version) => ({ apiVersion: `${older}/${version}`, kind })),
    },
    warn,
  )) as Infer<typeof tracingType>;
  const { endpoint = usualEndpoint, samplingRatePerMillion = 0 } = configuration;
  const errors = [...rateErrors(samplingRatePerMillion), ...endpointErrors(endpoint)];
  if (errors.length > 0) throw new Error(errors.map((error) => `${error.field}: ${error.message}`).join(', '));
  return { endpoint, samplesPerMillion: samplingRatePerMillion };
}

function rateErrors(rate: number): readonly FieldError[] {
  const path = 'samplingRatePerMillion';
  if (rate < 0) return [invalidValue(path, rate, 'sampling rate must be positive')];
  if (rate <= million) return [];
  return [invalidValue(path, rate, 'sampling rate per million must be less than or equal to one million')];
}

/** Schemes of gRPC, as kube-apiserver takes them; HTTP besides. */
const schemes: ReadonlySet<string> = new Set(['dns', 'unix', 'http', 'https']);

function endpointErrors(endpoint: string): readonly FieldError[] {
  const invalid = (why: string) => [invalidValue('endpoint', endpoint, why)];
  const text = endpoint.includes('//') ? endpoint : `dns://${endpoint}`;
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (!schemes.has(scheme.toLowerCase()))
    return invalid(`unsupported scheme: ${scheme}. Options are none, dns, unix, http or https`);
  if (scheme.toLowerCase() === 'unix') return [];
  const address = text.slice(scheme.length);
  return URL.canParse(`http${address}`) ? [] : invalid('it is not an address');
}
