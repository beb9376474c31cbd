// An external server for tests: its own CA, an answer for every request, and a list of received requests.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createAuthority, type KeyPair, signLeaf } from '../pki/certificates.ts';

export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Common name of the client's certificate; empty without one. */
  readonly commonName: string;
  /** The port of the client, which identifies the connection. */
  readonly port: number;
}

/** An answer: JSON with 200, or whatever the handler writes by itself. */
export type PeerHandler = (request: PeerRequest, response: ServerResponse) => unknown;

interface PeerOptions {
  /** The CA of its certificate; a new one by default. */
  readonly authority?: KeyPair;
  readonly hosts?: readonly string[];
  /** When the certificate is made, for one that has ended. */
  readonly madeAt?: number;
}

const day = 24 * 60 * 60 * 1000;
export const expiredAt = () => Date.now() - 800 * day;

export class TlsPeer implements AsyncDisposable {
  readonly authority: KeyPair;
  /** Its own certificate. */
  readonly certificate: string;
  readonly requests: PeerRequest[] = [];
  readonly #server: Server;

  private constructor(server: Server, authority: KeyPair, certificate: string) {
    this.#server = server;
    this.authority = authority;
    this.certificate = certificate;
  }

  static async open(handler: PeerHandler, options: PeerOptions = {}): Promise<TlsPeer> {
    const authority = options.authority ?? createAuthority('a test', Date.now());
    const { hosts = ['localhost', '127.0.0.1'], madeAt = Date.now() } = options;
    const leaf = signLeaf(authority, { usage: 'server', commonName: 'peer', hosts }, madeAt);
    const server = createServer({
      cert: leaf.certificate,
      key: leaf.privateKey,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    });
    const peer = new TlsPeer(server, authority, leaf.certificate);
    server.on('request', (incoming, response) => void peer.#serve(handler, incoming, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** A kubeconfig that leads here; `user` and `cluster` add to its entries. */
  kubeconfig({ user = {}, cluster = {}, path = '' }: { user?: object; cluster?: object; path?: string } = {}): string {
    return JSON.stringify({
      clusters: [{ name: 'peer', cluster: { server: `${this.url}${path}`, ...this.#trusted(), ...cluster } }],
      users: [{ name: 'me', user }],
      contexts: [{ name: 'peer', context: { cluster: 'peer', user: 'me' } }],
      'current-context': 'peer',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #trusted() {
    return { 'certificate-authority-data': Buffer.from(this.authority.certificate).toString('base64') };
  }

  async #serve(handler: PeerHandler, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const socket = incoming.socket as TLSSocket;
    const request: PeerRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(parts).toString(),
      commonName: (socket.getPeerCertificate().subject as { CN?: string } | undefined)?.CN ?? '',
      port: socket.remotePort ?? 0,
    };
    this.requests.push(request);
    const answer = await handler(request, response);
    if (answer === undefined || response.headersSent || response.destroyed) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }
}
