// Options of the audit log. Options of both backends are made by one function.

import { logFormats } from '../../audit/log-backend.ts';
import { type OptionsOf, option } from '../option.ts';
import { oneOfChoices, positiveNumber } from '../option-checks.ts';
import { duration, integer, number, object, oneOf, textOrNone, yesOrNo } from '../value-types.ts';

const auditModes = ['batch', 'blocking', 'blocking-strict'] as const;

const most = 2 ** 31 - 1;
const notNegative = (value: number) => (value >= 0 && Number.isFinite(value) ? undefined : `${value} is negative`);

interface DeliveryDefaults {
  readonly mode: (typeof auditModes)[number];
  readonly batchSize: string;
  readonly throttles: string;
}

const deliveryOptions = (backend: 'log' | 'webhook', { mode, batchSize, throttles }: DeliveryDefaults) => ({
  mode: option({
    type: oneOf(...auditModes),
    flag: `audit-${backend}-mode`,
    default: mode,
    help: 'Whether requests wait for their events, and whether those that cannot be recorded are refused.',
    check: oneOfChoices(auditModes),
  }),
  batchBufferSize: option({
    type: integer(1, most),
    flag: `audit-${backend}-batch-buffer-size`,
    default: '10000',
    help: 'Events that may wait in batch mode; more are dropped and counted.',
  }),
  batchMaxSize: option({
    type: integer(1, most),
    flag: `audit-${backend}-batch-max-size`,
    default: batchSize,
    help: 'Events in a batch.',
  }),
  batchMaxWaitSeconds: option({
    type: duration,
    flag: `audit-${backend}-batch-max-wait`,
    default: '30s',
    help: 'How long a batch waits to become full.',
  }),
  batchThrottleEnable: option({
    type: yesOrNo,
    flag: `audit-${backend}-batch-throttle-enable`,
    default: throttles,
    help: 'Whether batches a second are limited.',
  }),
  batchThrottleQps: option({
    type: number,
    flag: `audit-${backend}-batch-throttle-qps`,
    default: '10',
    help: 'Batches a second on average.',
  }),
  batchThrottleBurst: option({
    type: integer(0, most),
    flag: `audit-${backend}-batch-throttle-burst`,
    default: '15',
    help: 'Batches that may be sent at once after a pause.',
  }),
  truncateEnabled: option({
    type: yesOrNo,
    flag: `audit-${backend}-truncate-enabled`,
    default: 'false',
    help: 'Whether long events lose their bodies and long batches are split.',
  }),
  truncateMaxEventSize: option({
    type: integer(1, most),
    flag: `audit-${backend}-truncate-max-event-size`,
    default: '102400',
    help: 'Bytes an event may have.',
    check: positiveNumber,
  }),
  truncateMaxBatchSize: option({
    type: integer(1, most),
    flag: `audit-${backend}-truncate-max-batch-size`,
    default: '10485760',
    help: 'Bytes a batch may have.',
  }),
  version: option({
    type: textOrNone,
    flag: `audit-${backend}-version`,
    help: 'Group and version of the events; there is only v1.',
  }),
});

/** Lines in a file. They are written together anyway, so that there is no use in batches. */
export const auditLogOptions = {
  path: option({
    type: textOrNone,
    flag: 'audit-log-path',
    help: 'File that events are written to; - for the standard output.',
  }),
  format: option({
    type: oneOf(...logFormats),
    flag: 'audit-log-format',
    default: 'json',
    help: 'Format of the log: json, or the older legacy lines of text.',
    check: oneOfChoices(logFormats),
  }),
  maxAge: option({
    type: integer(0, most),
    flag: 'audit-log-maxage',
    default: '366',
    help: 'Days to keep old log files; 0 keeps them.',
    check: notNegative,
  }),
  maxBackup: option({
    type: integer(0, most),
    flag: 'audit-log-maxbackup',
    default: '100',
    help: 'Old log files to keep; 0 keeps all.',
    check: notNegative,
  }),
  maxSize: option({
    type: integer(0, most),
    flag: 'audit-log-maxsize',
    default: '100',
    help: 'Megabytes after which another log file is begun; 0 stands for 100.',
    check: notNegative,
  }),
  compress: option({
    type: yesOrNo,
    flag: 'audit-log-compress',
    default: 'false',
    help: 'Whether old log files are compressed.',
  }),
  ...deliveryOptions('log', { mode: 'blocking', batchSize: '1', throttles: 'false' }),
};

/** Lists of events posted to another server. */
export const auditWebhookOptions = {
  configFile: option({
    type: textOrNone,
    flag: 'audit-webhook-config-file',
    help: 'Kubeconfig of the server that lists of events are posted to.',
  }),
  initialBackoffSeconds: option({
    type: duration,
    flag: 'audit-webhook-initial-backoff',
    olderFlag: 'audit-webhook-batch-initial-backoff',
    default: '10s',
    help: 'How long to wait before the second attempt; later ones wait longer.',
    check: positiveNumber,
  }),
  ...deliveryOptions('webhook', { mode: 'batch', batchSize: '400', throttles: 'true' }),
};

interface AuditLogOptions extends OptionsOf<typeof auditLogOptions> {}
interface AuditWebhookOptions extends OptionsOf<typeof auditWebhookOptions> {}

/** The members of the option `audit`. */
export const auditMemberOptions = {
  policyFile: option({
    type: textOrNone,
    flag: 'audit-policy-file',
    help: 'Audit policy file: which requests are recorded; without it none are.',
  }),
  log: option({ type: object<AuditLogOptions>('AuditLogOptions'), help: 'Lines in a file.' }),
  webhook: option({
    type: object<AuditWebhookOptions>('AuditWebhookOptions'),
    help: 'Lists of events posted to another server.',
  }),
};

export interface AuditOptions extends OptionsOf<typeof auditMemberOptions> {}

export const auditOptions = {
  audit: option({
    type: object<AuditOptions>('AuditOptions', './tables/audit.ts'),
    help: 'The audit log: which requests are recorded, and where.',
  }),
};
