// Webhooks whose place, and the credentials for it, stand in a kubeconfig file.

import type { Clock } from '../base/time/clock.ts';
import type { Dialect } from '../meta/dialect.ts';
import { connect } from './connect.ts';
import { loadKubeconfig } from './kubeconfig/load.ts';
import { Webhook, type WebhookOptions } from './webhook.ts';

interface WebhookFile extends Pick<WebhookOptions, 'onAttempt'> {
  /** Path of the kubeconfig; its current context counts. */
  readonly file: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly userAgent: string;
}

export interface OpenWebhook {
  readonly webhook: Webhook;
  close(): void;
}

/** A verdict on a user is short. */
const maxAnswerBytes = 1024 * 1024;
/** Many callers with tokens that are not cached must not become as many connections. */
const maxConnections = 100;

/** Throws a KubeconfigError when the file cannot be used. Nothing is sent yet. */
export async function openWebhook(options: WebhookFile): Promise<OpenWebhook> {
  const { file, timeoutMs, clock, dialect, userAgent, onAttempt } = options;
  const config = await loadKubeconfig({ file });
  const connection = connect(config, {
    timeoutMs,
    clock,
    dialect,
    userAgent,
    maxAnswerBytes,
    maxConnections,
    showsPluginErrors: false,
  });
  const { transport } = connection;
  return {
    webhook: new Webhook({ transport, clock, timeoutMs, ...(onAttempt === undefined ? {} : { onAttempt }) }),
    close: () => connection.close(),
  };
}
