// The flags of audit. Flags that both backends have are made by one function.

import { logFormats } from '../audit/log-backend.ts';
import {
  type AuditLogOptions,
  type AuditOptions,
  type AuditWebhookOptions,
  auditModes,
} from '../config/audit-options.ts';
import { inGroup, shape, type Ungrouped } from './flag.ts';
import { duration, integer, number, oneOf, textOrNone, type ValueType, yesOrNo } from './flag-values.ts';

type Backend = 'log' | 'webhook';
type BackendOptions<B extends Backend> = B extends 'log' ? AuditLogOptions : AuditWebhookOptions;

interface AuditFlag<B extends Backend, K extends keyof BackendOptions<B>> {
  readonly name: string;
  readonly option: K & string;
  readonly type: ValueType<NonNullable<BackendOptions<B>[K]>>;
  readonly default?: string;
  readonly help: string;
}

/** A flag `--audit-<backend>-<name>`. */
function auditFlag<B extends Backend, K extends keyof BackendOptions<B>>(
  backend: B,
  { name, option, type, default: defaultText = '', help }: AuditFlag<B, K>,
): Ungrouped {
  return {
    name: `audit-${backend}-${name}`,
    option: `audit.${backend}.${option}`,
    help,
    placeholder: type.placeholder,
    defaultText,
    ...shape(type),
    set(options, value) {
      if (value === '' && type.isOptional) return;
      const audit: AuditOptions = options.audit ?? {};
      options.audit = { ...audit, [backend]: { ...audit[backend], [option]: type.parse(value) } };
    },
  };
}

const most = 2 ** 31 - 1;

function deliveryFlags(backend: Backend, defaults: { readonly mode: string; size: string; throttles: string }) {
  return [
    auditFlag(backend, {
      name: 'mode',
      option: 'mode',
      type: oneOf(...auditModes),
      default: defaults.mode,
      help: 'Whether requests wait for their events, and whether those that cannot be recorded are refused.',
    }),
    auditFlag(backend, {
      name: 'batch-buffer-size',
      option: 'batchBufferSize',
      type: integer(1, most),
      default: '10000',
      help: 'Events that may wait in batch mode; more are dropped and counted.',
    }),
    auditFlag(backend, {
      name: 'batch-max-size',
      option: 'batchMaxSize',
      type: integer(1, most),
      default: defaults.size,
      help: 'Events in a batch.',
    }),
    auditFlag(backend, {
      name: 'batch-max-wait',
      option: 'batchMaxWaitSeconds',
      type: duration,
      default: '30s',
      help: 'How long a batch waits to become full.',
    }),
    auditFlag(backend, {
      name: 'batch-throttle-enable',
      option: 'batchThrottleEnable',
      type: yesOrNo,
      default: defaults.throttles,
      help: 'Whether batches a second are limited.',
    }),
    auditFlag(backend, {
      name: 'batch-throttle-qps',
      option: 'batchThrottleQps',
      type: number,
      default: '10',
      help: 'Batches a second on average.',
    }),
    auditFlag(backend, {
      name: 'batch-throttle-burst',
      option: 'batchThrottleBurst',
      type: integer(0, most),
      default: '15',
      help: 'Batches that may be sent at once after a pause.',
    }),
    auditFlag(backend, {
      name: 'truncate-enabled',
      option: 'truncateEnabled',
      type: yesOrNo,
      default: 'false',
      help: 'Whether long events lose their bodies and long batches are split.',
    }),
    auditFlag(backend, {
      name: 'truncate-max-event-size',
      option: 'truncateMaxEventSize',
      type: integer(1, most),
      default: '102400',
      help: 'Bytes an event may have.',
    }),
    auditFlag(backend, {
      name: 'truncate-max-batch-size',
      option: 'truncateMaxBatchSize',
      type: integer(1, most),
      default: '10485760',
      help: 'Bytes a batch may have.',
    }),
    auditFlag(backend, {
      name: 'version',
      option: 'version',
      type: textOrNone,
      help: 'Group and version of the events; there is only v1.',
    }),
  ];
}

const policyFile: Ungrouped = {
  name: 'audit-policy-file',
  option: 'audit.policyFile',
  help: 'Audit policy file: which requests are recorded; without it none are.',
  placeholder: textOrNone.placeholder,
  defaultText: '',
  set(options, value) {
    if (value !== '') options.audit = { ...options.audit, policyFile: value };
  },
};

export const auditFlags = inGroup('Audit', [
  policyFile,
  auditFlag('log', {
    name: 'path',
    option: 'path',
    type: textOrNone,
    help: 'File that events are written to; - for the standard output.',
  }),
  auditFlag('log', {
    name: 'format',
    option: 'format',
    type: oneOf(...logFormats),
    default: 'json',
    help: 'Format of the log: json, or the older legacy lines of text.',
  }),
  auditFlag('log', {
    name: 'maxage',
    option: 'maxAge',
    type: integer(0, most),
    default: '366',
    help: 'Days to keep old log files; 0 keeps them.',
  }),
  auditFlag('log', {
    name: 'maxbackup',
    option: 'maxBackup',
    type: integer(0, most),
    default: '100',
    help: 'Old log files to keep; 0 keeps all.',
  }),
  auditFlag('log', {
    name: 'maxsize',
    option: 'maxSize',
    type: integer(0, most),
    default: '100',
    help: 'Megabytes after which another log file is begun; 0 stands for 100.',
  }),
  auditFlag('log', {
    name: 'compress',
    option: 'compress',
    type: yesOrNo,
    default: 'false',
    help: 'Whether old log files are compressed.',
  }),
  ...deliveryFlags('log', { mode: 'blocking', size: '1', throttles: 'false' }),
  auditFlag('webhook', {
    name: 'config-file',
    option: 'configFile',
    type: textOrNone,
    help: 'Kubeconfig of the server that lists of events are posted to.',
  }),
  auditFlag('webhook', {
    name: 'initial-backoff',
    option: 'initialBackoffSeconds',
    type: duration,
    default: '10s',
    help: 'How long to wait before the second attempt; later ones wait longer.',
  }),
  {
    ...auditFlag('webhook', {
      name: 'batch-initial-backoff',
      option: 'initialBackoffSeconds',
      type: duration,
      default: '10s',
      help: 'The same under its older name.',
    }),
    deprecated: 'use --audit-webhook-initial-backoff',
  },
  ...deliveryFlags('webhook', { mode: 'batch', size: '400', throttles: 'true' }),
]);
