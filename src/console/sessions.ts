// Sign-in links and sessions of the web console. A link works once and for minutes. A session consists of two secrets: a cookie,
// which the page cannot read, and a page token, which no other origin can read. Each is useless without the other.

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../base/time/clock.ts';
import { SharedSlots, slotBytes } from './shared-slots.ts';

const maxLinks = 16;
const maxSessions = 64;
const idBytes = 16;

export const linkMs = 10 * 60_000;
export const sessionMs = 12 * 3_600_000;

const memoryBytes = idBytes + slotBytes(maxLinks) + slotBytes(maxSessions);

export interface SessionSecrets {
  readonly cookie: string;
  readonly pageToken: string;
}

export class Sessions {
  /** For other threads, which accept the same sessions. */
  readonly memory: SharedArrayBuffer;
  /** Browsers send cookies of one port to all ports of a host: servers on one machine need different names. */
  readonly cookieName: string;
  readonly #links: SharedSlots;
  readonly #sessions: SharedSlots;
  readonly #clock: Clock;

  constructor(clock: Clock, memory?: SharedArrayBuffer) {
    this.#clock = clock;
    this.memory = memory ?? new SharedArrayBuffer(memoryBytes);
    const id = new Uint8Array(this.memory, 0, idBytes);
    if (memory === undefined) id.set(randomBytes(idBytes));
    this.cookieName = `__Host-keelson-${Buffer.from(id.slice(0, 6)).toString('hex')}`;
    this.#links = new SharedSlots(maxLinks, this.memory, idBytes);
    this.#sessions = new SharedSlots(maxSessions, this.memory, idBytes + slotBytes(maxLinks));
  }

  /** The code of a new link. */
  createLink(): string {
    const code = newSecret();
    const now = this.#clock.now();
    this.#links.add(digestOf(code), noDigest, now + linkMs, now);
    return code;
  }

  /** A new session for the code of a link; undefined if it was used, has expired or never was one. */
  open(code: string): SessionSecrets | undefined {
    const now = this.#clock.now();
    const at = this.#links.find(digestOf(code), noDigest, now);
    if (at === undefined || !this.#links.remove(at)) return undefined;
    const secrets = { cookie: newSecret(), pageToken: newSecret() };
    this.#sessions.add(digestOf(secrets.cookie), digestOf(secrets.pageToken), now + sessionMs, now);
    return secrets;
  }

  isOpen(secrets: SessionSecrets): boolean {
    return this.#find(secrets) !== undefined;
  }

  close(secrets: SessionSecrets): void {
    const at = this.#find(secrets);
    if (at !== undefined) this.#sessions.remove(at);
  }

  #find({ cookie, pageToken }: SessionSecrets): number | undefined {
    return this.#sessions.find(digestOf(cookie), digestOf(pageToken), this.#clock.now());
  }
}

const newSecret = () => randomBytes(32).toString('base64url');

const digestOf = (secret: string) => createHash('sha256').update(secret).digest();

const noDigest = new Uint8Array(32);
