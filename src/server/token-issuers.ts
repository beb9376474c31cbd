// Issuers of tokens as the server runs them: begun with it, changed with their file, ended with it.

import { fetchDocument } from '../authn/jwt-issuers/fetch-document.ts';
import { JwtIssuers } from '../authn/jwt-issuers/issuers.ts';
import type { TokenAuthenticator } from '../authn/token-authenticator.ts';
import type { Clock } from '../base/clock.ts';
import type { AuthenticationMetrics } from './authentication-metrics.ts';
import type { IssuersConfig } from './issuer-options.ts';
import type { Log } from './options.ts';

export interface TokenIssuersParts {
  readonly config: IssuersConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AuthenticationMetrics;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
}

export class TokenIssuers {
  readonly #parts: TokenIssuersParts;
  #current: JwtIssuers;

  constructor(parts: TokenIssuersParts) {
    this.#parts = parts;
    this.#current = this.#open(parts.config.kind === 'none' ? [] : parts.config.authenticators);
  }

  /** Begins to look for keys; the server does not wait for issuers. */
  start(): void {
    this.#current.start();
  }

  close(): void {
    this.#current.close();
  }

  readonly check: TokenAuthenticator = (token, wanted) => this.#current.check(token, wanted);

  #open(authenticators: ConstructorParameters<typeof JwtIssuers>[0]): JwtIssuers {
    const { clock, audiences, log, metrics } = this.#parts;
    return new JwtIssuers(authenticators, {
      clock,
      audiences,
      fetch: fetchDocument,
      onError: (issuer, error) => log.warn({ issuer, err: error }, 'an issuer of tokens cannot be reached'),
      onChecked: (outcome) => metrics.checked(outcome),
    });
  }
}
