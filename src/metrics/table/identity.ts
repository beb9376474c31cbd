// Who callers are and what they may do.

import { counter, gauge, histogram } from '../metric-entry.ts';

export const identityTable = {
  apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds: gauge(
    'BETA',
    ['apiserver_id_hash', 'status'],
    'When the file changed last.',
  ),
  apiserver_authentication_config_controller_automatic_reloads_total: counter(
    'BETA',
    ['apiserver_id_hash', 'status'],
    'Changes of the configuration file.',
  ),
  apiserver_authentication_config_controller_last_config_info: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'hash'],
    'The configuration file in use.',
  ),
  apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'hash', 'jwt_issuer_hash'],
    'The keys of issuers that were found last.',
  ),
  apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'jwt_issuer_hash', 'result'],
    'When keys of issuers were last fetched.',
  ),
  apiserver_authentication_jwt_authenticator_latency_seconds: histogram(
    'ALPHA',
    ['jwt_issuer_hash', 'result'],
    'Seconds spent on tokens of configured issuers.',
  ),
  apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds: gauge(
    'BETA',
    ['apiserver_id_hash', 'status'],
    'When the configuration of authorizers was last reloaded.',
  ),
  apiserver_authorization_config_controller_automatic_reloads_total: counter(
    'BETA',
    ['apiserver_id_hash', 'status'],
    'Reloads of the configuration of authorizers, by how they ended.',
  ),
  apiserver_authorization_config_controller_last_config_info: gauge(
    'ALPHA',
    ['apiserver_id_hash', 'hash'],
    'The configuration of authorizers in use.',
  ),
  apiserver_authorization_decisions_total: counter(
    'ALPHA',
    ['decision', 'name', 'type'],
    'Decisions of authorizers that allowed or denied something.',
  ),
  apiserver_authorization_match_condition_evaluation_errors_total: counter(
    'ALPHA',
    ['name', 'type'],
    'Questions for which the conditions of an authorizer could not be computed.',
  ),
  apiserver_authorization_match_condition_evaluation_seconds: histogram(
    'ALPHA',
    ['name', 'type'],
    'Seconds spent on conditions of authorizers.',
  ),
  apiserver_authorization_match_condition_exclusions_total: counter(
    'ALPHA',
    ['name', 'type'],
    'Questions that the conditions of an authorizer kept from it.',
  ),
  apiserver_authorization_webhook_duration_seconds: histogram(
    'ALPHA',
    ['name', 'result'],
    'Seconds that calls of authorization webhooks took.',
  ),
  apiserver_authorization_webhook_evaluations_fail_open_total: counter(
    'ALPHA',
    ['name', 'result'],
    'Questions that went on to others because a webhook gave no answer.',
  ),
  apiserver_authorization_webhook_evaluations_total: counter(
    'ALPHA',
    ['name', 'result'],
    'Calls of authorization webhooks.',
  ),
  apiserver_client_certificate_expiration_seconds: histogram(
    'ALPHA',
    [],
    'Seconds for which certificates of clients are still valid.',
  ),
  apiserver_impersonation_attempts_duration_seconds: histogram(
    'ALPHA',
    ['mode', 'decision'],
    'Seconds of these: Requests of callers who act as another user, by mode and outcome.',
  ),
  apiserver_impersonation_attempts_total: counter(
    'ALPHA',
    ['mode', 'decision'],
    'Requests of callers who act as another user, by mode and outcome.',
  ),
  apiserver_impersonation_authorization_attempts_duration_seconds: histogram(
    'ALPHA',
    ['mode', 'decision'],
    'Seconds of these: Questions about acting as another user, by mode and outcome.',
  ),
  apiserver_impersonation_authorization_attempts_total: counter(
    'ALPHA',
    ['mode', 'decision'],
    'Questions about acting as another user, by mode and outcome.',
  ),
  authenticated_user_requests: counter('ALPHA', ['username'], 'Requests of known users, by a few names.'),
  authentication_attempts: counter('ALPHA', ['result'], 'Attempts to be recognised, by their result.'),
  authentication_duration_seconds: histogram(
    'ALPHA',
    ['result'],
    'Seconds that it took to recognise callers, by the result.',
  ),
  authentication_token_cache_fetch_total: counter('ALPHA', ['status'], 'Signatures of tokens that were checked.'),
  authentication_token_cache_request_duration_seconds: histogram(
    'ALPHA',
    ['status'],
    'Seconds until a token was known, by whether its signature was.',
  ),
  authentication_token_cache_request_total: counter(
    'ALPHA',
    ['status'],
    'Tokens by whether their signature was known.',
  ),
  authorization_attempts_total: counter('ALPHA', ['result'], 'Requests by the result of authorization.'),
  authorization_duration_seconds: histogram('ALPHA', ['result'], 'Seconds that authorization took, by its result.'),
  node_authorizer_graph_actions_duration_seconds: histogram(
    'ALPHA',
    ['operation'],
    'Seconds that changes of the graph took.',
  ),
  serviceaccount_invalid_legacy_auto_token_uses_total: counter(
    'ALPHA',
    [],
    'Of those, of Secrets that are marked as invalid; they were refused.',
  ),
  serviceaccount_legacy_auto_token_uses_total: counter('ALPHA', [], 'Of those, of Secrets that accounts mention.'),
  serviceaccount_legacy_manual_token_uses_total: counter('ALPHA', [], 'Of those, of other Secrets.'),
  serviceaccount_legacy_tokens_total: counter('ALPHA', [], 'Uses of tokens of Secrets.'),
  serviceaccount_stale_tokens_total: counter('ALPHA', [], 'Uses of tokens that should have been renewed.'),
  serviceaccount_valid_tokens_total: counter('ALPHA', [], 'Uses of tokens before they should have been renewed.'),
};
