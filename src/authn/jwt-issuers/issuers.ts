// All issuers of a configuration: a token is for the one that it names.

import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { UserInfo } from '../../meta/user.ts';
import { type Jwt, parseJwt } from '../jwt.ts';
import { forServer, type TokenAuthenticator } from '../token-authenticator.ts';
import { TokenCache } from '../token-cache.ts';
import type { JwtAuthenticator } from './compile.ts';
import type { FetchDocument } from './fetch-document.ts';
import { JwtIssuer } from './issuer.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { issuerOf } from './user-of-claims.ts';

export interface JwtIssuersParts {
  readonly clock: Clock;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
  readonly fetch: FetchDocument;
  onError(issuer: string, error: Error): void;
  onChecked?(outcome: { readonly issuer: string; readonly isGood: boolean; readonly seconds: number }): void;
}

export class JwtIssuers {
  readonly #issuers: ReadonlyMap<string, JwtIssuer>;
  readonly #parts: JwtIssuersParts;
  readonly #cache: TokenCache;

  constructor(authenticators: readonly JwtAuthenticator[], parts: JwtIssuersParts) {
    this.#parts = parts;
    this.#cache = new TokenCache(parts.clock);
    this.#issuers = new Map(authenticators.map((one) => [one.url, open(one, parts)]));
  }

  /** Begins to look for the keys of the issuers; nobody has to wait for them. */
  start(): void {
    for (const { keys } of this.#issuers.values()) keys.start();
  }

  /** Resolves when every issuer has been reached. */
  async ready(): Promise<void> {
    await Promise.all([...this.#issuers.values()].map(({ keys }) => keys.ready()));
  }

  close(): void {
    for (const { keys } of this.#issuers.values()) keys.close();
  }

  readonly check: TokenAuthenticator = async (token, wanted) => {
    if (this.#issuers.size === 0) return undefined;
    const user = this.#cache.get(token) ?? (await this.#verify(token));
    return user && forServer(user, this.#parts.audiences, wanted);
  };

  async #verify(token: string): Promise<UserInfo | undefined> {
    const jwt = parseJwt(token);
    const issuer = this.#issuers.get(issuerOf(jwt?.claims) ?? '');
    if (jwt === undefined || issuer === undefined) return undefined;
    const user = await this.#measured(issuer, jwt);
    this.#cache.add(token, user, Number(jwt.claims['exp']) * 1000);
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

function open(authenticator: JwtAuthenticator, { clock, fetch, onError }: JwtIssuersParts): JwtIssuer {
  const { url } = authenticator;
  const keys = new IssuerKeys({ ...authenticator, clock, fetch, onError: (error) => onError(url, error) });
  return new JwtIssuer(authenticator, keys, clock);
}

/** Names an issuer where its address would say too much. */
export const issuerHash = (url: string) => `sha256:${createHash('sha256').update(url).digest('hex')}`;
