// Calls to etcd, under the names that Go's gRPC client has for them; nothing is counted for stores without a server.

import type { CallCounts, CallRow } from '../storage/call-counts.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';

export function callMetrics(counts: CallCounts | undefined): readonly MetricSource[] {
  const rows = () => counts?.rows ?? [];
  const values = (read: (row: CallRow) => number) => () =>
    rows().map((row) => ({ labels: labelsOf(row), value: read(row) }));
  return [
    metric(
      'grpc_client_started_total',
      values(({ started }) => started),
    ),
    metric(
      'grpc_client_msg_sent_total',
      values(({ sent }) => sent),
    ),
    metric(
      'grpc_client_msg_received_total',
      values(({ received }) => received),
    ),
    metric('grpc_client_handled_total', () =>
      rows().flatMap((row) =>
        [...row.handled].map(([code, value]) => ({ labels: { ...labelsOf(row), grpc_code: code }, value })),
      ),
    ),
    spreadMetric('etcd_lease_object_counts', () => (counts === undefined ? [] : [[{}, counts.leaseObjects]])),
  ];
}

const labelsOf = ({ service, method, type }: CallRow) => ({
  grpc_method: method,
  grpc_service: service,
  grpc_type: type,
});
