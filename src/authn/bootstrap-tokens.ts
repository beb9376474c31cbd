// Bootstrap tokens: short-lived credentials for new nodes, kept as Secrets in the system namespace.

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/time/clock.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { normalizeTime } from '../meta/time.ts';
import { forServer, type TokenAuthenticator } from './token-authenticator.ts';

interface BootstrapTokenConfig {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly audiences: readonly string[];
  /** The Secret of that name in the system namespace. */
  secret(name: string): Promise<ApiObject | undefined>;
}

const format = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const baseGroup = 'system:bootstrappers';
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export function bootstrapTokens({ dialect, clock, audiences, secret }: BootstrapTokenConfig): TokenAuthenticator {
  return async (token, requestedAudiences) => {
    const [, id, key] = format.exec(token) ?? [];
    if (id === undefined || key === undefined) return undefined;
    const tokenSecret = await secret(`bootstrap-token-${id}`);
    if (tokenSecret === undefined || tokenSecret['type'] !== `bootstrap.${dialect.labelDomain}/token`) return undefined;
    if (tokenSecret.metadata.deletionTimestamp !== undefined) return undefined;
    const data = decoded(tokenSecret);
    const isValid =
      isSame(data('token-secret'), key) &&
      data('token-id') === id &&
      !isExpired(data('expiration'), clock.now()) &&
      data('usage-bootstrap-authentication') === 'true';
    const groups = isValid ? groupsOf(data('auth-extra-groups')) : undefined;
    return groups && forServer({ name: `system:bootstrap:${id}`, groups }, audiences, requestedAudiences);
  };
}

function decoded(secret: ApiObject): (key: string) => string {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  return (key) => (Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '', 'base64').toString() : '');
}

/** Takes as long whatever the difference. */
function isSame(stored: string, given: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** No time is no end; a time that cannot be read has passed. */
function isExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  // the engine reads far more than Kubernetes does: what the cleaner takes for over must not let anyone in
  const end = normalizeTime(expiration) === undefined ? 0 : Date.parse(expiration);
  return end <= now;
}

/** Undefined when one of the groups is not for bootstrapping. */
function groupsOf(extra: string): readonly string[] | undefined {
  const groups = extra === '' ? [] : extra.split(',');
  return groups.every((group) => extraGroup.test(group)) ? [...new Set([baseGroup, ...groups])] : undefined;
}
