// Tokens of one issuer: signed by it, for one of our audiences, at the right time.

import type { Clock } from '../../base/clock.ts';
import { goQuoted } from '../../base/go-format.ts';
import type { UserInfo } from '../../meta/user.ts';
import { type Claims, isSigned, type Jwt, type VerificationKey } from '../jwt.ts';
import { TokenError } from '../token-authenticator.ts';
import { audiencesOf, unreadableClaim } from '../token-claims.ts';
import type { JwtAuthenticator } from './compile.ts';
import { cannotUnmarshal } from './go-json.ts';
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
    checkAlgorithm(jwt, algorithms);
    const unreadable = misfit(jwt.claims) ?? unreadableClaim(jwt.claims);
    if (unreadable !== undefined) throw refused(`oidc: failed to unmarshal claims: ${unreadable}`);
    checkAudience(jwt.claims, audiences);
    this.#checkTime(jwt.claims);
    await this.#checkSignature(jwt);
    return userOfClaims(jwt.claims, this.#authenticator);
  }

  #checkTime({ exp, nbf }: Claims): void {
    const now = this.#clock.now() / 1000;
    if (typeof exp !== 'number' || Math.trunc(exp) < now)
      throw refused(`oidc: token is expired (Token Expiry: ${goTime(exp)})`);
    if (nbf === undefined) return;
    if (typeof nbf !== 'number' || Math.trunc(nbf) > now + earlySeconds)
      throw refused(`oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(nbf)}`);
  }

  async #checkSignature(jwt: Jwt): Promise<void> {
    const keys = this.keys.current;
    if (keys === undefined) throw new TokenError('oidc: authenticator not initialized');
    if (isSigned(jwt, named(jwt, keys))) return;
    // the issuer may have changed its keys
    const isRenewed = await this.keys.renew();
    if (!isRenewed || !isSigned(jwt, named(jwt, this.keys.current ?? [])))
      throw refused('failed to verify signature: failed to verify id token signature');
  }
}

/** The keys that a token may be signed with; one that names its key is checked with no other. */
function named({ header: { kid } }: Jwt, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  return typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
}

const refused = (why: string) => new TokenError(`oidc: verify token: ${why}`);

/** As Go shows a time of so many seconds; one that is not given is the first of all. */
function goTime(seconds: unknown): string {
  if (typeof seconds !== 'number' || Math.abs(seconds) > maxSeconds) return '0001-01-01 00:00:00 +0000 UTC';
  const text = new Date(seconds * 1000).toISOString().replace('T', ' ');
  return `${text.replace(/\.000Z$|Z$/, '')} +0000 UTC`;
}

const maxSeconds = 8.64e12;

function checkAlgorithm({ header: { alg } }: Jwt, algorithms: readonly string[]): void {
  if (algorithms.some((one) => one === alg)) return;
  const got = typeof alg === 'string' ? alg.slice(0, maxShown) : '';
  const expected = goQuotedList([...algorithms].sort());
  throw refused(`oidc: id token signed with unsupported algorithm, expected ${expected} got ${goQuoted(got)}`);
}

/** What keeps claims of every token from being what they have to be, in the words of the reference implementation. */
function misfit({ sub, aud }: Claims): string | undefined {
  const into = (value: unknown, field: string) => `${cannotUnmarshal(value)} into Go struct field idToken.${field}`;
  if (sub !== undefined && sub !== null && typeof sub !== 'string') return `${into(sub, 'sub')} of type string`;
  if (Array.isArray(aud)) {
    const odd = aud.find((one) => one !== null && typeof one !== 'string');
    return odd === undefined ? undefined : `${into(odd, 'aud')} of type string`;
  }
  return aud === undefined || aud === null || typeof aud === 'string'
    ? undefined
    : `${into(aud, 'aud')} of type []string`;
}

/** More than any honest token has; the message shall stay short. */
const maxShown = 10;

function checkAudience(claims: Claims, audiences: readonly string[]): void {
  const said = audiencesOf(claims);
  if (audiences.some((audience) => said.includes(audience))) return;
  const expected = goQuotedList([...audiences].sort());
  throw refused(`oidc: expected audience in ${expected} got ${goQuotedList(said.slice(0, maxShown))}`);
}

const goQuotedList = (values: readonly string[]) => `[${values.map(goQuoted).join(' ')}]`;
