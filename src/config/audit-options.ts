// Options of audit: optional outside, complete inside.

import type { BatchConfig } from '../audit/batching.ts';
import type { LogFormat } from '../audit/log-backend.ts';
import { auditVersion } from '../audit/policy.ts';
import type { RotationConfig } from '../audit/rotating-file.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { CompleteOptions } from './option.ts';
import { positiveNumber } from './option-checks.ts';
import { OptionError } from './option-error.ts';
import { completed } from './option-types.ts';
import { type AuditOptions, auditLogOptions, auditMemberOptions, auditWebhookOptions } from './tables/audit.ts';

export interface AuditDelivery {
  readonly mode: Delivery['mode'];
  readonly batch: BatchConfig;
  readonly maxEventSize: number | undefined;
}

export interface AuditConfig {
  /** Nothing is recorded without a policy, or without a backend. */
  readonly policyFile: string | undefined;
  readonly log:
    | { readonly file: RotationConfig | 'stdout'; readonly format: LogFormat; readonly delivery: AuditDelivery }
    | undefined;
  readonly webhook:
    | { readonly configFile: string; readonly initialBackoffMs: number; readonly delivery: AuditDelivery }
    | undefined;
}

type Delivery = CompleteOptions<typeof auditLogOptions> | CompleteOptions<typeof auditWebhookOptions>;

/** Undefined where nothing is configured. */
export function resolveAudit(options: AuditOptions, dialect: Dialect): AuditConfig | undefined {
  const { policyFile, log = {}, webhook = {} } = completed(auditMemberOptions, options, 'audit.');
  const resolvedLog = resolveLog(completed(auditLogOptions, log, 'audit.log.'), dialect);
  const resolvedWebhook = resolveWebhook(completed(auditWebhookOptions, webhook, 'audit.webhook.'), dialect);
  if (policyFile === undefined && resolvedLog === undefined && resolvedWebhook === undefined) return undefined;
  return { policyFile, log: resolvedLog, webhook: resolvedWebhook };
}

const megabyte = 1024 * 1024;

function resolveLog(options: CompleteOptions<typeof auditLogOptions>, dialect: Dialect): AuditConfig['log'] {
  const { path, format } = options;
  if (path === undefined) return undefined;
  const file = {
    path,
    maxBytes: (options.maxSize || 100) * megabyte,
    maxBackups: options.maxBackup,
    maxAgeDays: options.maxAge,
    compresses: options.compress,
  };
  return { file: path === '-' ? 'stdout' : file, format, delivery: resolveDelivery('log', options, dialect) };
}

function resolveWebhook(
  options: CompleteOptions<typeof auditWebhookOptions>,
  dialect: Dialect,
): AuditConfig['webhook'] {
  const { configFile, initialBackoffSeconds } = options;
  if (configFile === undefined) return undefined;
  const delivery = resolveDelivery('webhook', options, dialect);
  return { configFile, initialBackoffMs: initialBackoffSeconds * 1000, delivery };
}

function resolveDelivery(backend: 'log' | 'webhook', options: Delivery, dialect: Dialect): AuditDelivery {
  const at = (name: keyof Delivery) => `audit.${backend}.${name}`;
  const { mode, version, truncateEnabled, truncateMaxEventSize, truncateMaxBatchSize } = options;
  if (version !== undefined && version !== auditVersion(dialect))
    throw new OptionError(`${at('version')}: ${JSON.stringify(version)} is not ${auditVersion(dialect)}`);
  if (mode === 'batch') checkBatch(options, at);
  if (truncateMaxBatchSize < truncateMaxEventSize)
    throw new OptionError(`${at('truncateMaxBatchSize')}: must not be less than ${at('truncateMaxEventSize')}`);
  return {
    mode,
    maxEventSize: truncateEnabled ? truncateMaxEventSize : undefined,
    batch: {
      bufferSize: options.batchBufferSize,
      maxBatchSize: options.batchMaxSize,
      maxBatchWaitMs: options.batchMaxWaitSeconds * 1000,
      throttle: options.batchThrottleEnable
        ? { qps: options.batchThrottleQps, burst: options.batchThrottleBurst }
        : undefined,
      maxBatchBytes: truncateEnabled ? truncateMaxBatchSize : undefined,
    },
  };
}

/** Only where there are batches: without them a zero does no harm. */
function checkBatch(options: Delivery, at: (name: keyof Delivery) => string): void {
  const limits = ['batchBufferSize', 'batchMaxSize', 'batchMaxWaitSeconds'] as const;
  const rates = ['batchThrottleQps', 'batchThrottleBurst'] as const;
  for (const name of options.batchThrottleEnable ? [...limits, ...rates] : limits) {
    const error = positiveNumber(options[name]);
    if (error !== undefined) throw new OptionError(`${at(name)}: ${error}`);
  }
}
