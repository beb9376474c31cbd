// Options of audit: optional outside, complete inside.

import type { BatchConfig } from '../audit/batching.ts';
import { type LogFormat, logFormats } from '../audit/log-backend.ts';
import { auditVersion } from '../audit/policy.ts';
import type { RotationConfig } from '../audit/rotating-file.ts';
import type { Dialect } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import { checkNames } from './option-types.ts';

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const;
type AuditMode = (typeof auditModes)[number];

export interface AuditOptions {
  /** File with the policy; nothing is recorded without one. */
  readonly policyFile?: string;
  /** Lines in a file. */
  readonly log?: AuditLogOptions;
  /** Lists of events posted to another server. */
  readonly webhook?: AuditWebhookOptions;
}

/** How events get to a backend. */
interface AuditDeliveryOptions {
  /** `batch` does not hold up requests, `blocking` does, `blocking-strict` refuses what cannot be recorded. */
  readonly mode?: AuditMode;
  /** Events that may wait for a batch; more are dropped. */
  readonly batchBufferSize?: number;
  /** Events in a batch. */
  readonly batchMaxSize?: number;
  /** How long a batch waits to become full, in seconds. */
  readonly batchMaxWaitSeconds?: number;
  /** Whether there is a limit of batches a second. */
  readonly batchThrottleEnable?: boolean;
  /** Batches a second on average. */
  readonly batchThrottleQps?: number;
  /** Batches that may be sent at once. */
  readonly batchThrottleBurst?: number;
  /** Whether long events lose their bodies and long batches are split. */
  readonly truncateEnabled?: boolean;
  /** Where a long event begins, in bytes. */
  readonly truncateMaxEventSize?: number;
  /** Where a long batch begins, in bytes. */
  readonly truncateMaxBatchSize?: number;
  /** Group and version of the events; there is only v1. */
  readonly version?: string;
}

export interface AuditLogOptions extends AuditDeliveryOptions {
  /** The file; `-` for the standard output. */
  readonly path?: string;
  /** `json`, or `legacy` for a line of text. */
  readonly format?: LogFormat;
  /** Days to keep old files; 0 for ever, 366 when not given. */
  readonly maxAge?: number;
  /** Old files to keep; 0 for all, 100 when not given. */
  readonly maxBackup?: number;
  /** Size of a file before another one is begun, in megabytes. */
  readonly maxSize?: number;
  /** Whether old files are compressed. */
  readonly compress?: boolean;
}

export interface AuditWebhookOptions extends AuditDeliveryOptions {
  /** Kubeconfig with the address of the other server. */
  readonly configFile?: string;
  /** How long to wait before the second attempt, in seconds; later ones wait longer. */
  readonly initialBackoffSeconds?: number;
}

export interface AuditDelivery {
  readonly mode: AuditMode;
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

type DeliveryDefaults = Required<Omit<AuditDeliveryOptions, 'version'>>;

const shared = {
  batchBufferSize: 10_000,
  batchMaxWaitSeconds: 30,
  batchThrottleQps: 10,
  batchThrottleBurst: 15,
  truncateEnabled: false,
  truncateMaxEventSize: 100 * 1024,
  truncateMaxBatchSize: 10 * 1024 * 1024,
} as const;
/** Lines are written together anyway, there is no use in batches. */
const logDefaults: DeliveryDefaults = { ...shared, mode: 'blocking', batchMaxSize: 1, batchThrottleEnable: false };
const webhookDefaults: DeliveryDefaults = { ...shared, mode: 'batch', batchMaxSize: 400, batchThrottleEnable: true };

const deliveryNames: Record<keyof AuditDeliveryOptions, true> = {
  ...{ mode: true, batchBufferSize: true, batchMaxSize: true, batchMaxWaitSeconds: true, batchThrottleEnable: true },
  ...{ batchThrottleQps: true, batchThrottleBurst: true, truncateEnabled: true, truncateMaxEventSize: true },
  ...{ truncateMaxBatchSize: true, version: true },
};
const logNames: Record<keyof AuditLogOptions, true> = {
  ...deliveryNames,
  ...{ path: true, format: true, maxAge: true, maxBackup: true, maxSize: true, compress: true },
};
const webhookNames: Record<keyof AuditWebhookOptions, true> = {
  ...deliveryNames,
  ...{ configFile: true, initialBackoffSeconds: true },
};
const auditNames: Record<keyof AuditOptions, true> = { policyFile: true, log: true, webhook: true };

/** Undefined where nothing is configured. */
export function resolveAudit(options: AuditOptions, dialect: Dialect): AuditConfig | undefined {
  const { policyFile, log, webhook } = options;
  checkNames('audit', options, auditNames);
  checkNames('audit.log', log ?? {}, logNames);
  checkNames('audit.webhook', webhook ?? {}, webhookNames);
  const resolvedLog = log?.path === undefined ? undefined : resolveLog(log, log.path, dialect);
  const resolvedWebhook =
    webhook?.configFile === undefined ? undefined : resolveWebhook(webhook, webhook.configFile, dialect);
  if (policyFile === undefined && resolvedLog === undefined && resolvedWebhook === undefined) return undefined;
  return { policyFile, log: resolvedLog, webhook: resolvedWebhook };
}

const megabyte = 1024 * 1024;

function resolveLog(options: AuditLogOptions, path: string, dialect: Dialect): NonNullable<AuditConfig['log']> {
  const { format = 'json', maxAge = 366, maxBackup = 100, maxSize = 100, compress = false } = options;
  if (!logFormats.includes(format))
    throw new OptionError(`audit.log.format: ${JSON.stringify(format)} is not one of ${logFormats.join(', ')}`);
  for (const [name, value] of Object.entries({ maxAge, maxBackup, maxSize })) notNegative(`audit.log.${name}`, value);
  const file = {
    path,
    maxBytes: (maxSize || 100) * megabyte,
    maxBackups: maxBackup,
    maxAgeDays: maxAge,
    compresses: compress,
  };
  return {
    file: path === '-' ? 'stdout' : file,
    format,
    delivery: resolveDelivery('log', options, logDefaults, dialect),
  };
}

function resolveWebhook(
  options: AuditWebhookOptions,
  configFile: string,
  dialect: Dialect,
): NonNullable<AuditConfig['webhook']> {
  const seconds = positive('audit.webhook.initialBackoffSeconds', options.initialBackoffSeconds ?? 10);
  const delivery = resolveDelivery('webhook', options, webhookDefaults, dialect);
  return { configFile, initialBackoffMs: seconds * 1000, delivery };
}

function resolveDelivery(
  backend: 'log' | 'webhook',
  given: AuditDeliveryOptions,
  defaults: DeliveryDefaults,
  dialect: Dialect,
): AuditDelivery {
  const at = (name: keyof AuditDeliveryOptions) => `audit.${backend}.${name}`;
  const all = { ...defaults, ...given };
  if (!auditModes.includes(all.mode))
    throw new OptionError(`${at('mode')}: ${JSON.stringify(all.mode)} is not one of ${auditModes.join(', ')}`);
  if (given.version !== undefined && given.version !== auditVersion(dialect))
    throw new OptionError(`${at('version')}: ${JSON.stringify(given.version)} is not ${auditVersion(dialect)}`);
  if (all.mode === 'batch') checkBatch(all, at);
  positive(at('truncateMaxEventSize'), all.truncateMaxEventSize);
  if (all.truncateMaxBatchSize < all.truncateMaxEventSize)
    throw new OptionError(`${at('truncateMaxBatchSize')}: must not be less than ${at('truncateMaxEventSize')}`);
  return {
    mode: all.mode,
    maxEventSize: all.truncateEnabled ? all.truncateMaxEventSize : undefined,
    batch: {
      bufferSize: all.batchBufferSize,
      maxBatchSize: all.batchMaxSize,
      maxBatchWaitMs: all.batchMaxWaitSeconds * 1000,
      throttle: all.batchThrottleEnable ? { qps: all.batchThrottleQps, burst: all.batchThrottleBurst } : undefined,
      maxBatchBytes: all.truncateEnabled ? all.truncateMaxBatchSize : undefined,
    },
  };
}

function checkBatch(all: DeliveryDefaults, at: (name: keyof AuditDeliveryOptions) => string): void {
  positive(at('batchBufferSize'), all.batchBufferSize);
  positive(at('batchMaxSize'), all.batchMaxSize);
  positive(at('batchMaxWaitSeconds'), all.batchMaxWaitSeconds);
  if (!all.batchThrottleEnable) return;
  positive(at('batchThrottleQps'), all.batchThrottleQps);
  positive(at('batchThrottleBurst'), all.batchThrottleBurst);
}

function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new OptionError(`${name}: ${value} is not a positive number`);
}

function notNegative(name: string, value: number): void {
  if (!(value >= 0 && Number.isFinite(value))) throw new OptionError(`${name}: ${value} is negative`);
}
