// Issuers of tokens as the server runs them: begun with it, changed with their file, ended with it.

import { fetchDocument } from '../../authn/jwt-issuers/fetch-document.ts';
import { JwtIssuers } from '../../authn/jwt-issuers/issuers.ts';
import type { TokenAuthenticator } from '../../authn/token-authenticator.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import { type AuthenticationContent, AuthenticationFile } from '../../config/authentication-file.ts';
import type { AuthenticationConfig } from '../../config/authentication-options.ts';
import { FilePoll } from '../../config/file-poll.ts';
import { OptionError } from '../../config/option-error.ts';
import type { Log } from '../../config/options.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { AuthenticationMetrics } from '../../metrics/authentication-metrics.ts';

interface TokenIssuersParts {
  readonly config: AuthenticationConfig;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AuthenticationMetrics;
}

/** New issuers have to be reached in this time; otherwise the old ones stay, and it is tried again. */
const patienceMs = 60_000;

export class TokenIssuers {
  readonly #parts: TokenIssuersParts;
  readonly #file: AuthenticationFile | undefined;
  #current: JwtIssuers;
  #allowsAnonymous: (path: string) => boolean;
  /** The bytes of the file that were dealt with last. */
  #seen: Buffer | undefined;
  #poll: FilePoll | undefined;
  #isClosed = false;

  constructor(parts: TokenIssuersParts) {
    const { tokenIssuers, anonymous } = parts.config;
    this.#parts = parts;
    this.#current = this.#open(tokenIssuers.kind === 'fixed' ? tokenIssuers.authenticators : []);
    this.#allowsAnonymous = () => anonymous;
    this.#file = fileOf(parts);
  }

  /** Reads the file, and begins to look for keys: the server does not wait for issuers. Throws for a bad file. */
  async start(): Promise<void> {
    if (this.#file !== undefined) await this.#begin(this.#file);
    this.#current.start();
  }

  close(): void {
    this.#isClosed = true;
    this.#poll?.stop();
    this.#current.close();
  }

  readonly check: TokenAuthenticator = (token, wanted) => this.#current.check(token, wanted);

  /** Whether a path needs no credentials. */
  allowsAnonymous(path: string): boolean {
    return this.#allowsAnonymous(path);
  }

  async #begin(file: AuthenticationFile): Promise<void> {
    const { bytes, content } = await loaded(file);
    this.#seen = bytes;
    this.#adopt(this.#open(content.authenticators), content);
    this.#poll = new FilePoll(this.#parts.clock, () => this.#reload(file));
  }

  #adopt(issuers: JwtIssuers, { allowsAnonymous, hash }: AuthenticationContent): void {
    const { metrics, config } = this.#parts;
    this.#current.close();
    this.#current = issuers;
    this.#allowsAnonymous = allowsAnonymous ?? (() => config.anonymous);
    metrics.configured(hash);
  }

  async #reload(file: AuthenticationFile): Promise<void> {
    const { log, metrics, clock } = this.#parts;
    try {
      const bytes = file.read();
      if (this.#seen?.equals(bytes)) return;
      const isUsed = await this.#replace(file, bytes);
      if (this.#isClosed) return;
      metrics.reloaded('success', clock.now());
      if (isUsed) log.info({}, 'the authentication configuration has changed');
    } catch (error) {
      metrics.reloaded('failure', clock.now());
      log.warn({ err: error }, 'the authentication configuration cannot be used, the old one stays');
    }
  }

  /** What is wrong is wrong until it changes; issuers that cannot be reached are tried again. */
  async #replace(file: AuthenticationFile, bytes: Buffer): Promise<boolean> {
    const before = this.#seen;
    this.#seen = bytes;
    const content = await file.load(bytes);
    const next = this.#open(content.authenticators);
    next.start();
    if (await this.#isReady(next)) {
      this.#adopt(next, content);
      return true;
    }
    next.close();
    if (this.#isClosed) return false;
    this.#seen = before;
    throw new Error('not all of its issuers can be reached');
  }

  async #isReady(issuers: JwtIssuers): Promise<boolean> {
    let timer: Timer | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = this.#parts.clock.after(patienceMs, () => resolve(false));
    });
    const isReady = await Promise.race([issuers.ready().then(() => true), late]);
    timer?.cancel();
    return isReady && !this.#isClosed;
  }

  #open(authenticators: ConstructorParameters<typeof JwtIssuers>[0]): JwtIssuers {
    const { clock, config, log, metrics } = this.#parts;
    return new JwtIssuers(authenticators, {
      clock,
      audiences: config.audiences,
      fetch: fetchDocument,
      onFetched: (issuer, outcome) => {
        metrics.fetched(issuer, 'error' in outcome ? undefined : outcome.keySet, clock.now());
        if ('error' in outcome) log.warn({ issuer, err: outcome.error }, 'an issuer of tokens cannot be reached');
      },
      onChecked: (outcome) => metrics.checked(outcome),
    });
  }
}

/** Undefined where no file has the issuers. */
function fileOf({ config, dialect }: Pick<TokenIssuersParts, 'config' | 'dialect'>): AuthenticationFile | undefined {
  const { tokenIssuers, isAnonymousGiven, issuers: ownIssuers } = config;
  if (tokenIssuers.kind !== 'file') return undefined;
  const { path } = tokenIssuers;
  return new AuthenticationFile({ path, dialect, ownIssuers, mayDecideAnonymous: !isAnonymousGiven });
}

async function loaded(file: AuthenticationFile) {
  try {
    const bytes = file.read();
    return { bytes, content: await file.load(bytes) };
  } catch (error) {
    throw new OptionError(`authenticationConfig: ${(error as Error).message}`);
  }
}

/** Throws an OptionError where the file of issuers cannot be used. */
export async function checkIssuerFile(parts: Pick<TokenIssuersParts, 'config' | 'dialect'>): Promise<void> {
  const file = fileOf(parts);
  if (file !== undefined) await loaded(file);
}
