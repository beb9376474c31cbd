// The mark at the beginning of an encrypted value names the provider and the key, or the plugin, that wrote it.

import { bufferOf } from '../../base/bytes.ts';

/** The longest mark that is read. */
const maxMarkBytes = 512;
const mark = /^k8s:enc:([^:]*):v\d+:([^:]*):/;

/** In words, such as `key "key1" of aescbc`; undefined for a value that is not encrypted. */
export function encryptedWith(value: Uint8Array): string | undefined {
  const start = bufferOf(value).toString('latin1', 0, Math.min(value.length, maxMarkBytes));
  if (!start.startsWith('k8s:enc:')) return undefined;
  const [, provider = '', name = ''] = mark.exec(start) ?? [];
  if (provider === '') return 'an unknown provider';
  return `${provider === 'kms' ? 'plugin' : 'key'} ${JSON.stringify(name)} of ${provider}`;
}

/** For values whose key is not there. */
export const missingKey = (value: Uint8Array): string =>
  `it is encrypted with ${encryptedWith(value)}, which the encryption configuration does not have`;
