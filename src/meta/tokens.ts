// Bearer tokens as the rest of the server sees them: checked, and issued to service accounts.

import type { UserInfo } from './user.ts';

/** The user of a token, and those of the requested audiences that the token has. */
export interface TokenOwner {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  readonly notes?: TokenNotes;
}

/** Notes about a valid token, for the caller and for audit. */
export interface TokenNotes {
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

export type TokenOutcome =
  | { readonly known: true; readonly owner: TokenOwner }
  /** No authenticator accepts the token; `errors` are from those that recognised it. */
  | { readonly known: false; readonly errors: readonly string[] };

export interface NamedObject {
  readonly name: string;
  readonly uid: string;
}

/** The content of a new token. */
export interface TokenOrder {
  readonly namespace: string;
  readonly account: NamedObject;
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
  /** When uses of the token are worth a warning, if before its end. */
  readonly warnAfterSeconds?: number;
  /** Objects that the token ends with. */
  readonly pod?: NamedObject;
  readonly secret?: NamedObject;
  readonly node?: NamedObject;
}

export interface Tokens {
  /** The audiences of this server; tokens are for these by default. */
  readonly audiences: readonly string[];
  /** Longer lifetimes are shortened; undefined for no limit. */
  readonly maxLifetimeSeconds: number | undefined;
  /** Whether tokens for pods live for a year, so that programs which read theirs once go on. */
  readonly extendPodTokens: boolean;
  check(token: string, audiences: readonly string[]): Promise<TokenOutcome>;
  issue(order: TokenOrder): Promise<string>;
}
