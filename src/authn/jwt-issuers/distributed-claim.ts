// A distributed claim (OpenID Connect Core 1.0, section 5.6.2): the token names an endpoint, whose token has the claim.

import { getOwn } from '../../base/json/json.ts';
import type { Clock } from '../../base/time/clock.ts';
import { goQuoted } from '../../wording/go-format.ts';
import { type Algorithm, type Claims, type Jwt, parseJwt } from '../jwt.ts';
import { TokenError } from '../token-authenticator.ts';
import { members, namesClaim, sourcesClaim } from './claim-sources.ts';
import type { FetchDocument } from './fetch-document.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { TokenVerifier } from './token-verifier.ts';
import { issuerOf } from './user-of-claims.ts';

interface Elsewhere {
  readonly audiences: readonly string[];
  readonly algorithms: readonly Algorithm[];
  readonly authorities: string | undefined;
  readonly clock: Clock;
  readonly fetch: FetchDocument;
}

interface Endpoint {
  readonly url: string;
  readonly bearer: string | undefined;
}

/** Issuers whose tokens endpoints have sent so far. A trusted issuer names a few of them. */
const mostIssuers = 16;

export class DistributedClaim {
  readonly #claim: string;
  readonly #elsewhere: Elsewhere;
  /** By the name of the issuer, begun when an endpoint first sends a token of it. */
  readonly #issuers = new Map<string, { readonly keys: IssuerKeys; readonly begun: Promise<boolean> }>();
  readonly #closed = new AbortController();

  constructor(claim: string, elsewhere: Elsewhere) {
    this.#claim = claim;
    this.#elsewhere = elsewhere;
  }

  /** The claims with this one, where they say that it lies elsewhere; throws a TokenError when it cannot be had. */
  async expand(claims: Claims): Promise<Claims> {
    const endpoint = endpointOf(claims, this.#claim);
    if (endpoint === undefined) return claims;
    const { url } = endpoint;
    const sent = await this.#fetch(endpoint);
    await this.#verify(sent);
    const value = getOwn(sent.claims, this.#claim);
    if (value === undefined)
      throw refused(
        `jwt returned by distributed claim endpoint ${goQuoted(url)} did not contain claim: ${this.#claim}`,
      );
    return { ...claims, [this.#claim]: value };
  }

  close(): void {
    this.#closed.abort();
    for (const { keys } of this.#issuers.values()) keys.close();
  }

  async #fetch({ url, bearer }: Endpoint): Promise<Jwt> {
    const { authorities, fetch } = this.#elsewhere;
    const options = { authorities, bearer, signal: this.#closed.signal };
    const { text } = await fetch(url, options).catch((error: Error) => {
      throw refused(`while getting distributed claim ${goQuoted(this.#claim)}: ${error.message}`);
    });
    const jwt = parseJwt(text.replace(/\s/g, ''));
    if (jwt !== undefined) return jwt;
    throw refused(
      `getting untrusted issuer from endpoint ${url} failed for claim ${goQuoted(this.#claim)}: malformed token`,
    );
  }

  async #verify(jwt: Jwt): Promise<void> {
    const issuer = issuerOf(jwt.claims) ?? '';
    const unreached = `${expanding}: verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${goQuoted(issuer)}`;
    const keys = await this.#keysOf(issuer);
    if (keys === undefined) throw new TokenError(unreached);
    const words = { refused: `${expanding}: verify distributed claim token`, unreached };
    await new TokenVerifier({ ...this.#elsewhere, keys, words }).verify(jwt);
  }

  /** Undefined for one of too many, and for a name that is no address. */
  async #keysOf(issuer: string): Promise<IssuerKeys | undefined> {
    const issuerState = this.#issuers.get(issuer) ?? this.#begin(issuer);
    // the first tokens wait for the first answer
    await issuerState?.begun;
    return issuerState?.keys;
  }

  #begin(issuer: string) {
    const isAddress = URL.canParse(issuer) && new URL(issuer).protocol === 'https:';
    if (!isAddress || this.#issuers.size === mostIssuers || this.#closed.signal.aborted) return undefined;
    const { authorities, clock, fetch } = this.#elsewhere;
    const keys = new IssuerKeys({
      ...{ url: issuer, discoveryUrl: undefined, authorities, clock, fetch },
      onFetched: () => {},
    });
    const begun = { keys, begun: keys.renew() };
    this.#issuers.set(issuer, begun);
    return begun;
  }
}

const expanding = 'oidc: could not expand distributed claims';
const refused = (why: string) => new TokenError(`${expanding}: ${why}`);

/** Where a claim is; undefined for one that is there, or nowhere. The claims were found to be of the right types. */
function endpointOf(claims: Claims, claim: string): Endpoint | undefined {
  const names = getOwn(claims, namesClaim);
  if (getOwn(claims, claim) !== undefined || names === undefined) return undefined;
  const sources = getOwn(claims, sourcesClaim);
  if (sources === undefined) throw refused('oidc: no claim sources');
  const source = getOwn(members(names), claim);
  if (typeof source !== 'string') return undefined;
  const { endpoint: url, access_token: bearer } = members(getOwn(members(sources), source));
  // one without an address has the claim in itself, which is not looked at
  if (typeof url !== 'string' || url === '') return undefined;
  return { url, bearer: typeof bearer === 'string' && bearer !== '' ? bearer : undefined };
}
