// Tokens of service accounts whose time a test can end.

import type { TokenOrder, TokenOutcome, Tokens } from '../meta/tokens.ts';

export class ExpiringTokens implements Tokens {
  readonly #own: Tokens;
  #issued = new Set<string>();
  readonly #expired = new Set<string>();

  constructor(own: Tokens) {
    this.#own = own;
  }

  get audiences(): readonly string[] {
    return this.#own.audiences;
  }

  get maxLifetimeSeconds(): number | undefined {
    return this.#own.maxLifetimeSeconds;
  }

  get extendPodTokens(): boolean {
    return this.#own.extendPodTokens;
  }

  async check(token: string, audiences: readonly string[]): Promise<TokenOutcome> {
    if (!this.#expired.has(token)) return this.#own.check(token, audiences);
    return { known: false, errors: ['invalid bearer token', 'service account token has expired'] };
  }

  async issue(order: TokenOrder): Promise<string> {
    const token = await this.#own.issue(order);
    this.#issued.add(token);
    return token;
  }

  /** Those that were issued until now are not good any more. */
  expireAll(): void {
    for (const token of this.#issued) this.#expired.add(token);
    this.#issued = new Set();
  }
}
