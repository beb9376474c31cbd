// A balancer of TCP connections, as in front of replicas: connections go to the servers whose /readyz succeeds, one after the other.

import { once } from 'node:events';
import { request } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Identity } from './command-server.ts';

const checkMs = 100;
const checkTimeoutMs = 2000;

interface Backend {
  readonly port: number;
  isReady: boolean;
}

export class TcpBalancer implements AsyncDisposable {
  readonly #backends: readonly Backend[];
  readonly #identity: Identity;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next = 0;
  #isClosed = false;

  private constructor(ports: readonly number[], identity: Identity) {
    this.#identity = identity;
    this.#backends = ports.map((port) => ({ port, isReady: false }));
    this.#server = createServer((client) => this.#pass(client));
  }

  static async open(ports: readonly number[], identity: Identity): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(ports, identity);
    await Promise.all(balancer.#backends.map((backend) => balancer.#check(backend)));
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    for (const backend of balancer.#backends) void balancer.#follow(backend);
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  isReady(port: number): boolean {
    return this.#backends.some((backend) => backend.port === port && backend.isReady);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(client: Socket): void {
    const ready = this.#backends.filter(({ isReady }) => isReady);
    const backend = ready[this.#next++ % ready.length];
    if (backend === undefined) {
      client.destroy();
      return;
    }
    const server = connect({ port: backend.port, host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from));
      from.pipe(to);
    }
  }

  async #follow(backend: Backend): Promise<void> {
    while (!this.#isClosed) {
      await this.#check(backend);
      await new Promise((resolve) => setTimeout(resolve, checkMs));
    }
  }

  async #check(backend: Backend): Promise<void> {
    backend.isReady = await new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: backend.port, path: '/readyz', timeout: checkTimeoutMs, agent: false };
      const sent = request({ ...options, ...this.#identity }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      });
      sent.on('error', () => resolve(false)).on('timeout', () => sent.destroy());
      sent.end();
    });
  }
}
