// How far metrics can be relied upon to stay as they are.

const stable = `
  apiserver_admission_controller_admission_duration_seconds apiserver_admission_step_admission_duration_seconds
  apiserver_admission_webhook_admission_duration_seconds apiserver_current_inflight_requests apiserver_longrunning_requests apiserver_request_duration_seconds
  apiserver_request_total apiserver_requested_deprecated_apis apiserver_response_sizes apiserver_storage_objects
  apiserver_storage_size_bytes`;

const beta = `
  apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds
  apiserver_authentication_config_controller_automatic_reloads_total
  apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds
  apiserver_authorization_config_controller_automatic_reloads_total
  apiserver_validating_admission_policy_check_duration_seconds apiserver_validating_admission_policy_check_total
  apiserver_cel_compilation_duration_seconds apiserver_cel_evaluation_duration_seconds
  apiserver_flowcontrol_current_executing_requests apiserver_flowcontrol_current_executing_seats
  apiserver_flowcontrol_current_inqueue_requests apiserver_flowcontrol_dispatched_requests_total
  apiserver_flowcontrol_nominal_limit_seats apiserver_flowcontrol_rejected_requests_total
  apiserver_flowcontrol_request_wait_duration_seconds
  apiserver_storage_events_received_total apiserver_validation_declarative_validation_mismatch_total
  apiserver_validation_declarative_validation_panic_total apiserver_watch_list_duration_seconds
  disabled_metrics_total hidden_metrics_total kubernetes_build_info kubernetes_feature_enabled
  registered_metrics_total workqueue_adds_total workqueue_depth workqueue_longest_running_processor_seconds
  workqueue_queue_duration_seconds workqueue_retries_total workqueue_unfinished_work_seconds
  workqueue_work_duration_seconds`;

const levels = new Map<string, 'STABLE' | 'BETA'>();
for (const name of stable.trim().split(/\s+/)) levels.set(name, 'STABLE');
for (const name of beta.trim().split(/\s+/)) levels.set(name, 'BETA');

export const stabilityOf = (name: string): 'STABLE' | 'BETA' | 'ALPHA' => levels.get(name) ?? 'ALPHA';
