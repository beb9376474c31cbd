// Options about the webhook that knows tokens, resolved.

import { OptionError } from './option-error.ts';

export interface TokenWebhookOptions {
  /** Kubeconfig of a webhook that checks tokens no other authenticator accepts: its address, and the credentials for it. */
  readonly authenticationTokenWebhookConfigFile?: string;
  /** Version of the TokenReview that the webhook gets; `v1beta1` when not given. */
  readonly authenticationTokenWebhookVersion?: 'v1' | 'v1beta1';
  /** How long answers of the token webhook are cached, in seconds; 120 when not given. */
  readonly authenticationTokenWebhookCacheSeconds?: number;
}

export interface TokenWebhookConfig {
  readonly file: string;
  readonly version: 'v1' | 'v1beta1';
  readonly cacheMs: number;
}

export function resolveTokenWebhook(options: TokenWebhookOptions): TokenWebhookConfig | undefined {
  const {
    authenticationTokenWebhookConfigFile: file,
    authenticationTokenWebhookVersion: version = 'v1beta1',
    authenticationTokenWebhookCacheSeconds: seconds = 120,
  } = options;
  if (version !== 'v1' && version !== 'v1beta1')
    throw new OptionError(`authenticationTokenWebhookVersion: ${JSON.stringify(version)} is not v1 or v1beta1`);
  if (!(seconds >= 0))
    throw new OptionError(`authenticationTokenWebhookCacheSeconds: ${seconds} is not a number of seconds`);
  return file === undefined ? undefined : { file, version, cacheMs: seconds * 1000 };
}
