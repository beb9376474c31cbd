// The keys of one issuer, found through its discovery document: fetched in the background, fetched again when they change.

import { isJsonObject } from '../../base/json/json.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import type { VerificationKey } from '../jwt.ts';
import type { FetchDocument } from './fetch-document.ts';
import { parseKeySet } from './key-set.ts';

interface IssuerKeysConfig {
  readonly url: string;
  readonly discoveryUrl: string | undefined;
  readonly authorities: string | undefined;
  readonly clock: Clock;
  readonly fetch: FetchDocument;
  /** Called after every fetch. */
  onFetched(outcome: Fetched): void;
}

/** The document that holds the keys, or what went wrong. */
export type Fetched = { readonly keySet: string } | { readonly error: Error };

const retryMs = 10_000;
/** A key that the issuer no longer publishes is trusted for about this long, unless the issuer sets another time. */
const usualAgeSeconds = 300;
const shortestAgeSeconds = 60;
const longestAgeSeconds = 3600;
/** Fetches because of tokens with unknown keys: any client can make those up. A few at once, then one now and then. */
const burst = 3;
const refillMs = 10_000;

export class IssuerKeys {
  readonly #config: IssuerKeysConfig;
  readonly #closed = new AbortController();
  #keys: readonly VerificationKey[] | undefined;
  #keysUrl: string | undefined;
  #staleAt = 0;
  #allowed = burst;
  #refilledAt: number;
  #running: Promise<void> | undefined;
  #retry: Timer | undefined;
  #waiting: (() => void)[] = [];

  constructor(config: IssuerKeysConfig) {
    this.#config = config;
    this.#refilledAt = config.clock.now();
  }

  /** Begins to fetch the keys, and repeats until it has them. */
  start(): void {
    void this.#refresh();
  }

  close(): void {
    this.#closed.abort();
    this.#retry?.cancel();
    this.#release();
  }

  /** Undefined as long as the issuer has not been reached. */
  get current(): readonly VerificationKey[] | undefined {
    if (this.#keys !== undefined && this.#config.clock.now() >= this.#staleAt) void this.#refresh();
    return this.#keys;
  }

  /** Resolves when the issuer has been reached, or will never be. */
  ready(): Promise<void> {
    if (this.#keys !== undefined || this.#closed.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Fetches the keys again for a token that none of the known keys signed; false if the limit of fetches is reached. */
  async renew(): Promise<boolean> {
    const { clock } = this.#config;
    const gained = Math.floor((clock.now() - this.#refilledAt) / refillMs);
    if (gained > 0) {
      this.#allowed = Math.min(burst, this.#allowed + gained);
      this.#refilledAt = clock.now();
    }
    if (this.#running === undefined) {
      if (this.#allowed === 0) return false;
      this.#allowed--;
    }
    await this.#refresh();
    return true;
  }

  /** One fetch at a time, for all callers. */
  #refresh(): Promise<void> {
    this.#running ??= this.#fetch().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #fetch(): Promise<void> {
    const { clock, onFetched } = this.#config;
    this.#retry?.cancel();
    try {
      onFetched({ keySet: await this.#load() });
      this.#release();
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      onFetched({ error: error as Error });
      // the keys may have moved
      this.#keysUrl = undefined;
      this.#staleAt = clock.now() + retryMs;
      if (this.#keys === undefined) this.#retry = clock.after(retryMs, () => this.start());
    }
  }

  async #load(): Promise<string> {
    this.#keysUrl ??= await this.#discover();
    const { value, text, maxAgeSeconds = usualAgeSeconds } = await this.#json(this.#keysUrl);
    this.#keys = parseKeySet(value);
    const age = Math.min(Math.max(maxAgeSeconds, shortestAgeSeconds), longestAgeSeconds);
    this.#staleAt = this.#config.clock.now() + age * 1000;
    return text;
  }

  async #discover(): Promise<string> {
    const { url, discoveryUrl } = this.#config;
    const at = discoveryUrl ?? `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { value } = await this.#json(at);
    const { issuer, jwks_uri: keys } = isJsonObject(value) ? value : {};
    if (issuer !== url)
      throw new Error(`${at}: issuer did not match the issuer returned by provider, expected ${JSON.stringify(url)}`);
    if (typeof keys !== 'string' || !URL.canParse(keys) || new URL(keys).protocol !== 'https:')
      throw new Error(`${at}: jwks_uri is no https URL`);
    return keys;
  }

  async #json(url: string) {
    const { authorities, fetch } = this.#config;
    const { value, ...rest } = await fetch(url, { authorities, signal: this.#closed.signal });
    if (value === undefined) throw new Error(`GET ${url}: the answer is no JSON`);
    return { ...rest, value };
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
