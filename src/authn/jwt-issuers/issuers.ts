// All issuers of a configuration: a token is for the one that it names.

import { createHash } from 'node:crypto';
import { ExpiringCache } from '../../base/maps/expiring-cache.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { UserInfo } from '../../meta/user.ts';
import { type Jwt, parseJwt } from '../jwt.ts';
import { forServer, type TokenAuthenticator } from '../token-authenticator.ts';
import type { JwtAuthenticator } from './compile.ts';
import type { FetchDocument } from './fetch-document.ts';
import { JwtIssuer } from './issuer.ts';
import { type Fetched, IssuerKeys } from './issuer-keys.ts';
import { issuerOf } from './user-of-claims.ts';

interface JwtIssuersParts {
  readonly clock: Clock;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
  readonly fetch: FetchDocument;
  /** Called after a fetch of the keys of an issuer. */
  onFetched(issuer: string, outcome: Fetched): void;
  onChecked?(outcome: { readonly issuer: string; readonly isGood: boolean; readonly seconds: number }): void;
}

/** How long a token stays good without being looked at again. */
const cacheMs = 10_000;
const maxCachedUsers = 4096;

export class JwtIssuers {
  readonly #issuers: ReadonlyMap<string, JwtIssuer>;
  readonly #parts: JwtIssuersParts;
  /** Users of tokens that were found good, by a hash of the token. */
  readonly #verifiedUsers: ExpiringCache<UserInfo>;

  constructor(authenticators: readonly JwtAuthenticator[], parts: JwtIssuersParts) {
    this.#parts = parts;
    this.#verifiedUsers = new ExpiringCache(parts.clock, maxCachedUsers);
    this.#issuers = new Map(authenticators.map((one) => [one.url, open(one, parts)]));
  }

  /** Begins to look for the keys of the issuers; no request has to wait for them. */
  start(): void {
    for (const { keys } of this.#issuers.values()) keys.start();
  }

  /** Resolves when every issuer has been reached. */
  async ready(): Promise<void> {
    await Promise.all([...this.#issuers.values()].map(({ keys }) => keys.ready()));
  }

  close(): void {
    for (const issuer of this.#issuers.values()) issuer.close();
  }

  readonly check: TokenAuthenticator = async (token, requestedAudiences) => {
    if (this.#issuers.size === 0) return undefined;
    const user = this.#verifiedUsers.get(hashOf(token)) ?? (await this.#verify(token));
    return user && forServer(user, this.#parts.audiences, requestedAudiences);
  };

  async #verify(token: string): Promise<UserInfo | undefined> {
    const jwt = parseJwt(token);
    const issuer = this.#issuers.get(issuerOf(jwt?.claims) ?? '');
    if (jwt === undefined || issuer === undefined) return undefined;
    const user = await this.#measured(issuer, jwt);
    const leftMs = Number(jwt.claims['exp']) * 1000 - this.#parts.clock.now();
    this.#verifiedUsers.set(hashOf(token), user, Math.min(cacheMs, leftMs));
    return user;
  }

  async #measured(issuer: JwtIssuer, jwt: Jwt): Promise<UserInfo> {
    const startedAt = performance.now();
    let isGood = false;
    try {
      const user = await issuer.check(jwt);
      isGood = true;
      return user;
    } finally {
      this.#parts.onChecked?.({ issuer: issuer.url, isGood, seconds: (performance.now() - startedAt) / 1000 });
    }
  }
}

function open(authenticator: JwtAuthenticator, { clock, fetch, onFetched }: JwtIssuersParts): JwtIssuer {
  const { url } = authenticator;
  const keys = new IssuerKeys({ ...authenticator, clock, fetch, onFetched: (outcome) => onFetched(url, outcome) });
  return new JwtIssuer(authenticator, { keys, clock, fetch });
}

/** The token itself is not stored, and the time of a lookup reveals nothing about it. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');

/** Names an issuer where its address would say too much. */
export const issuerHash = (url: string) => `sha256:${createHash('sha256').update(url).digest('hex')}`;
