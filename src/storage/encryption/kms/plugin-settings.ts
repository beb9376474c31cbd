// A key management plugin, as its user sees it.

import type { PluginStatus, WrappedSecret } from './messages.ts';

export interface PluginSettings {
  readonly name: string;
  /** Path of the socket. */
  readonly socket: string;
  /** How long a call may take. */
  readonly timeoutMs: number;
}

/** Calls fail with a PluginError. */
export interface Plugin {
  status(): Promise<PluginStatus>;
  encrypt(plaintext: Uint8Array, uid: string): Promise<WrappedSecret>;
  decrypt(secret: WrappedSecret, uid: string): Promise<Uint8Array>;
  close(): void;
}

export class PluginError extends Error {
  /** Name of the gRPC code. */
  readonly code: string;
  /** The plugin has decided: it would say the same again. */
  readonly isRefusal: boolean;

  constructor(details: string, { code, isRefusal }: { readonly code: string; readonly isRefusal: boolean }) {
    super(`rpc error: code = ${code} desc = ${details}`);
    this.code = code;
    this.isRefusal = isRefusal;
  }
}
