// The audit engine of a configuration: its policy read, its backends opened.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Auditor } from '../audit/auditor.ts';
import { type AuditBackend, AuditCounts, type Complain, lossReporter } from '../audit/backend.ts';
import { BatchingBackend } from '../audit/batching.ts';
import { blocking } from '../audit/blocking.ts';
import { LogBackend, streamSink } from '../audit/log-backend.ts';
import { auditVersion, levels, type Policy, readPolicy } from '../audit/policy.ts';
import { RotatingFile } from '../audit/rotating-file.ts';
import { truncating } from '../audit/truncation.ts';
import { type PostEvents, WebhookBackend } from '../audit/webhook-backend.ts';
import { type Connection, connect } from '../client/connect.ts';
import { loadKubeconfig } from '../client/kubeconfig/load.ts';
import type { AuditConfig, AuditDelivery } from '../config/audit-options.ts';
import { OptionError } from '../config/option-error.ts';
import { readOptionFile, type ServerConfig } from '../config/options.ts';
import { apiGroup } from '../meta/dialect.ts';
import { type MetricSource, metric, plainMetric } from '../metrics/metric-source.ts';

/** Undefined where nothing is recorded. In a serving thread, `elsewhere` takes the events to the main thread. */
export async function openAudit(config: ServerConfig, elsewhere?: AuditBackend): Promise<Auditor | undefined> {
  const { audit, clock, dialect, log } = config;
  if (audit === undefined) return undefined;
  const policy = await policyOf(audit, config);
  const missing = missingPart(audit);
  if (missing !== undefined) log.warn({}, missing);
  if (policy === undefined || missing !== undefined) return undefined;
  const counts = new AuditCounts();
  const lost = lossReporter(counts, complainer(config));
  const backends = elsewhere === undefined ? await openBackends(audit, config, lost) : [elsewhere];
  return new Auditor({ policy, backends, counts, clock, dialect });
}

/** Why nothing is recorded. */
function missingPart({ policyFile, log, webhook }: AuditConfig): string | undefined {
  if (policyFile === undefined)
    return 'no requests are recorded: audit needs a policy, the file of --audit-policy-file';
  if (log === undefined && webhook === undefined)
    return 'no requests are recorded: --audit-policy-file needs --audit-log-path or --audit-webhook-config-file';
  return undefined;
}

/** Reads the files that an audit configuration names. Throws an OptionError where `openAudit` would. */
export async function checkAudit(config: ServerConfig): Promise<void> {
  const { audit } = config;
  if (audit === undefined) return;
  await policyOf(audit, config);
  if (audit.webhook !== undefined) (await connected(audit.webhook.configFile, config)).close();
  if (audit.log !== undefined && audit.log.file !== 'stdout') checkLogPath(audit.log.file.path);
}

/** The file is made with its folder when the server starts. */
function checkLogPath(path: string): void {
  try {
    const existing = existingPart(resolve(path));
    const isFolder = statSync(existing).isDirectory();
    if (isFolder === (existing === resolve(path)))
      throw new Error(`${existing} is ${isFolder ? 'a folder' : 'not a folder'}`);
    accessSync(existing, constants.W_OK);
  } catch (error) {
    throw new OptionError(`audit.log.path: ${(error as Error).message}`);
  }
}

const existingPart = (path: string): string => (existsSync(path) ? path : existingPart(dirname(path)));

async function policyOf({ policyFile }: AuditConfig, { dialect }: ServerConfig): Promise<Policy | undefined> {
  if (policyFile === undefined) return undefined;
  const bytes = readOptionFile('audit.policyFile', policyFile);
  try {
    return await readPolicy(bytes, dialect);
  } catch (error) {
    throw new OptionError(`audit.policyFile: ${policyFile}: ${(error as Error).message}`);
  }
}

/** A backend that is dead fails for every event: it is worth a line now and then. */
const quietMs = 10_000;

function complainer({ log, clock }: ServerConfig): Complain {
  const last = new Map<string, number>();
  return (plugin, events, error) => {
    if (clock.now() - (last.get(plugin) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    last.set(plugin, clock.now());
    log.warn({ plugin, events, err: error }, 'audit events were lost');
  };
}

async function openBackends(
  audit: AuditConfig,
  config: ServerConfig,
  lost: Complain,
): Promise<readonly AuditBackend[]> {
  return [
    ...(audit.log === undefined ? [] : [await openLog(audit.log, config, lost)]),
    ...(audit.webhook === undefined ? [] : [await openWebhook(audit.webhook, config, lost)]),
  ];
}

async function openLog(
  { file, format, delivery }: NonNullable<AuditConfig['log']>,
  config: ServerConfig,
  lost: Complain,
): Promise<AuditBackend> {
  const { dialect, log, clock } = config;
  const sink =
    file === 'stdout'
      ? streamSink(process.stdout)
      : new RotatingFile(file, clock, (error) =>
          log.warn({ err: error }, 'old audit logs could not be compressed or removed'),
        );
  if (sink instanceof RotatingFile) await opened(sink);
  const backend = new LogBackend(sink, { format, apiVersion: auditVersion(dialect) }, lost);
  return delivered(backend, delivery, config, lost);
}

async function opened(file: RotatingFile): Promise<void> {
  try {
    await file.open();
  } catch (error) {
    throw new OptionError(`audit.log.path: ${(error as Error).message}`);
  }
}

/** An answer that takes longer is none. */
const webhookTimeoutMs = 30_000;
/** Bytes of an answer that are read; the server does not use them. */
const maxWebhookAnswer = 64 * 1024;

async function openWebhook(
  { configFile, initialBackoffMs, delivery }: NonNullable<AuditConfig['webhook']>,
  config: ServerConfig,
  lost: Complain,
): Promise<AuditBackend> {
  const { clock, dialect } = config;
  const { transport, close } = await connected(configFile, config);
  const post: PostEvents = async (text, signal) => {
    const request = {
      method: 'POST',
      path: `?timeout=${webhookTimeoutMs / 1000}s`,
      body: Buffer.from(text),
      discards: true,
      signal,
    } as const;
    return (await transport.send(request)).status;
  };
  const backend = new WebhookBackend(post, { apiVersion: auditVersion(dialect), initialBackoffMs }, clock, lost);
  const closing: AuditBackend = {
    process: (events) => backend.process(events),
    close: async () => {
      await backend.close();
      close();
    },
  };
  return delivered(closing, delivery, config, lost);
}

async function connected(configFile: string, { clock, dialect }: ServerConfig): Promise<Connection> {
  try {
    const limits = { timeoutMs: webhookTimeoutMs, maxAnswerBytes: maxWebhookAnswer };
    return connect(await loadKubeconfig({ file: configFile }), { clock, dialect, ...limits });
  } catch (error) {
    throw new OptionError(`audit.webhook.configFile: ${(error as Error).message}`);
  }
}

/** In batches or at once, with long events cut before they wait. */
function delivered(
  backend: AuditBackend,
  { mode, batch, maxEventSize }: AuditDelivery,
  { clock, dialect }: ServerConfig,
  lost: Complain,
): AuditBackend {
  const inTime =
    mode === 'batch'
      ? new BatchingBackend(backend, batch, { clock, lost })
      : blocking(backend, clock, mode === 'blocking-strict');
  if (maxEventSize === undefined) return inTime;
  return truncating(inTime, { maxEventSize, annotation: `${apiGroup(dialect, 'audit')}/truncated` }, lost);
}

/** Without audit nothing is counted, and the numbers say so. */
export function auditMetrics(audit: Auditor | undefined): readonly MetricSource[] {
  return [
    plainMetric('apiserver_audit_event_total', () => audit?.counts.events ?? 0),
    metric('apiserver_audit_error_total', () =>
      [...(audit?.counts.errors ?? [])].map(([plugin, value]) => ({ labels: { plugin }, value })),
    ),
    metric('apiserver_audit_level_total', () =>
      audit === undefined ? [] : levels.map((level) => ({ labels: { level }, value: audit.counts.levels[level] })),
    ),
    plainMetric('apiserver_audit_requests_rejected_total', () => audit?.counts.rejected ?? 0),
  ];
}
