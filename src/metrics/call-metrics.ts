// Calls to etcd, under the names that Go's gRPC client has for them; nothing is counted for stores without a server.

import type { CallCounts, CallRow } from '../storage/call-counts.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

const leaseName = 'etcd_lease_object_counts';

export function callMetrics(counts: CallCounts | undefined): readonly MetricSource[] {
  const rows = () => counts?.rows ?? [];
  const count = (name: string, help: string, read: (row: CallRow) => number) =>
    metric(`grpc_client_${name}_total`, 'counter', help, () =>
      rows().map((row) => ({ labels: labelsOf(row), value: read(row) })),
    );
  return [
    count('started', 'Calls to etcd.', ({ started }) => started),
    count('msg_sent', 'Messages that etcd was sent.', ({ sent }) => sent),
    count('msg_received', 'Messages that came from etcd.', ({ received }) => received),
    metric('grpc_client_handled_total', 'counter', 'Calls to etcd that ended, by their code.', () =>
      rows().flatMap((row) =>
        [...row.handled].map(([code, value]) => ({ labels: { ...labelsOf(row), grpc_code: code }, value })),
      ),
    ),
    metric(leaseName, 'histogram', 'Objects that shared a lease of etcd.', () =>
      counts === undefined ? [] : histogramSamples(leaseName, {}, counts.leaseObjects),
    ),
  ];
}

const labelsOf = ({ service, method, type }: CallRow) => ({
  grpc_method: method,
  grpc_service: service,
  grpc_type: type,
});
