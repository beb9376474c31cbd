// The server's own certificates while it runs: renewed before their end, and read again after a command changed the files.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/time/clock.ts';
import { createIdentity, type Identity, openIdentity, renewedIdentity } from './identity.ts';

interface OwnIdentityOptions {
  /** Where the files are; undefined for an identity in memory. */
  readonly folder: string | undefined;
  readonly hosts: readonly string[];
  readonly clock: Clock;
}

/** How often the ends of certificates are looked at where no file changed. */
const lookEveryMs = 60 * 60 * 1000;

export class OwnIdentity {
  readonly #options: OwnIdentityOptions;
  #current: Identity;
  #seen = '';
  #lookedAt: number;

  constructor(options: OwnIdentityOptions) {
    const { folder, hosts, clock } = options;
    this.#options = options;
    this.#lookedAt = clock.now();
    this.#current =
      folder === undefined ? createIdentity(hosts, clock.now()) : openIdentity(folder, hosts, clock.now());
    this.#seen = stampOf(folder);
  }

  get current(): Identity {
    return this.#current;
  }

  /** True when something is different. Throws for files that cannot be used, and keeps the old. */
  reload(): boolean {
    const { folder, hosts, clock } = this.#options;
    const now = clock.now();
    const stamp = stampOf(folder);
    if (stamp === this.#seen && now - this.#lookedAt < lookEveryMs) return false;
    // before it is tried: files that cannot be used are complained about once
    this.#seen = stamp;
    this.#lookedAt = now;
    const before = this.#current;
    this.#current = folder === undefined ? renewedIdentity(before, hosts, now) : openIdentity(folder, hosts, now);
    this.#seen = stampOf(folder);
    return JSON.stringify(before) !== JSON.stringify(this.#current);
  }
}

/** Different as soon as a certificate or a key is replaced. */
function stampOf(folder: string | undefined): string {
  if (folder === undefined) return '';
  const names = readdirSync(folder).filter((name) => /\.(crt|key)$/.test(name));
  return names
    .sort()
    .map((name) => fileStamp(folder, name))
    .join(' ');
}

function fileStamp(folder: string, name: string): string {
  const { ino, ctimeMs, size } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
  return `${name}:${ino}:${ctimeMs}:${size}`;
}
