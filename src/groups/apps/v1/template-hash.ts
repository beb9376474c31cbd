// Hashes of pod templates, by which deployments, stateful and daemon sets name what they make and distinguish pods.
// kube-controller-manager 1.36 makes this hash of this form, so that either of them goes on with what the other did.

import { goDump } from '../../../wording/types/go-dump.ts';
import { type PodTemplateSpec, podTemplateSpec } from '../../core/v1/pod/pod-spec.ts';

/** `collisions` counts how often a hash was another template's as well. */
export function templateHash(template: PodTemplateSpec, collisions?: number): string {
  return encodeHash(fnv32a(goDump(podTemplateSpec, template), collisions));
}

const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** In letters that make no words. */
export const encodeHash = (hash: number): string =>
  [...String(hash)].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join('');

/** FNV-1a of 32 bits over a text and, where there is one, a number in 8 bytes. */
export function fnv32a(text: string, suffix?: number): number {
  const bytes = [...Buffer.from(text)];
  if (suffix !== undefined) for (let i = 0; i < 8; i++) bytes.push(i < 4 ? (suffix >>> (8 * i)) & 0xff : 0);
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** FNV-1 of 32 bits over a text. */
export function fnv32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
}
