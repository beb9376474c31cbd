// Bearer tokens as the rest of the server sees them: checked, and issued to service accounts.

import type { UserInfo } from './user.ts';

/** The user a token stands for, and which of the wanted audiences it was made for. */
export interface TokenOwner {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  readonly notes?: TokenNotes;
}

/** What the caller and audit are told about a token that is good. */
export interface TokenNotes {
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

export type TokenOutcome =
  | { readonly known: true; readonly owner: TokenOwner }
  /** No authenticator vouches for the token; `errors` is what those said that recognised it. */
  | { readonly known: false; readonly errors: readonly string[] };

export interface NamedObject {
  readonly name: string;
  readonly uid: string;
}

/** What a new token says. */
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
  /** The audiences of this server; tokens are for these unless something else is said. */
  readonly audiences: readonly string[];
  /** Longer lifetimes are shortened; undefined for no limit. */
  readonly maxLifetimeSeconds: number | undefined;
  /** Whether tokens for pods live for a year, so that programs which read theirs once go on. */
  readonly extendPodTokens: boolean;
  check(token: string, audiences: readonly string[]): Promise<TokenOutcome>;
  issue(order: TokenOrder): Promise<string>;
}
