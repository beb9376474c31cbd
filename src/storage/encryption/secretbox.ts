// Boxes of NaCl: XSalsa20 and Poly1305. Node has neither.

import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { bufferOf } from '../../base/bytes.ts';

export const boxNonceBytes = 24;

/** The tag, followed by the encrypted message. */
export function sealBox(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  return bufferOf(xsalsa20poly1305(key, nonce).encrypt(message));
}

/** Undefined where the box was not made with this key and nonce. */
export function openBox(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer | undefined {
  try {
    return bufferOf(xsalsa20poly1305(key, nonce).decrypt(box));
  } catch {
    return undefined;
  }
}
