// What there is to say of the server as a whole.

import { type MetricSource, metric, plainMetric } from './metric-source.ts';

interface ServerParts {
  handshakeErrors(): number;
  /** How large the file of the store is; undefined where it has none. */
  storeBytes(): number | undefined;
}

export function serverMetrics({ handshakeErrors, storeBytes }: ServerParts): readonly MetricSource[] {
  return [
    plainMetric('apiserver_tls_handshake_errors_total', handshakeErrors),
    // compat: the label is what etcd would be called, whatever the store is
    metric('apiserver_storage_size_bytes', () => {
      const bytes = storeBytes();
      return bytes === undefined ? [] : [{ labels: { storage_cluster_id: 'etcd-0' }, value: bytes }];
    }),
  ];
}
