// The server as a whole: build, process, threads, certificates, audit, traces, and metrics themselves.

import { counter, gauge } from '../metric-entry.ts';

export const serverTable = {
  apiserver_audit_error_total: counter('ALPHA', ['plugin'], 'Audit events that were lost, by the part that lost them.'),
  apiserver_audit_event_total: counter('ALPHA', [], 'Audit events that were made.'),
  apiserver_audit_level_total: counter('ALPHA', ['level'], 'Requests by the level they are audited at.'),
  apiserver_audit_requests_rejected_total: counter('ALPHA', [], 'Requests refused because they could not be recorded.'),
  apiserver_tls_handshake_errors_total: counter('ALPHA', [], 'Connections whose TLS handshake failed.'),
  cardinality_enforcement_unexpected_categorizations_total: counter(
    'ALPHA',
    [],
    'Labels that were shown as unexpected, since their values are limited.',
    { threads: 'first' },
  ),
  disabled_metrics_total: counter('BETA', [], 'Metrics that are disabled by an option.', { threads: 'first' }),
  hidden_metrics_total: counter('BETA', [], 'Metrics that are hidden, being deprecated.', { threads: 'first' }),
  keelson_certificate_expiration_timestamp_seconds: gauge(
    'ALPHA',
    ['certificate', 'subject'],
    'When certificates that the server shows or trusts end, in seconds since 1970.',
  ),
  keelson_thread_heap_bytes: gauge('ALPHA', ['thread'], 'Memory of the JavaScript objects of a thread.'),
  keelson_thread_load: gauge('ALPHA', ['thread'], 'Share of the last second in which a thread was at work.'),
  keelson_trace_spans_total: counter('ALPHA', ['outcome'], 'Spans for the collector, by outcome.'),
  kubernetes_build_info: gauge(
    'BETA',
    [
      'build_date',
      'compiler',
      'git_commit',
      'git_tree_state',
      'git_version',
      'go_version',
      'major',
      'minor',
      'platform',
    ],
    'A one, with what the server is as labels.',
  ),
  kubernetes_feature_enabled: gauge(
    'BETA',
    ['name', 'stage'],
    'Feature gates: 1 for those that are on, with their stage.',
  ),
  process_cpu_seconds_total: counter('ALPHA', [], 'Seconds of processor time since the process began.'),
  process_cpu_system_seconds_total: counter(
    'ALPHA',
    [],
    'Seconds of processor time in the kernel since the process began.',
  ),
  process_cpu_user_seconds_total: counter(
    'ALPHA',
    [],
    'Seconds of processor time outside of the kernel since the process began.',
  ),
  process_network_receive_bytes_total: counter('ALPHA', [], 'Bytes that came in over the network.'),
  process_network_transmit_bytes_total: counter('ALPHA', [], 'Bytes that went out over the network.'),
  process_virtual_memory_max_bytes: gauge('ALPHA', [], 'Bytes of virtual memory that the process may have.'),
  registered_metrics_total: counter(
    'BETA',
    ['deprecated_version', 'stability_level'],
    'Metrics by stability and the release that deprecated them.',
    { threads: 'first' },
  ),
  version_info: gauge(
    'ALPHA',
    ['binary', 'component', 'emulation', 'min_compat'],
    'A one, with the releases that the server behaves like as labels.',
  ),
};
