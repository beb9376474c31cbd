// The store, the caches above it, watches, and encryption.

import { counter, gauge, histogram } from '../metric-entry.ts';

export const storageTable = {
  apiserver_cache_list_fetched_objects_total: counter(
    'ALPHA',
    ['group', 'resource', 'index'],
    'Objects that such lists looked at.',
  ),
  apiserver_cache_list_returned_objects_total: counter(
    'ALPHA',
    ['group', 'resource'],
    'Objects that such lists showed.',
  ),
  apiserver_cache_list_total: counter('ALPHA', ['group', 'resource', 'index'], 'Lists that the cache answered.'),
  apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'status'],
    'When the encryption configuration was last reloaded.',
  ),
  apiserver_encryption_config_controller_automatic_reloads_total: counter(
    'ALPHA',
    ['apiserver_id_hash', 'status'],
    'Reloads of the encryption configuration, by how they ended.',
  ),
  apiserver_encryption_config_controller_last_config_info: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'hash'],
    'The encryption configuration in use.',
  ),
  apiserver_envelope_encryption_dek_source_cache_size: gauge(
    'ALPHA',
    ['provider_name'],
    'Secrets of stored values that plugins have decrypted.',
  ),
  apiserver_envelope_encryption_invalid_key_id_from_status_total: counter(
    'ALPHA',
    ['error', 'provider_name'],
    'How often plugins named a key that cannot be one.',
  ),
  apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'key_id_hash', 'provider_name', 'transformation_type'],
    'When keys of plugins were last used.',
  ),
  apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'key_id_hash', 'provider_name'],
    'When plugins last reported a key as theirs.',
  ),
  apiserver_envelope_encryption_key_id_hash_total: counter(
    'ALPHA',
    ['apiserver_id_hash', 'key_id_hash', 'provider_name', 'transformation_type'],
    'How often keys of plugins were used.',
  ),
  apiserver_envelope_encryption_kms_operations_latency_seconds: histogram(
    'ALPHA',
    ['grpc_status_code', 'method_name', 'provider_name'],
    'Seconds that calls of key management plugins took.',
  ),
  apiserver_init_events_total: counter('ALPHA', ['group', 'resource'], 'Objects and changes that watches began with.'),
  apiserver_resource_objects: gauge('ALPHA', ['group', 'resource'], 'Stored objects by group and resource.'),
  apiserver_resource_size_estimate_bytes: gauge(
    'ALPHA',
    ['group', 'resource'],
    'Bytes that objects take, estimated by some.',
  ),
  apiserver_storage_data_key_generation_duration_seconds: histogram(
    'ALPHA',
    [],
    'Seconds that it took to make seeds of keys.',
  ),
  apiserver_storage_data_key_generation_failures_total: counter('ALPHA', [], 'Seeds that could not be made.'),
  apiserver_storage_decode_errors_total: counter(
    'ALPHA',
    ['group', 'resource'],
    'Stored values that could not be read.',
  ),
  apiserver_storage_envelope_transformation_cache_misses_total: counter(
    'ALPHA',
    [],
    'Secrets that a plugin had to decrypt.',
  ),
  apiserver_storage_events_received_total: counter('BETA', ['group', 'resource'], 'Changes that came from the store.'),
  apiserver_storage_list_evaluated_objects_total: counter('ALPHA', ['group', 'resource'], 'Objects looked at.'),
  apiserver_storage_list_fetched_objects_total: counter('ALPHA', ['group', 'resource'], 'Objects read for them.'),
  apiserver_storage_list_returned_objects_total: counter('ALPHA', ['group', 'resource'], 'Objects shown.'),
  apiserver_storage_list_total: counter('ALPHA', ['group', 'resource'], 'Lists that the store answered.'),
  apiserver_storage_objects: gauge('STABLE', ['resource'], 'Stored objects by resource.', { deprecatedSince: 34 }),
  apiserver_storage_size_bytes: gauge('STABLE', ['storage_cluster_id'], 'Bytes that the store takes on its disk.'),
  apiserver_storage_transformation_duration_seconds: histogram(
    'ALPHA',
    ['transformation_type', 'transformer_prefix'],
    'Seconds that it took to encrypt or decrypt values.',
  ),
  apiserver_storage_transformation_operations_total: counter(
    'ALPHA',
    ['resource', 'status', 'transformation_type', 'transformer_prefix'],
    'Stored values that were encrypted or decrypted, by how that ended.',
  ),
  apiserver_terminated_watchers_total: counter(
    'ALPHA',
    ['group', 'resource'],
    'Watches whose clients did not keep up.',
  ),
  apiserver_watch_cache_consistent_read_total: counter(
    'ALPHA',
    ['group', 'resource', 'success', 'fallback'],
    'Lists of the latest state, by what answered.',
  ),
  apiserver_watch_cache_events_dispatched_total: counter(
    'ALPHA',
    ['group', 'resource'],
    'Changes that the cache sent to watches.',
  ),
  apiserver_watch_cache_events_received_total: counter(
    'ALPHA',
    ['group', 'resource'],
    'Changes that came to the cache.',
  ),
  apiserver_watch_cache_initializations_total: counter(
    'ALPHA',
    ['group', 'resource'],
    'How often the cache was filled.',
  ),
  apiserver_watch_cache_read_wait_seconds: histogram(
    'ALPHA',
    ['group', 'resource'],
    'Seconds that reads waited for the cache.',
  ),
  apiserver_watch_cache_resource_version: gauge(
    'ALPHA',
    ['group', 'resource'],
    'The version that the cache has reached.',
  ),
  apiserver_watch_events_sizes: histogram(
    'ALPHA',
    ['group', 'resource', 'version'],
    'Bytes of events that were sent to watches.',
  ),
  apiserver_watch_events_total: counter('ALPHA', ['group', 'resource', 'version'], 'Events that were sent to watches.'),
  apiserver_watch_list_duration_seconds: histogram(
    'BETA',
    ['group', 'resource', 'scope', 'version'],
    'Seconds it took to send the state that watches begin with.',
  ),
  etcd_bookmark_total: counter('ALPHA', ['group', 'resource'], 'Reports of the progress of the store.'),
  etcd_lease_object_counts: histogram('ALPHA', [], 'Objects that shared a lease of etcd.'),
  etcd_request_duration_seconds: histogram(
    'ALPHA',
    ['operation', 'group', 'resource'],
    'Seconds that requests to the store took.',
  ),
  etcd_request_errors_total: counter('ALPHA', ['group', 'operation', 'resource'], 'Requests to the store that failed.'),
  etcd_requests_total: counter('ALPHA', ['operation', 'group', 'resource'], 'Requests to the store.'),
  grpc_client_handled_total: counter(
    'ALPHA',
    ['grpc_code', 'grpc_method', 'grpc_service', 'grpc_type'],
    'Calls to etcd that ended, by their code.',
  ),
  grpc_client_msg_received_total: counter(
    'ALPHA',
    ['grpc_method', 'grpc_service', 'grpc_type'],
    'Messages that came from etcd.',
  ),
  grpc_client_msg_sent_total: counter(
    'ALPHA',
    ['grpc_method', 'grpc_service', 'grpc_type'],
    'Messages that etcd was sent.',
  ),
  grpc_client_started_total: counter('ALPHA', ['grpc_method', 'grpc_service', 'grpc_type'], 'Calls to etcd.'),
  watch_cache_capacity: gauge('ALPHA', ['group', 'resource'], 'Changes that the cache keeps for watches.'),
};
