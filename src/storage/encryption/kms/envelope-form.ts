// Values that are encrypted with keys of a plugin; each is stored with its key as the plugin encrypted it.

import type { EncryptionObserver } from '../encryption-observer.ts';
import type { Form, Place, ReadValue } from '../form.ts';
import type { DataKeys } from './data-keys.ts';
import { decodeEnvelope, encodeEnvelope } from './messages.ts';

export class EnvelopeForm implements Form {
  readonly prefix: Buffer;
  readonly #keys: DataKeys;
  readonly #observer: EncryptionObserver;

  constructor(keys: DataKeys, observer: EncryptionObserver) {
    this.prefix = Buffer.from(`k8s:enc:kms:v2:${keys.name}:`);
    this.#keys = keys;
    this.#observer = observer;
  }

  seal(value: Uint8Array, { path }: Place): Uint8Array {
    const { cipher, ...source } = this.#keys.writeKey();
    const data = cipher.seal(value, path);
    this.#observer.keyUsed('to_storage', this.#keys.name, source.keyId);
    return encodeEnvelope({ ...source, data });
  }

  open(sealed: Buffer, { path }: Place): ReadValue {
    const envelope = decodeEnvelope(sealed);
    const cipher = this.#keys.secrets.cipherOf(envelope);
    this.#observer.keyUsed('from_storage', this.#keys.name, envelope.keyId);
    const isStale = envelope.keyId !== this.#keys.keyId || envelope.sourceType !== 'seed';
    return { value: cipher.open(envelope.data, path), isStale };
  }

  prepare(sealed: Buffer): Promise<void> | undefined {
    try {
      return this.#keys.secrets.fetch(decodeEnvelope(sealed));
    } catch {
      // it is no envelope, which `open` reports
      return undefined;
    }
  }
}
