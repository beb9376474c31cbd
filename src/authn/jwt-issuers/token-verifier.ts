// Whether a token was signed by its issuer, for one of our audiences, at the right time.

import type { Clock } from '../../base/time/clock.ts';
import { goQuoted } from '../../wording/go-format.ts';
import { cannotUnmarshal, jsonForm } from '../../wording/type-mismatch.ts';
import { type Algorithm, type Claims, isSigned, type Jwt, type VerificationKey } from '../jwt.ts';
import { TokenError } from '../token-authenticator.ts';
import { audiencesOf, unreadableClaim } from '../token-claims.ts';
import { misfitOfSources, missingSource } from './claim-sources.ts';
import type { IssuerKeys } from './issuer-keys.ts';

/** Accepts tokens of an issuer whose clock is ahead. Their end has no such tolerance. */
const earlySeconds = 60;

interface Expected {
  readonly audiences: readonly string[];
  readonly algorithms: readonly Algorithm[];
  readonly keys: IssuerKeys;
  readonly clock: Clock;
  /** How an error begins, and the whole of it where the issuer has not been reached. */
  readonly words: { readonly refused: string; readonly unreached: string };
}

export class TokenVerifier {
  readonly #expected: Expected;

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /** Throws a TokenError for a token that is not good. */
  async verify(jwt: Jwt): Promise<void> {
    const { algorithms, audiences, clock } = this.#expected;
    // what needs no key first: nothing is fetched for a token that would be refused anyway
    const unreadable = misfit(jwt.claims) ?? misfitOfSources(jwt.claims) ?? unreadableClaim(jwt.claims);
    const problem =
      algorithmProblem(jwt, algorithms) ??
      (unreadable && `oidc: failed to unmarshal claims: ${unreadable}`) ??
      missingSource(jwt.claims) ??
      audienceProblem(jwt.claims, audiences) ??
      timeProblem(jwt.claims, clock.now() / 1000);
    if (problem !== undefined) throw this.#refused(problem);
    await this.#checkSignature(jwt);
  }

  async #checkSignature(jwt: Jwt): Promise<void> {
    const { keys, words } = this.#expected;
    const keySet = keys.current;
    if (keySet === undefined) throw new TokenError(words.unreached);
    if (isSigned(jwt, named(jwt, keySet))) return;
    // the issuer may have changed its keys
    const isRenewed = await keys.renew();
    if (!isRenewed || !isSigned(jwt, named(jwt, keys.current ?? [])))
      throw this.#refused('failed to verify signature: failed to verify id token signature');
  }

  #refused(why: string): TokenError {
    return new TokenError(`${this.#expected.words.refused}: ${why}`);
  }
}

/** The keys that a token may be signed with; one that names its key is checked with no other. */
function named({ header: { kid } }: Jwt, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  return typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
}

function timeProblem({ exp, nbf }: Claims, now: number): string | undefined {
  if (typeof exp !== 'number' || Math.trunc(exp) < now) return `oidc: token is expired (Token Expiry: ${goTime(exp)})`;
  if (nbf === undefined) return undefined;
  return typeof nbf !== 'number' || Math.trunc(nbf) > now + earlySeconds
    ? `oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(nbf)}`
    : undefined;
}

/** As Go shows a time of so many seconds; one that is not given is the first of all. */
function goTime(seconds: unknown): string {
  if (typeof seconds !== 'number' || Math.abs(seconds) > maxSeconds) return '0001-01-01 00:00:00 +0000 UTC';
  const text = new Date(seconds * 1000).toISOString().replace('T', ' ');
  return `${text.replace(/\.000Z$|Z$/, '')} +0000 UTC`;
}

const maxSeconds = 8.64e12;

function algorithmProblem({ header: { alg } }: Jwt, algorithms: readonly string[]): string | undefined {
  if (algorithms.some((one) => one === alg)) return undefined;
  const got = typeof alg === 'string' ? alg.slice(0, maxShown) : '';
  const expected = goQuotedList([...algorithms].sort());
  return `oidc: id token signed with unsupported algorithm, expected ${expected} got ${goQuoted(got)}`;
}

/** What keeps claims of every token from being what they have to be, in the words of the reference implementation. */
function misfit({ sub, aud }: Claims): string | undefined {
  const into = (value: unknown, field: string, type: string) =>
    cannotUnmarshal(jsonForm(value), `struct field idToken.${field}`, type);
  if (sub !== undefined && sub !== null && typeof sub !== 'string') return into(sub, 'sub', 'string');
  if (Array.isArray(aud)) {
    const nonText = aud.find((one) => one !== null && typeof one !== 'string');
    return nonText === undefined ? undefined : into(nonText, 'aud', 'string');
  }
  return aud === undefined || aud === null || typeof aud === 'string' ? undefined : into(aud, 'aud', '[]string');
}

/** More than any honest token has; the message shall stay short. */
const maxShown = 10;

function audienceProblem(claims: Claims, audiences: readonly string[]): string | undefined {
  const tokenAudiences = audiencesOf(claims);
  if (audiences.some((audience) => tokenAudiences.includes(audience))) return undefined;
  const expected = goQuotedList([...audiences].sort());
  return `oidc: expected audience in ${expected} got ${goQuotedList(tokenAudiences.slice(0, maxShown))}`;
}

const goQuotedList = (values: readonly string[]) => `[${values.map(goQuoted).join(' ')}]`;
