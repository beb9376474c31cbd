// What encryption reports to metrics.

export type Direction = 'from_storage' | 'to_storage';

export interface EncryptionObserver {
  /** A value was encrypted or decrypted, or could not be; `form` is what stands before values of this form. */
  transformed(step: {
    readonly resource: string;
    readonly direction: Direction;
    readonly form: string;
    readonly seconds: number;
    /** `OK`, the name of the gRPC code, or `unknown-non-grpc`. */
    readonly status: string;
  }): void;
  /** A value was encrypted or decrypted with this key of a plugin. */
  keyUsed(direction: Direction, provider: string, keyId: string): void;
  /** A plugin reported this key as its own. */
  keyReported(provider: string, keyId: string): void;
  invalidKeyReported(provider: string, error: string): void;
  seedMade(seconds: number): void;
  /** A plugin must be called, since the decrypted secret is not cached. */
  cacheMissed(): void;
  secretsCached(provider: string, count: number): void;
  pluginCalled(provider: string, method: string, code: string, seconds: number): void;
}

/** What errors are called that are not a plugin's. */
export const notFromPlugin = 'unknown-non-grpc';

export const secondsSince = (start: number): number => (performance.now() - start) / 1000;
