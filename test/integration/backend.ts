// Another API server for tests: speaks HTTP/2 and HTTP/1.1 over TLS, remembers what it was asked, and misbehaves on demand.

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Incoming['headers'];
  readonly rawHeaders: readonly string[];
  readonly version: string;
  /** Common name of the client's certificate; empty without one. */
  readonly commonName: string;
  readonly port: number;
}

export type Behaviour = (request: Incoming, response: Outgoing, seen: Seen) => void;

interface BackendOptions {
  /** `http/1.1` for a server that knows nothing newer. */
  readonly protocol?: 'h2' | 'http/1.1';
  /** The name that its certificate is for. */
  readonly name?: string;
  /** Alternative names of its certificate, where they are not that name. */
  readonly hosts?: readonly string[];
  readonly commonName?: string;
  /** The address it listens at. */
  readonly host?: string;
  onUpgrade?(request: IncomingMessage, socket: Duplex): void;
}

export class Backend implements AsyncDisposable {
  readonly authority: KeyPair;
  readonly seen: Seen[] = [];
  readonly sockets = new Set<Socket>();
  /** Called when a request ends before its answer. */
  onClosed: () => void = () => {};
  readonly #server: Http2SecureServer;

  private constructor(server: Http2SecureServer, authority: KeyPair) {
    this.#server = server;
    this.authority = authority;
  }

  static async open(behave: Behaviour, options: BackendOptions = {}): Promise<Backend> {
    const { protocol = 'h2', name = 'ext.default.svc', host = '127.0.0.1' } = options;
    const { hosts = [name], commonName = 'server' } = options;
    const authority = createAuthority('backend', Date.now());
    const leaf = signLeaf(authority, { usage: 'server', commonName, hosts: [...hosts] }, Date.now());
    const pair = { cert: leaf.certificate, key: leaf.privateKey, requestCert: true, rejectUnauthorized: false };
    const server =
      protocol === 'h2'
        ? createSecureServer({ ...pair, allowHTTP1: true })
        : (createServer(pair) as unknown as Http2SecureServer);
    const backend = new Backend(server, authority);
    server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const seen = seenOf(request);
      backend.seen.push(seen);
      request.on('error', () => {});
      response.on('close', () => {
        if (!response.writableEnded) backend.onClosed();
      });
      behave(request, response, seen);
    });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      backend.seen.push(seenOf(request));
      socket.on('error', () => {});
      options.onUpgrade?.(request, socket);
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      backend.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => backend.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return backend;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get caBundle(): string {
    return Buffer.from(this.authority.certificate).toString('base64');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function seenOf(request: Incoming): Seen {
  const socket = ('stream' in request ? request.stream.session?.socket : request.socket) as TLSSocket;
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    version: request.httpVersion,
    commonName: (socket.getPeerCertificate().subject as { CN?: string } | undefined)?.CN ?? '',
    port: socket.remotePort ?? 0,
  };
}

export function json(response: Outgoing, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  (response as ServerResponse).writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

export const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

export interface Registration {
  readonly group: string;
  readonly version?: string;
  readonly port: number;
  readonly service?: string;
  readonly caBundle?: string;
  readonly more?: object;
}

export function apiService({
  group,
  version = 'v1',
  port,
  service = 'ext',
  caBundle,
  more = {},
}: Registration): object {
  return {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'default', name: service, port },
      ...(caBundle === undefined ? {} : { caBundle }),
      ...more,
    },
  };
}

/** A service that is found on this machine. */
export async function externalService(api: Api, name = 'ext'): Promise<void> {
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  await api.post('/api/v1/namespaces/default/services', {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name },
    spec,
  });
}

/** Has a server pass a group-version on to a backend, and waits until it does. */
export async function register(
  server: Server,
  backend: Backend,
  registration: Partial<Registration> & { readonly group: string },
): Promise<Api> {
  const api = await announce(server, backend, registration);
  await condition(api, `${registration.version ?? 'v1'}.${registration.group}`, { reason: 'Passed' });
  return api;
}

/** The same without waiting: the backend may be of no use. */
export async function announce(
  server: Server,
  backend: Backend,
  registration: Partial<Registration> & { readonly group: string },
): Promise<Api> {
  const api = apiOf(server);
  await externalService(api, registration.service);
  const whole = { port: backend.port, caBundle: backend.caBundle, ...registration };
  const { status, body } = await api.post(apiServices, apiService(whole));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return api;
}

/** Waits until the condition Available of an APIService is like this. */
export function condition(api: Api, name: string, like: object): Promise<void> {
  return eventually(async () => {
    const { body } = await api.get(`${apiServices}/${name}`);
    const [found] = body.status?.conditions ?? [];
    expect(found).toMatchObject({ type: 'Available', ...like });
  });
}
