// A key management plugin of version 2: gRPC over a socket of this machine.

import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { codeName } from '../../grpc-code.ts';
import { type EncryptionObserver, secondsSince } from '../encryption-observer.ts';
import {
  decodeDecryptResponse,
  decodeEncryptResponse,
  decodeStatus,
  encodeDecryptRequest,
  encodeEncryptRequest,
  type PluginStatus,
  type WrappedSecret,
} from './messages.ts';
import { type Plugin, PluginError, type PluginSettings } from './plugin-settings.ts';

const service = '/v2.KeyManagementService';
const same = (bytes: Buffer) => bytes;

/** Codes that refuse the request itself; after other codes a repeat may succeed. */
const refusals: readonly number[] = [
  ...[status.INVALID_ARGUMENT, status.NOT_FOUND, status.FAILED_PRECONDITION],
  ...[status.OUT_OF_RANGE, status.DATA_LOSS],
];

class GrpcPlugin implements Plugin {
  readonly #settings: PluginSettings;
  readonly #observer: EncryptionObserver;
  readonly #client: Client;

  constructor(settings: PluginSettings, observer: EncryptionObserver) {
    this.#settings = settings;
    this.#observer = observer;
    this.#client = new Client(`unix://${settings.socket}`, credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1000,
    });
  }

  async status(): Promise<PluginStatus> {
    return decodeStatus(await this.#call('Status', Buffer.alloc(0)));
  }

  async encrypt(plaintext: Uint8Array, uid: string): Promise<WrappedSecret> {
    return decodeEncryptResponse(await this.#call('Encrypt', encodeEncryptRequest(plaintext, uid)));
  }

  async decrypt(secret: WrappedSecret, uid: string): Promise<Uint8Array> {
    return decodeDecryptResponse(await this.#call('Decrypt', encodeDecryptRequest(secret, uid)));
  }

  close(): void {
    this.#client.close();
  }

  async #call(name: string, request: Buffer): Promise<Buffer> {
    const method = `${service}/${name}`;
    const start = performance.now();
    const ended = (code: number) =>
      this.#observer.pluginCalled(this.#settings.name, method, codeName(code), secondsSince(start));
    try {
      const answer = await this.#unary(method, request);
      ended(status.OK);
      return answer;
    } catch (error) {
      const { code, details } = error as ServiceError;
      ended(code);
      throw new PluginError(details, { code: codeName(code), isRefusal: refusals.includes(code) });
    }
  }

  /** Waits for a plugin that is not there yet, as long as a call may take. */
  #unary(method: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const metadata = new Metadata({ waitForReady: true });
      const options = { deadline: Date.now() + this.#settings.timeoutMs };
      this.#client.makeUnaryRequest(method, same, same, request, metadata, options, (error, response) => {
        if (error !== null) reject(error);
        else resolve(response ?? Buffer.alloc(0));
      });
    });
  }
}

export const openPlugin = (settings: PluginSettings, observer: EncryptionObserver): Plugin =>
  new GrpcPlugin(settings, observer);
