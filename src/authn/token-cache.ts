// Users of tokens that were found good a moment ago, by a hash of the token.

import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { UserInfo } from '../meta/user.ts';

/** How long a token stays good without being looked at again. */
const lifetimeMs = 10_000;
const maxEntries = 4096;

interface Entry {
  readonly user: UserInfo;
  readonly until: number;
}

export class TokenCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(token: string): UserInfo | undefined {
    const hash = hashOf(token);
    const entry = this.#entries.get(hash);
    if (entry === undefined) return undefined;
    if (entry.until > this.#clock.now()) return entry.user;
    this.#entries.delete(hash);
    return undefined;
  }

  /** `expiresAt` is when the token itself ends. The oldest entry makes place. */
  add(token: string, user: UserInfo, expiresAt: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < maxEntries) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(hashOf(token), { user, until: Math.min(this.#clock.now() + lifetimeMs, expiresAt) });
  }
}

/** The token itself is kept nowhere, and how long a lookup takes says nothing of it. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');
