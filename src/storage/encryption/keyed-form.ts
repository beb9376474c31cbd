// Values that are encrypted with keys of the configuration: the first key writes, all of them read.

import { aesCbc, aesGcm, type Cipher, secretbox } from './ciphers.ts';
import { missingKey } from './encrypted-with.ts';
import type { EncryptionObserver } from './encryption-observer.ts';
import { counted, type Form, type Place, type ReadValue, startsWith } from './form.ts';

export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

const ciphers: Readonly<Record<CipherName, (secret: Uint8Array) => Cipher>> = {
  aescbc: aesCbc,
  aesgcm: aesGcm,
  secretbox,
};

interface NamedCipher {
  readonly name: string;
  /** Stands after the name of the form. */
  readonly prefix: Buffer;
  readonly cipher: Cipher;
}

export class KeyedForm implements Form {
  readonly prefix: Buffer;
  readonly #name: CipherName;
  readonly #keys: readonly NamedCipher[];
  readonly #observer: EncryptionObserver | undefined;

  constructor(name: CipherName, keys: readonly EncryptionKey[], observer?: EncryptionObserver) {
    this.prefix = Buffer.from(`k8s:enc:${name}:v1:`);
    this.#name = name;
    this.#observer = observer;
    this.#keys = keys.map((key) => ({
      name: key.name,
      prefix: Buffer.from(`${key.name}:`),
      cipher: ciphers[name](key.secret),
    }));
  }

  seal(value: Uint8Array, place: Place): Uint8Array {
    const { prefix, cipher } = this.#keys[0] as NamedCipher;
    const step = { place, direction: 'to_storage', form: prefix.toString() } as const;
    return counted(this.#observer, step, () => Buffer.concat([prefix, cipher.seal(value, place.path)]));
  }

  open(sealed: Buffer, place: Place): ReadValue {
    const problems: string[] = [];
    for (const [at, { name, prefix, cipher }] of this.#keys.entries()) {
      if (!startsWith(sealed, prefix)) continue;
      const step = { place, direction: 'from_storage', form: prefix.toString() } as const;
      try {
        const value = counted(this.#observer, step, () => cipher.open(sealed.subarray(prefix.length), place.path));
        return { value, isStale: at !== 0 };
      } catch (error) {
        problems.push(`key ${JSON.stringify(name)} of ${this.#name}: ${(error as Error).message}`);
      }
    }
    if (problems.length > 0) throw new Error(problems.join(', '));
    return counted(this.#observer, { place, direction: 'from_storage', form: 'unknown' }, () => {
      throw new Error(missingKey(Buffer.concat([this.prefix, sealed])));
    });
  }
}
