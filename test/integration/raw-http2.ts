// HTTP/2 by the byte, for clients that do what no library would.

import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Server } from '../../src/index.ts';
import { frame, word } from '../../src/testing/http2-bytes.ts';
import { credentialsOf } from './credentials.ts';

export const frameTypes = { headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7 } as const;
const flags = { endStream: 1, endHeaders: 4 } as const;

/** A GET, its headers from the table that every connection begins with, names and values in full. */
export function get(stream: number, path: string, { isWhole = true } = {}): Buffer {
  const literal = (index: number, value: string) =>
    Buffer.concat([Buffer.from([index, value.length]), Buffer.from(value)]);
  const block = Buffer.concat([Buffer.from([0x82, 0x87]), literal(0x04, path), literal(0x01, 'x')]);
  return frame(frameTypes.headers, (isWhole ? flags.endStream : 0) | flags.endHeaders, stream, block);
}

export const reset = (stream: number, code = 8) => frame(frameTypes.reset, 0, stream, word(code));

/** A connection of which only the bytes count. */
export class RawConnection {
  readonly socket: TLSSocket;
  #received = Buffer.alloc(0);

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    socket.on('error', () => socket.destroy());
  }

  static async open(server: Server, protocol: 'h2' | 'http/1.1' = 'h2'): Promise<RawConnection> {
    const port = Number(new URL(server.url).port);
    const socket = connect({ port, host: '127.0.0.1', ALPNProtocols: [protocol], ...credentialsOf(server.kubeconfig) });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  send(...parts: readonly (Buffer | string)[]): void {
    this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as Buffer))));
  }

  get text(): string {
    return this.#received.toString('latin1');
  }

  /** Frames that have come. */
  get frames(): readonly { readonly type: number; readonly stream: number; readonly payload: Buffer }[] {
    const found = [];
    for (let at = 0; at + 9 <= this.#received.length; ) {
      const end = at + 9 + this.#received.readUIntBE(at, 3);
      const [type = 0, stream] = [this.#received[at + 3], this.#received.readUInt32BE(at + 5)];
      found.push({ type, stream, payload: this.#received.subarray(at + 9, end) });
      at = end;
    }
    return found;
  }

  has(type: number): boolean {
    return this.frames.some((one) => one.type === type);
  }

  /** Code of the server's farewell; undefined where there was none. */
  get farewell(): number | undefined {
    return this.frames.find(({ type }) => type === frameTypes.goaway)?.payload.readUInt32BE(4);
  }

  get isClosed(): boolean {
    return this.socket.destroyed || this.socket.readableEnded;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
