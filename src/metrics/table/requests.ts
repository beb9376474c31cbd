// Requests and their answers.

import { counter, gauge, histogram } from '../metric-entry.ts';

export const requestTable = {
  apiserver_current_inflight_requests: gauge('STABLE', ['request_kind'], 'Requests whose answer has not begun.', {
    threads: 'sum',
  }),
  apiserver_longrunning_requests: gauge(
    'STABLE',
    ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Watches and connections that are open.',
    { threads: 'sum' },
  ),
  apiserver_request_aborts_total: counter(
    'ALPHA',
    ['group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Answers that had begun and were broken off.',
  ),
  apiserver_request_body_size_bytes: histogram(
    'ALPHA',
    ['group', 'resource', 'verb'],
    'Bytes of the bodies of requests, by resource and verb.',
  ),
  apiserver_request_duration_seconds: histogram(
    'STABLE',
    ['component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Seconds until the answer began, by verb, resource and scope.',
  ),
  apiserver_request_filter_duration_seconds: histogram(
    'ALPHA',
    ['filter'],
    'Seconds that stages before the handler took.',
  ),
  apiserver_request_post_timeout_total: counter(
    'ALPHA',
    ['source', 'status'],
    'Work that ended after its request was answered with a timeout, by how it ended.',
  ),
  apiserver_request_sli_duration_seconds: histogram(
    'ALPHA',
    ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Seconds until the answer began, without those spent in webhooks.',
  ),
  apiserver_request_terminations_total: counter(
    'ALPHA',
    ['code', 'component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Requests that the server ended in self-defence.',
  ),
  apiserver_request_total: counter(
    'STABLE',
    ['code', 'component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Requests by verb, resource, scope and HTTP response code.',
  ),
  apiserver_requested_deprecated_apis: gauge(
    'STABLE',
    ['group', 'removed_release', 'resource', 'subresource', 'version'],
    'Deprecated APIs that were requested, with the release that no longer has them.',
  ),
  apiserver_response_sizes: histogram(
    'STABLE',
    ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    'Bytes of the answers to reads, by verb, resource and scope.',
  ),
  apiserver_selfrequest_total: counter(
    'ALPHA',
    ['group', 'resource', 'subresource', 'verb'],
    'Requests that the server made of itself.',
  ),
  field_validation_request_duration_seconds: histogram(
    'ALPHA',
    ['field_validation'],
    'Seconds until the answer began, by what happens to unknown fields.',
  ),
  go_goroutines: gauge(
    'ALPHA',
    [],
    'Requests under way, open watches and connections, and threads: the counterpart of goroutines.',
    { threads: 'sum' },
  ),
  rest_client_requests_total: counter(
    'ALPHA',
    ['code', 'host', 'method'],
    'Requests that the server sent to itself, by method and code.',
  ),
};
