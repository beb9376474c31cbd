// Other servers that this one asks before it answers, opened before anything else: what is configured wrongly fails at start.

import { packageVersion } from '../base/package-version.ts';
import type { Webhook } from '../client/webhook.ts';
import { type OpenWebhook, openWebhook } from '../client/webhook-file.ts';
import { OptionError } from '../config/option-error.ts';
import type { ServerConfig } from '../config/options.ts';
import { AuthorizationMetrics } from '../metrics/authorization-metrics.ts';
import { Authorizers } from './auth/authorizers.ts';
import { ownLabels } from './own/own-labels.ts';

export interface WebhookClients {
  readonly authorizers: Pick<Authorizers, 'current' | 'follow' | 'close'>;
  readonly authorizationMetrics: AuthorizationMetrics;
  /** Undefined where no other server knows tokens. */
  readonly tokenWebhook: { readonly webhook: Pick<Webhook, 'ask'>; close(): void } | undefined;
  close(): void;
}

const tokenTimeoutMs = 30_000;

export async function openWebhookClients(config: ServerConfig): Promise<WebhookClients> {
  const { clock, dialect, log } = config;
  const userAgent = `keelson/${packageVersion()}`;
  const metrics = new AuthorizationMetrics(ownLabels(dialect));
  const context = { clock, dialect, userAgent };
  const authorizers = await Authorizers.open({
    config: config.authorization,
    metrics,
    log,
    ...context,
  });
  const tokenWebhook = await openTokenWebhook(config, context).catch((error: unknown) => {
    authorizers.close();
    throw error;
  });
  return {
    authorizers,
    authorizationMetrics: metrics,
    tokenWebhook,
    close() {
      authorizers.close();
      tokenWebhook?.close();
    },
  };
}

async function openTokenWebhook(
  { authentication: { tokenWebhook } }: ServerConfig,
  context: Pick<Parameters<typeof openWebhook>[0], 'clock' | 'dialect' | 'userAgent'>,
): Promise<OpenWebhook | undefined> {
  if (tokenWebhook === undefined) return undefined;
  try {
    return await openWebhook({ file: tokenWebhook.file, timeoutMs: tokenTimeoutMs, ...context });
  } catch (error) {
    throw new OptionError(`authenticationTokenWebhookConfigFile: ${(error as Error).message}`);
  }
}
