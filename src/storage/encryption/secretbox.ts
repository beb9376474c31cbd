// Boxes of NaCl: XSalsa20 and Poly1305. Node has neither.

import { timingSafeEqual } from 'node:crypto';
import { poly1305 } from './poly1305.ts';
import { xsalsa20 } from './salsa20.ts';

export const boxNonceBytes = 24;
const tagBytes = 16;
/** The first bytes of the stream are the key of the tag. */
const tagKeyBytes = 32;

/** The tag, then what it is about. */
export function sealBox(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  const stream = xsalsa20(key, nonce, tagKeyBytes + message.length);
  const sealed = mixed(message, stream.subarray(tagKeyBytes));
  return Buffer.concat([poly1305(stream.subarray(0, tagKeyBytes), sealed), sealed]);
}

/** Undefined where the box was not made with this key and nonce. */
export function openBox(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (box.length < tagBytes) return undefined;
  const sealed = box.subarray(tagBytes);
  const stream = xsalsa20(key, nonce, tagKeyBytes + sealed.length);
  const tag = poly1305(stream.subarray(0, tagKeyBytes), sealed);
  return timingSafeEqual(tag, box.subarray(0, tagBytes)) ? mixed(sealed, stream.subarray(tagKeyBytes)) : undefined;
}

function mixed(bytes: Uint8Array, stream: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = (bytes[i] as number) ^ (stream[i] as number);
  return result;
}
