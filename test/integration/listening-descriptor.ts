// A socket that listens and that nobody in this process accepts connections of, as systemd holds it for a service.

import { execFileSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';

interface TcpHandle {
  readonly fd: number;
  bind(address: string, port: number): number;
  getsockname(out: object): number;
  close(): void;
}

interface TcpBinding {
  readonly TCP: new (type: number) => TcpHandle;
  readonly constants: { readonly SERVER: number };
}

export class ListeningDescriptor implements Disposable {
  readonly #handle: TcpHandle;
  readonly port: number;

  constructor() {
    // `net.Server` would accept connections itself
    const { TCP, constants } = (process as unknown as { binding(name: string): TcpBinding }).binding('tcp_wrap');
    this.#handle = new TCP(constants.SERVER);
    if (this.#handle.bind('127.0.0.1', 0) !== 0) throw new Error('no port is free');
    const address: Partial<AddressInfo> = {};
    this.#handle.getsockname(address);
    this.port = address.port as number;
    const script = 'require("net").createServer().listen({ fd: 3 }, () => process.exit())';
    execFileSync(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit', this.fd] });
  }

  get fd(): number {
    return this.#handle.fd;
  }

  [Symbol.dispose](): void {
    this.#handle.close();
  }
}
