// Stored values of some resources: the first key of the first provider writes, all of them can read. What was written
// begins with the name of its provider and of its key, as kube-apiserver has it.

import { bufferOf } from '../../base/bytes.ts';
import { aesCbc, aesGcm, type Cipher, secretbox } from './ciphers.ts';

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

/** One provider of a configuration; the keys of `identity` are none. */
export interface EncryptionProvider {
  readonly name: CipherName | 'identity';
  readonly keys: readonly EncryptionKey[];
}

interface ReadValue {
  readonly value: Uint8Array;
  /** It was written otherwise than it would be written now. */
  readonly isStale: boolean;
}

const ciphers: Readonly<Record<CipherName, (secret: Uint8Array) => Cipher>> = {
  aescbc: aesCbc,
  aesgcm: aesGcm,
  secretbox,
};

const encryptedMark = Buffer.from('k8s:enc:');

/** One key, or none where values are stored as they are. */
interface Form {
  readonly prefix: Buffer;
  readonly cipher: Cipher | undefined;
  /** How errors call it. */
  readonly name: string;
}

export class Transformer {
  readonly #forms: readonly Form[];

  constructor(providers: readonly EncryptionProvider[]) {
    this.#forms = providers.flatMap(formsOf);
  }

  write(value: Uint8Array, path: string): Uint8Array {
    const { cipher, prefix } = this.#forms[0] as Form;
    return cipher === undefined ? value : Buffer.concat([prefix, cipher.seal(value, path)]);
  }

  /** Throws an error that says why, for a value that cannot be read. */
  read(stored: Uint8Array, path: string): ReadValue {
    const bytes = bufferOf(stored);
    const problems: string[] = [];
    for (const [at, { cipher, prefix, name }] of this.#forms.entries()) {
      if (!isOf(bytes, prefix, cipher)) continue;
      if (cipher === undefined) return { value: stored, isStale: at !== 0 };
      try {
        return { value: cipher.open(bytes.subarray(prefix.length), path), isStale: at !== 0 };
      } catch (error) {
        problems.push(`${name}: ${(error as Error).message}`);
      }
    }
    if (problems.length > 0) throw new Error(`it cannot be decrypted: ${problems.join(', ')}`);
    throw new Error(startsWith(bytes, encryptedMark) ? noKey : notEncrypted);
  }
}

const noKey = 'it cannot be decrypted: it is encrypted with a key that the encryption configuration does not have';
const notEncrypted = 'it is not encrypted, and the encryption configuration does not have identity among the providers';

/** Values of resources that no configuration names. */
export const plainTransformer = new Transformer([{ name: 'identity', keys: [] }]);

function formsOf({ name, keys }: EncryptionProvider): readonly Form[] {
  if (name === 'identity') return [{ prefix: Buffer.alloc(0), cipher: undefined, name }];
  return keys.map((key) => ({
    prefix: Buffer.from(`k8s:enc:${name}:v1:${key.name}:`),
    cipher: ciphers[name](key.secret),
    name: `key ${JSON.stringify(key.name)} of ${name}`,
  }));
}

function isOf(bytes: Buffer, prefix: Buffer, cipher: Cipher | undefined): boolean {
  return cipher === undefined ? !startsWith(bytes, encryptedMark) : startsWith(bytes, prefix);
}

const startsWith = (bytes: Buffer, prefix: Buffer) => bytes.subarray(0, prefix.length).equals(prefix);
