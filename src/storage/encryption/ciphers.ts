// How one key encrypts values, byte for byte as kube-apiserver does. Errors never contain the value.

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { boxNonceBytes, openBox, sealBox } from './secretbox.ts';

export interface Cipher {
  /** `path` is where the value is stored. */
  seal(value: Uint8Array, path: string): Buffer;
  /** Throws where the value was not sealed with this key, or, where the cipher can tell, for this path. */
  open(sealed: Uint8Array, path: string): Buffer;
}

const blockBytes = 16;
const gcmNonceBytes = 12;
const gcmTagBytes = 16;
const tooShort = 'the stored data was shorter than the required size';

/** Does not bind the value to its key in the store, and does not detect each change of it. */
export function aesCbc(key: Uint8Array): Cipher {
  const name = `aes-${key.length * 8}-cbc`;
  return {
    seal(value) {
      const iv = randomBytes(blockBytes);
      const cipher = createCipheriv(name, key, iv);
      return Buffer.concat([iv, cipher.update(value), cipher.final()]);
    },
    open(sealed) {
      if (sealed.length < 2 * blockBytes) throw new Error(tooShort);
      if (sealed.length % blockBytes !== 0) throw new Error('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(name, key, sealed.subarray(0, blockBytes));
      const start = decipher.update(sealed.subarray(blockBytes));
      return Buffer.concat([start, finalOr(decipher, 'invalid padding on input')]);
    },
  };
}

/** Bound to its path: a value that was copied to another key cannot be read there. */
export function aesGcm(key: Uint8Array): Cipher {
  const name = `aes-${(key.length * 8) as 128 | 192 | 256}-gcm` as const;
  return {
    seal(value, path) {
      const nonce = randomBytes(gcmNonceBytes);
      const cipher = createCipheriv(name, key, nonce, { authTagLength: gcmTagBytes }).setAAD(Buffer.from(path));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, path) {
      if (sealed.length < gcmNonceBytes + gcmTagBytes) throw new Error(tooShort);
      const nonce = sealed.subarray(0, gcmNonceBytes);
      const decipher = createDecipheriv(name, key, nonce, { authTagLength: gcmTagBytes }).setAAD(Buffer.from(path));
      decipher.setAuthTag(sealed.subarray(sealed.length - gcmTagBytes));
      const start = decipher.update(sealed.subarray(gcmNonceBytes, sealed.length - gcmTagBytes));
      return Buffer.concat([start, finalOr(decipher, 'message authentication failed')]);
    },
  };
}

const seedBytes = 32;
const infoBytes = 32;

/** Each value has its own key, derived from the seed and from random bytes before the value. */
export function seededGcm(seed: Uint8Array): Cipher {
  if (seed.length < seedBytes) throw new Error(`invalid seed length ${seed.length} used for key generation`);
  const cipherFor = (info: Uint8Array) =>
    // the first block of HKDF's expansion is as long as the key
    aesGcm(createHmac('sha256', seed).update(info).update(Uint8Array.of(1)).digest());
  return {
    seal(value, path) {
      const info = randomBytes(infoBytes);
      return Buffer.concat([info, cipherFor(info).seal(value, path)]);
    },
    open(sealed, path) {
      if (sealed.length < infoBytes) throw new Error(tooShort);
      return cipherFor(sealed.subarray(0, infoBytes)).open(sealed.subarray(infoBytes), path);
    },
  };
}

export const newSeed = (): Buffer => randomBytes(seedBytes);

export function secretbox(key: Uint8Array): Cipher {
  return {
    seal(value) {
      const nonce = randomBytes(boxNonceBytes);
      return Buffer.concat([nonce, sealBox(value, nonce, key)]);
    },
    open(sealed) {
      const opened = openBox(sealed.subarray(boxNonceBytes), sealed.subarray(0, boxNonceBytes), key);
      if (sealed.length < boxNonceBytes || opened === undefined) throw new Error('message authentication failed');
      return opened;
    },
  };
}

function finalOr(decipher: { final(): Buffer }, problem: string): Buffer {
  try {
    return decipher.final();
  } catch {
    throw new Error(problem);
  }
}
