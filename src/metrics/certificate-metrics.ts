// How long the server's own certificates last.

import { type MetricSource, metric } from './metric-source.ts';

interface Ending {
  readonly name: string;
  readonly subject: string;
  readonly notAfter: string;
}

export function certificateMetrics(certificates: () => readonly Ending[]): readonly MetricSource[] {
  return [
    metric('keelson_certificate_expiration_timestamp_seconds', () =>
      certificates().map(({ name: certificate, subject, notAfter }) => ({
        labels: { certificate, subject },
        value: Date.parse(notAfter) / 1000,
      })),
    ),
  ];
}
