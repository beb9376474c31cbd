// A key management plugin in memory, for tests of what is above it.

import type { EncryptionObserver } from '../encryption-observer.ts';
import type { PluginStatus, WrappedSecret } from './messages.ts';
import { type Plugin, PluginError } from './plugin-settings.ts';

const reversed = (bytes: Uint8Array) => Uint8Array.from(bytes).reverse();

export class MemoryPlugin implements Plugin {
  said: PluginStatus = { version: 'v2', healthz: 'ok', keyId: 'first' };
  /** Calls fail with this error while there is one. */
  failure: PluginError | undefined;
  encryptsWith: string | undefined;
  decrypts = 0;

  async status(): Promise<PluginStatus> {
    this.#fail();
    return this.said;
  }

  async encrypt(plaintext: Uint8Array): Promise<WrappedSecret> {
    this.#fail();
    return { ciphertext: reversed(plaintext), keyId: this.encryptsWith ?? this.said.keyId, annotations: new Map() };
  }

  async decrypt({ ciphertext }: WrappedSecret): Promise<Uint8Array> {
    this.decrypts++;
    await new Promise((resolve) => setImmediate(resolve));
    this.#fail();
    return reversed(ciphertext);
  }

  close(): void {}

  #fail(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

export const unavailable = new PluginError('the socket is closed', { code: 'Unavailable', isRefusal: false });
export const refused = new PluginError('no such key', { code: 'InvalidArgument', isRefusal: true });

export const silent: EncryptionObserver = {
  transformed() {},
  keyUsed() {},
  keyReported() {},
  invalidKeyReported() {},
  seedMade() {},
  cacheMissed() {},
  secretsCached() {},
  pluginCalled() {},
};
