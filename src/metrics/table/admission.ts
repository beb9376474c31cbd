// Admission plugins, webhooks and policies, and conversions by webhooks.

import { counter, gauge, histogram, summary } from '../metric-entry.ts';

export const admissionTable = {
  apiserver_admission_controller_admission_duration_seconds: histogram(
    'STABLE',
    ['name', 'operation', 'rejected', 'type'],
    'Seconds that a plugin of admission took.',
  ),
  apiserver_admission_match_condition_evaluation_errors_total: counter(
    'ALPHA',
    ['kind', 'name', 'operation', 'type'],
    'Match conditions of webhooks and policies that could not be evaluated.',
  ),
  apiserver_admission_match_condition_evaluation_seconds: histogram(
    'ALPHA',
    ['kind', 'name', 'operation', 'type'],
    'Seconds that match conditions took that did not hold or could not be evaluated.',
  ),
  apiserver_admission_match_condition_exclusions_total: counter(
    'ALPHA',
    ['kind', 'name', 'operation', 'type'],
    'Requests that the match conditions of a webhook left out.',
  ),
  apiserver_admission_step_admission_duration_seconds: histogram(
    'STABLE',
    ['operation', 'rejected', 'type'],
    'Seconds that a step of admission took.',
  ),
  apiserver_admission_step_admission_duration_seconds_summary: summary(
    'ALPHA',
    ['operation', 'rejected', 'type'],
    'Seconds that a step of admission took, of the last requests.',
  ),
  apiserver_admission_webhook_admission_duration_seconds: histogram(
    'STABLE',
    ['name', 'operation', 'rejected', 'type'],
    'Seconds that calls of admission webhooks took.',
  ),
  apiserver_admission_webhook_fail_open_count: counter(
    'ALPHA',
    ['name', 'type'],
    'Requests that were carried out although an admission webhook could not be called.',
  ),
  apiserver_admission_webhook_rejection_count: counter(
    'ALPHA',
    ['error_type', 'name', 'operation', 'rejection_code', 'type'],
    'Requests that admission webhooks, or their failure, kept from being carried out.',
  ),
  apiserver_admission_webhook_request_total: counter(
    'ALPHA',
    ['code', 'name', 'operation', 'rejected', 'type'],
    'Calls of admission webhooks.',
  ),
  apiserver_conversion_webhook_duration_seconds: histogram(
    'ALPHA',
    ['failure_type', 'result'],
    'Seconds that calls of conversion webhooks took.',
  ),
  apiserver_conversion_webhook_request_total: counter(
    'ALPHA',
    ['failure_type', 'result'],
    'Calls of conversion webhooks by how they ended.',
  ),
  apiserver_crd_conversion_webhook_duration_seconds: histogram(
    'ALPHA',
    ['crd_name', 'from_version', 'succeeded', 'to_version'],
    'Seconds that conversions by webhooks took.',
  ),
  apiserver_kube_aggregator_x509_insecure_sha1_total: counter(
    'ALPHA',
    [],
    'Requests to servers, or failures to connect to them, with a certificate signed by SHA-1.',
  ),
  apiserver_kube_aggregator_x509_missing_san_total: counter(
    'ALPHA',
    [],
    'Requests to servers, or failures to connect to them, without alternative names in their certificate.',
  ),
  apiserver_manifest_admission_config_controller_automatic_reload_last_timestamp_seconds: gauge(
    'ALPHA',
    ['status', 'plugin', 'apiserver_id_hash'],
    'When admission manifests were last reloaded.',
  ),
  apiserver_manifest_admission_config_controller_automatic_reloads_total: counter(
    'ALPHA',
    ['status', 'plugin', 'apiserver_id_hash'],
    'Reloads of admission manifests, by how they ended.',
  ),
  apiserver_manifest_admission_config_controller_last_config_info: gauge(
    'ALPHA',
    ['plugin', 'apiserver_id_hash', 'hash'],
    'The admission manifests in use, by plugin.',
  ),
  apiserver_mutating_admission_policy_check_duration_seconds: histogram(
    'ALPHA',
    ['error_type', 'policy', 'policy_binding'],
    'Seconds that such expressions of mutating admission policies took.',
  ),
  apiserver_mutating_admission_policy_check_total: counter(
    'ALPHA',
    ['error_type', 'policy', 'policy_binding'],
    'Expressions of mutating admission policies that failed or had an effect.',
  ),
  apiserver_validating_admission_policy_check_duration_seconds: histogram(
    'BETA',
    ['enforcement_action', 'error_type', 'policy', 'policy_binding'],
    'Seconds that such expressions of validating admission policies took.',
  ),
  apiserver_validating_admission_policy_check_total: counter(
    'BETA',
    ['enforcement_action', 'error_type', 'policy', 'policy_binding'],
    'Expressions of validating admission policies that failed or had an effect.',
  ),
  apiserver_webhooks_x509_insecure_sha1_total: counter(
    'ALPHA',
    [],
    'Requests to servers, or failures to connect to them, with a certificate signed by SHA-1.',
  ),
  apiserver_webhooks_x509_missing_san_total: counter(
    'ALPHA',
    [],
    'Requests to servers, or failures to connect to them, without alternative names in their certificate.',
  ),
  pod_security_evaluations_total: counter(
    'ALPHA',
    ['decision', 'policy_level', 'policy_version', 'mode', 'request_operation', 'resource', 'subresource'],
    'Pods, and objects that make pods, that were held to a standard.',
  ),
  pod_security_exemptions_total: counter(
    'ALPHA',
    ['request_operation', 'resource', 'subresource'],
    'Requests that no standard is for, by the configuration.',
  ),
};
