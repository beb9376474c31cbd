// The auth-provider `oidc` of kubeconfigs: an id token, and a refresh token that gets the next one from its issuer.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { CredentialSource, Credentials } from '../credentials.ts';
import { type Ask, askIssuer } from './ask-issuer.ts';

interface OidcParts {
  /** What the kubeconfig has below `auth-provider.config`. */
  readonly config: ReadonlyMap<string, string>;
  /** PEM of who signs the issuer's certificate. */
  readonly authority: (() => string) | undefined;
  readonly clock: Clock;
  readonly ask?: Ask;
}

/** A token that ends sooner is not shown any more. */
const spareMs = 10_000;

export class OidcSource implements CredentialSource {
  readonly #parts: OidcParts;
  #idToken: string;
  #refreshToken: string;
  #running: Promise<Credentials> | undefined;

  /** Throws when the issuer or the client is not named. */
  constructor(parts: OidcParts) {
    for (const needed of ['idp-issuer-url', 'client-id'])
      if (!parts.config.get(needed)) throw new Error(`auth-provider oidc: Must provide ${needed}`);
    this.#parts = parts;
    this.#idToken = parts.config.get('id-token') ?? '';
    this.#refreshToken = parts.config.get('refresh-token') ?? '';
  }

  async current(): Promise<Credentials> {
    if (this.#idToken !== '' && expiryOf(this.#idToken) > this.#parts.clock.now() + spareMs) return this.#shown();
    return this.#refresh();
  }

  async renew(used: Credentials): Promise<Credentials | undefined> {
    if (this.#running === undefined && this.#shown().authorization !== used.authorization) return this.#shown();
    if (this.#refreshToken === '') return undefined;
    const newer = await this.#refresh();
    return newer.authorization === used.authorization ? undefined : newer;
  }

  #shown(): Credentials {
    return { authorization: `Bearer ${this.#idToken}` };
  }

  /** One at a time, however many wait for it: a refresh token may be good for one use only. */
  #refresh(): Promise<Credentials> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<Credentials> {
    if (this.#refreshToken === '')
      throw new Error('auth-provider oidc: No valid id-token, and cannot refresh without refresh-token');
    const answer = await this.#tokens(await this.#endpoint());
    const { id_token: idToken, refresh_token: next } = answer;
    if (typeof idToken !== 'string' || idToken === '')
      throw new Error('auth-provider oidc: the issuer gave no id_token for the refresh token');
    this.#idToken = idToken;
    if (typeof next === 'string' && next !== '') this.#refreshToken = next;
    return this.#shown();
  }

  async #endpoint(): Promise<string> {
    const issuer = (this.#parts.config.get('idp-issuer-url') ?? '').replace(/\/$/, '');
    const { status, value } = await this.#ask(`${issuer}/.well-known/openid-configuration`);
    if (status !== 200) throw new Error(`auth-provider oidc: the issuer answered with ${status}`);
    const { token_endpoint: endpoint } = value;
    if (typeof endpoint !== 'string' || endpoint === '')
      throw new Error('auth-provider oidc: the issuer names no token_endpoint');
    return endpoint;
  }

  /** The client shows itself in the header, and where that is refused in the body, as issuers want the one or the other. */
  async #tokens(endpoint: string): Promise<JsonObject> {
    const id = this.#parts.config.get('client-id') ?? '';
    const secret = this.#parts.config.get('client-secret') ?? '';
    const form = { grant_type: 'refresh_token', refresh_token: this.#refreshToken };
    const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
    const first = await this.#ask(endpoint, { form, authorization: `Basic ${basic}` });
    if (first.status === 200) return first.value;
    const inBody = { ...form, client_id: id, ...(secret === '' ? {} : { client_secret: secret }) };
    const second = await this.#ask(endpoint, { form: inBody });
    if (second.status === 200) return second.value;
    throw new Error(`auth-provider oidc: failed to refresh token: the issuer answered with ${second.status}`);
  }

  #ask(url: string, sent?: Parameters<Ask>[1]['sent']) {
    const { ask = askIssuer, authority } = this.#parts;
    return ask(url, { authority: authority?.(), sent });
  }
}

/** When a token ends, in milliseconds; throws for an invalid token. The server verifies it, the client only reads it. */
function expiryOf(token: string): number {
  const parts = token.split('.');
  if (parts.length !== 3) throw new Error('auth-provider oidc: ID Token is not a valid JWT');
  const claims: unknown = readClaims(parts[1] ?? '');
  const end = isJsonObject(claims) ? claims['exp'] : undefined;
  return typeof end === 'number' ? end * 1000 : 0;
}

function readClaims(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    throw new Error('auth-provider oidc: ID Token is not a valid JWT');
  }
}
