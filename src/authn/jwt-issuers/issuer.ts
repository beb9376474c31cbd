// Tokens of one issuer: verified, completed by what lies elsewhere, and made users of.

import type { Clock } from '../../base/time/clock.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { Jwt } from '../jwt.ts';
import type { JwtAuthenticator } from './compile.ts';
import { DistributedClaim } from './distributed-claim.ts';
import type { FetchDocument } from './fetch-document.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { TokenVerifier } from './token-verifier.ts';
import { userOfClaims } from './user-of-claims.ts';

interface IssuerParts {
  readonly keys: IssuerKeys;
  readonly clock: Clock;
  readonly fetch: FetchDocument;
}

export class JwtIssuer {
  readonly keys: IssuerKeys;
  readonly #authenticator: JwtAuthenticator;
  readonly #verifier: TokenVerifier;
  readonly #groups: DistributedClaim | undefined;

  constructor(authenticator: JwtAuthenticator, parts: IssuerParts) {
    const { groups } = authenticator;
    this.#authenticator = authenticator;
    this.keys = parts.keys;
    const words = { refused: 'oidc: verify token', unreached: 'oidc: authenticator not initialized' };
    this.#verifier = new TokenVerifier({ ...authenticator, ...parts, words });
    // an expression sees the claims as they are
    const isClaim = groups !== undefined && groups.expression === undefined;
    this.#groups = isClaim ? new DistributedClaim(groups.claim, { ...authenticator, ...parts }) : undefined;
  }

  get url(): string {
    return this.#authenticator.url;
  }

  /** The user of a token that names this issuer; throws a TokenError if the token is invalid. */
  async check(jwt: Jwt): Promise<UserInfo> {
    await this.#verifier.verify(jwt);
    const claims = this.#groups === undefined ? jwt.claims : await this.#groups.expand(jwt.claims);
    return userOfClaims(claims, this.#authenticator);
  }

  close(): void {
    this.keys.close();
    this.#groups?.close();
  }
}
