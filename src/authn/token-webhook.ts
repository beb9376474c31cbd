// Bearer tokens that another server checks by a TokenReview; its answers are cached for a short time.

import { createHash } from 'node:crypto';
import { FieldTypeError, type JsonFields } from '../base/json/json-fields.ts';
import { ExpiringCache } from '../base/maps/expiring-cache.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Webhook } from '../client/webhook.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { TokenOwner } from '../meta/tokens.ts';
import type { UserInfo } from '../meta/user.ts';
import { shared, type TokenAuthenticator, TokenError } from './token-authenticator.ts';

export interface TokenWebhookConfig {
  readonly webhook: Pick<Webhook, 'ask'>;
  readonly version: 'v1' | 'v1beta1';
  /** How long an answer is cached. */
  readonly cacheMs: number;
  /** Audiences of this server: what a token is for when the webhook does not say. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** The webhook gave no answer. */
  onError(error: unknown): void;
}

/** `owner` is undefined for a token that the webhook does not know. */
interface Verdict {
  readonly owner: TokenOwner | undefined;
}

const maxVerdicts = 4096;

export function tokenWebhook(config: TokenWebhookConfig): TokenAuthenticator {
  const verdicts = new ExpiringCache<Verdict>(config.clock, maxVerdicts);
  const underWay = new Map<string, Promise<Verdict>>();
  return async (token, requestedAudiences) => {
    const key = keyOf(token, requestedAudiences);
    const cachedVerdict = verdicts.get(key);
    if (cachedVerdict !== undefined) return cachedVerdict.owner;
    // requests with the same token meanwhile wait for the same answer
    let asking = underWay.get(key);
    if (asking === undefined) {
      asking = review(config, token, requestedAudiences).finally(() => underWay.delete(key));
      underWay.set(key, asking);
    }
    const verdict = await asking;
    verdicts.set(key, verdict, config.cacheMs);
    return verdict.owner;
  };
}

/** The token itself is kept nowhere. */
const keyOf = (token: string, requestedAudiences: readonly string[]) =>
  createHash('sha256')
    .update(JSON.stringify([token, requestedAudiences]))
    .digest('base64');

/** Throws, and so is not remembered, when there is no answer or when the answer is an error. */
async function review(
  config: TokenWebhookConfig,
  token: string,
  requestedAudiences: readonly string[],
): Promise<Verdict> {
  const { dialect, version, audiences: own } = config;
  const spec = { token, ...(requestedAudiences.length === 0 ? {} : { audiences: requestedAudiences }) };
  const apiVersion = `${apiGroup(dialect, 'authentication')}/${version}`;
  const question = { kind: 'TokenReview', apiVersion, metadata: {}, spec, status: { user: {} } };
  try {
    const status = (await config.webhook.ask(question)).object('status');
    if (status === undefined || !status.flag('authenticated')) return refused(status, token);
    const statedAudiences = status.texts('audiences');
    const audiences = shared(statedAudiences.length === 0 ? own : statedAudiences, requestedAudiences);
    const user = userOf(status);
    return { owner: audiences.length === 0 ? undefined : { user, audiences } };
  } catch (error) {
    if (error instanceof TokenError) throw error;
    config.onError(error);
    throw new TokenError(`webhook: ${(error as Error).message}`);
  }
}

function refused(status: JsonFields | undefined, token: string): Verdict {
  const why = status?.text('error') ?? '';
  if (why === '') return { owner: undefined };
  throw new TokenError(why.replaceAll(token, '<token>'));
}

function userOf(status: JsonFields): UserInfo {
  const user = status.object('user');
  const name = user?.text('username') ?? '';
  if (user === undefined || name === '') throw new Error('the webhook answered without the name of the user');
  const uid = user.text('uid');
  const extra = user.object('extra');
  return {
    name,
    groups: user.texts('groups'),
    ...(uid === '' ? {} : { uid }),
    ...(extra === undefined ? {} : { extra: extraOf(extra) }),
  };
}

/** Errors are logged, and the names here are the webhook's own words: they stay out of them. */
function extraOf(extra: JsonFields): NonNullable<UserInfo['extra']> {
  try {
    return Object.fromEntries(extra.names.map((key) => [key, extra.texts(key)]));
  } catch {
    throw new FieldTypeError(`${extra.path}: must be lists of strings`);
  }
}
