// Options about the webhook that knows tokens, resolved.

import type { ResolvedOptions } from './server-options.ts';

export interface TokenWebhookConfig {
  readonly file: string;
  readonly version: 'v1' | 'v1beta1';
  readonly cacheMs: number;
}

export function resolveTokenWebhook(options: ResolvedOptions): TokenWebhookConfig | undefined {
  const { authenticationTokenWebhookConfigFile: file, authenticationTokenWebhookVersion: version } = options;
  const cacheMs = options.authenticationTokenWebhookCacheSeconds * 1000;
  return file === undefined ? undefined : { file, version, cacheMs };
}
