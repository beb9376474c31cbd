// Secrets of stored values, once their plugin has decrypted them: one call for each, however many values have it.

import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import { MissingKeyError } from '../../store.ts';
import { aesGcm, type Cipher, seededGcm } from '../ciphers.ts';
import type { EncryptionObserver } from '../encryption-observer.ts';
import type { Envelope } from './messages.ts';
import { type Plugin, PluginError } from './plugin-settings.ts';

type Source = Omit<Envelope, 'data'>;

interface SecretParts {
  /** Of the plugin. */
  readonly name: string;
  readonly plugin: Plugin;
  readonly clock: Clock;
  readonly observer: EncryptionObserver;
}

const failed = 'failed to decrypt DEK, error';
/** Secrets that were decrypted longer ago may have to be decrypted again. */
const cachedMs = 24 * 3600_000;
const mostRefusals = 1000;

export class DecryptedSecrets {
  readonly #parts: SecretParts;
  readonly #ciphers = new Map<string, { readonly cipher: Cipher; readonly until: number }>();
  readonly #refusals = new Map<string, string>();
  readonly #fetches = new Map<string, Promise<void>>();

  constructor(parts: SecretParts) {
    this.#parts = parts;
  }

  /** Throws where the secret has not been decrypted, which `fetch` does. */
  cipherOf(source: Source): Cipher {
    const key = keyOf(source);
    const cachedCipher = this.#ciphers.get(key)?.cipher;
    if (cachedCipher !== undefined) return cachedCipher;
    throw new Error(`${failed}: ${this.#refusals.get(key) ?? 'the plugin was not asked'}`);
  }

  /**
   * Has the plugin decrypt the secret; undefined where that is done, or was refused. Rejects with a
   * MissingKeyError where the plugin could not say.
   */
  fetch(source: Source): Promise<void> | undefined {
    const key = keyOf(source);
    if (this.#ciphers.has(key) || this.#refusals.has(key)) return undefined;
    let fetching = this.#fetches.get(key);
    if (fetching === undefined) {
      this.#parts.observer.cacheMissed();
      fetching = this.#decrypt(source).finally(() => this.#fetches.delete(key));
      this.#fetches.set(key, fetching);
    }
    return fetching;
  }

  keep(source: Source, cipher: Cipher): void {
    const { clock, observer, name } = this.#parts;
    const now = clock.now();
    for (const [other, { until }] of this.#ciphers) if (until <= now) this.#ciphers.delete(other);
    this.#ciphers.set(keyOf(source), { cipher, until: now + cachedMs });
    observer.secretsCached(name, this.#ciphers.size);
  }

  /** The plugin is another one than before, and may decide otherwise. */
  forgetRefusals(): void {
    this.#refusals.clear();
  }

  async #decrypt(source: Source): Promise<void> {
    const { plugin } = this.#parts;
    try {
      const secret = await plugin.decrypt(source, randomUUID());
      this.keep(source, source.sourceType === 'seed' ? seededGcm(secret) : plainGcm(secret));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof PluginError && !error.isRefusal)
        throw new MissingKeyError(`${failed}: ${message}`, { cause: error });
      if (this.#refusals.size >= mostRefusals) this.#refusals.clear();
      this.#refusals.set(keyOf(source), message);
    }
  }
}

/** The form of older servers, which had one key for all their values. */
function plainGcm(key: Uint8Array): Cipher {
  if (![16, 24, 32].includes(key.length)) throw new Error(`crypto/aes: invalid key size ${key.length}`);
  return aesGcm(key);
}

/** Lengths stand before texts, so that no two secrets have one name. */
function keyOf({ sourceType, ciphertext, keyId, annotations }: Source): string {
  const hash = createHash('sha256').update(`${sourceType} ${ciphertext.length} `).update(ciphertext);
  hash.update(` ${Buffer.byteLength(keyId)} ${keyId} ${annotations.size} `);
  for (const [name, value] of [...annotations].sort(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(`${Buffer.byteLength(name)} ${name} ${value.length} `).update(value);
  return hash.digest('base64');
}
