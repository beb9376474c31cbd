// The key that signs service account tokens: given, kept in the data folder, or made when the first token is.

import { createPrivateKey, generateKeyPair, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SigningKey, signingKey, type VerificationKey } from '../authn/jwt.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

const generate = promisify(generateKeyPair);

interface ServerKeysConfig {
  readonly given: SigningKey | undefined;
  /** Further keys whose tokens are trusted. */
  readonly others: readonly VerificationKey[];
  readonly dataDir: string | undefined;
}

export class ServerKeys {
  readonly #others: readonly VerificationKey[];
  readonly #folder: string | undefined;
  #key: SigningKey | undefined;
  #making: Promise<SigningKey> | undefined;

  constructor({ given, others, dataDir }: ServerKeysConfig) {
    this.#others = others;
    this.#folder = dataDir === undefined ? undefined : join(dataDir, 'pki');
    this.#key = given ?? this.#stored();
  }

  /** Making an RSA key takes long, so the key is made on first use. */
  signing(): MaybePromise<SigningKey> {
    if (this.#key !== undefined) return this.#key;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  /** Every key whose tokens are trusted. Another server on the same folder may have made the key in the meantime. */
  get all(): readonly VerificationKey[] {
    this.#key ??= this.#stored();
    const key = this.#key;
    return key === undefined ? this.#others : [key, ...this.#others.filter(({ id }) => id !== key.id)];
  }

  async #make(): Promise<SigningKey> {
    const { privateKey } = await generate('rsa', { modulusLength: 2048 });
    this.#key = this.#keep(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    return this.#key;
  }

  #stored(): SigningKey | undefined {
    if (this.#folder === undefined) return undefined;
    return readStoredKey(this.#folder);
  }

  /** Written whole or not at all; the first writer wins, so that two servers on one folder have one key. */
  #keep(pem: string): SigningKey {
    if (this.#folder === undefined) return signingKey(createPrivateKey(pem));
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `sa.key.${randomUUID()}`);
    writeFileSync(draft, pem, { mode: 0o600, flush: true });
    // whatever the umask is
    chmodSync(draft, 0o600);
    try {
      linkSync(draft, join(this.#folder, 'sa.key'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
    return this.#stored() as SigningKey;
  }
}

/** The key in `folder`; undefined where it is not made yet. Throws for one that cannot be used. */
export function readStoredKey(folder: string): SigningKey | undefined {
  const path = join(folder, 'sa.key');
  try {
    return signingKey(createPrivateKey(readFileSync(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read (${(error as Error).message}): ${keyRemedy}`);
  }
}

const keyRemedy = 'restore it from a backup, or remove it for a new key, which ends all tokens of service accounts';
