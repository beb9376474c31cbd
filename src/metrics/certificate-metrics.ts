// How long the server's own certificates last.

import { type MetricSource, metric } from './request-metrics.ts';

interface Ending {
  readonly name: string;
  readonly subject: string;
  readonly notAfter: string;
}

export function certificateMetrics(certificates: () => readonly Ending[]): readonly MetricSource[] {
  const name = 'keelson_certificate_expiration_timestamp_seconds';
  return [
    metric(name, 'gauge', 'When certificates that the server shows or trusts end, in seconds since 1970.', () =>
      certificates().map(({ name: certificate, subject, notAfter }) => ({
        labels: { certificate, subject },
        value: Date.parse(notAfter) / 1000,
      })),
    ),
  ];
}
