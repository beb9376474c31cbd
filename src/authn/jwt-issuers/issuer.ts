// Tokens of one issuer: signed by it, for one of our audiences, at the right time.

import type { Clock } from '../../base/clock.ts';
import type { UserInfo } from '../../meta/user.ts';
import { type Claims, isSigned, type Jwt, type VerificationKey } from '../jwt.ts';
import { TokenError } from '../token-authenticator.ts';
import { audiencesOf, unreadableClaim } from '../token-claims.ts';
import type { JwtAuthenticator } from './compile.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { userOfClaims } from './user-of-claims.ts';

/** A token from a clock that is ahead of ours is good already. There is no such grace at its end. */
const earlySeconds = 60;

export class JwtIssuer {
  readonly keys: IssuerKeys;
  readonly #authenticator: JwtAuthenticator;
  readonly #clock: Clock;

  constructor(authenticator: JwtAuthenticator, keys: IssuerKeys, clock: Clock) {
    this.#authenticator = authenticator;
    this.keys = keys;
    this.#clock = clock;
  }

  get url(): string {
    return this.#authenticator.url;
  }

  /** The user of a token that says it is from this issuer; throws a TokenError when it is not, or not good. */
  async check(jwt: Jwt): Promise<UserInfo> {
    const { algorithms, audiences } = this.#authenticator;
    // what needs no key first: nothing is fetched for a token that would be refused anyway
    const unreadable = unreadableClaim(jwt.claims);
    if (unreadable !== undefined)
      throw new TokenError(`oidc: verify token: oidc: failed to unmarshal claims: ${unreadable}`);
    checkAudience(jwt.claims, audiences);
    this.#checkTime(jwt.claims);
    const { alg } = jwt.header;
    if (!algorithms.some((one) => one === alg))
      throw new TokenError(
        `oidc: verify token: signed with an algorithm that is not supported, use ${algorithms.join(', ')}`,
      );
    await this.#checkSignature(jwt);
    return userOfClaims(jwt.claims, this.#authenticator);
  }

  #checkTime({ exp, nbf }: Claims): void {
    const now = this.#clock.now() / 1000;
    if (typeof exp !== 'number' || exp < now) throw new TokenError('oidc: verify token: token is expired');
    if (nbf === undefined) return;
    if (typeof nbf !== 'number' || nbf > now + earlySeconds)
      throw new TokenError('oidc: verify token: current time is before the nbf (not before) time');
  }

  async #checkSignature(jwt: Jwt): Promise<void> {
    const keys = this.keys.current;
    if (keys === undefined) throw new TokenError('oidc: authenticator not initialized');
    if (isSigned(jwt, named(jwt, keys))) return;
    // the issuer may have changed its keys
    const isRenewed = await this.keys.renew();
    if (!isRenewed || !isSigned(jwt, named(jwt, this.keys.current ?? [])))
      throw new TokenError('oidc: verify token: failed to verify signature');
  }
}

/** The keys that a token may be signed with; one that names its key is checked with no other. */
function named({ header: { kid } }: Jwt, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  return typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
}

/** More than any honest token has; the message shall stay short. */
const maxShown = 10;

function checkAudience(claims: Claims, audiences: readonly string[]): void {
  const said = audiencesOf(claims);
  if (audiences.some((audience) => said.includes(audience))) return;
  const shown = JSON.stringify(said.slice(0, maxShown));
  throw new TokenError(`oidc: verify token: oidc: expected audience in ${JSON.stringify(audiences)} got ${shown}`);
}
