// The client's transport over HTTP and TLS.

import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { BasePath } from '../../base/text/go-url-path.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type ClientAnswer, type ClientRequest, RequestError, type Transport } from '../client.ts';
import {
  type CredentialSource,
  type Credentials,
  impersonationHeaders,
  pemSource,
  sendWithRenewal,
} from '../credentials.ts';
import { hostOf, portOf, type Target } from '../kubeconfig/target.ts';
import { Call, TransportError } from './call.ts';
import { type ConnectionSettings, Connections } from './connections.ts';
import { proxyAuthorization } from './proxy.ts';

export interface HttpLimits {
  /** How long an answer may take in all; for a stream until it begins. */
  readonly timeoutMs: number;
  /** The longest answer that is read, unpacked. */
  readonly maxAnswerBytes: number;
  /** Requests and streams beyond this many at a time wait. */
  readonly maxConnections: number;
}

interface HttpTransportOptions extends HttpLimits {
  readonly target: Target;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly lookup?: LookupFunction;
}

/** An object on one line; nothing that a store takes is larger. */
const maxLineBytes = 16 * 1024 * 1024;

type Settings = Omit<ConnectionSettings, 'lookup' | 'maxConnections'>;

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #authority: (() => string) | undefined;
  #open: { readonly connections: Connections; readonly made: Settings } | undefined;
  #isClosed = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    const { certificateAuthorityData: data, certificateAuthority: path } = options.target.cluster;
    this.#authority = pemSource(data, path, options.clock);
  }

  send(request: ClientRequest): Promise<ClientAnswer> {
    return this.#withFreshCredentials(request, (credentials) => this.#answer(request, credentials));
  }

  async *lines(path: string, signal: AbortSignal): AsyncIterable<string> {
    const request = { method: 'GET', path } as const;
    const stop = new Error('the stream was given up');
    const { call, incoming, connections } = await this.#begin(request, signal, stop);
    const leave = () => call.cut(stop);
    signal.addEventListener('abort', leave, { once: true });
    connections.retired.addEventListener('abort', leave, { once: true });
    if (signal.aborted || connections.retired.aborted) leave();
    try {
      yield* call.lines(incoming, maxLineBytes);
    } catch (error) {
      if (error !== stop) throw this.#failure(request, error);
    } finally {
      signal.removeEventListener('abort', leave);
      connections.retired.removeEventListener('abort', leave);
    }
  }

  /** Closes every connection once the requests under way are over; streams end. */
  close(): void {
    this.#isClosed = true;
    this.#open?.connections.retire();
  }

  /** A stream whose answer was a success. */
  async #begin(request: ClientRequest, signal: AbortSignal, stop: Error) {
    const signalledRequest = { ...request, signal };
    let begun: { call: Call; incoming: IncomingMessage; connections: Connections } | undefined;
    const { status, body } = await this.#withFreshCredentials(signalledRequest, (credentials) =>
      this.#exchange(signalledRequest, credentials, async (call, incoming, connections) => {
        if (incoming.statusCode !== 200) return this.#read(signalledRequest, call, incoming);
        begun = { call, incoming, connections };
        return { status: 200, body: undefined };
      }),
    );
    if (begun === undefined) throw new RequestError(`GET ${request.path}`, status, body);
    if (signal.aborted) begun.call.cut(stop);
    return begun;
  }

  async #withFreshCredentials(
    request: ClientRequest,
    ask: (credentials: Credentials) => Promise<ClientAnswer>,
  ): Promise<ClientAnswer> {
    if (this.#isClosed) throw this.#failure(request, new Error('the transport is closed'));
    return sendWithRenewal(this.#options.credentials, ask);
  }

  #answer(request: ClientRequest, credentials: Credentials): Promise<ClientAnswer> {
    return this.#exchange(request, credentials, (call, incoming) => this.#read(request, call, incoming));
  }

  async #read(request: ClientRequest, call: Call, incoming: IncomingMessage): Promise<ClientAnswer> {
    const { statusCode: status = 0 } = incoming;
    const text = await call.text(incoming, this.#options.maxAnswerBytes);
    if (request.discards && status < 300) return { status, body: undefined };
    return { status, body: decoded(text) };
  }

  /** Sends a request and passes the answer to `use`, within one timeout. */
  #exchange<T>(
    request: ClientRequest,
    credentials: Credentials,
    use: (call: Call, incoming: IncomingMessage, connections: Connections) => Promise<T>,
  ): Promise<T> {
    const { clock, timeoutMs, target } = this.#options;
    const connections = this.#connections(credentials);
    const call = new Call({
      isSecure: target.url.protocol === 'https:',
      ...this.#message(request, credentials, connections),
    });
    return connections.use(async () => {
      const timer = clock.after(timeoutMs, () => call.cut(new Error(`no answer within ${timeoutMs} ms`)));
      const giveUp = () => call.cut(new Error('the request was given up'));
      request.signal?.addEventListener('abort', giveUp, { once: true });
      if (request.signal?.aborted) giveUp();
      try {
        return await use(call, await call.answer(), connections);
      } catch (error) {
        throw this.#failure(request, error);
      } finally {
        timer.cancel();
        request.signal?.removeEventListener('abort', giveUp);
      }
    });
  }

  #message(request: ClientRequest, { authorization }: Credentials, { agent }: Connections) {
    const { target, userAgent } = this.#options;
    const { url, proxy, cluster, user } = target;
    const body = bytesOf(request.body);
    const headers: OutgoingHttpHeaders = {
      accept: 'application/json',
      'user-agent': userAgent,
      host: url.host,
      ...(cluster.disableCompression ? {} : { 'accept-encoding': 'gzip' }),
      ...(body === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length }),
      ...(authorization === undefined ? {} : { authorization }),
      ...impersonationHeaders(user.impersonate),
    };
    const path = pathOn(target.path, request.path);
    const direct = { host: hostOf(url), port: portOf(url), path, method: request.method, headers, agent };
    if (proxy === undefined || url.protocol === 'https:' || proxy.protocol === 'socks5:')
      return { options: direct, body };
    const through = { host: hostOf(proxy), port: portOf(proxy), path: `${url.origin}${path}` };
    return { options: { ...direct, ...through, headers: { ...headers, ...proxyAuthorization(proxy) } }, body };
  }

  /** Connections made with the keys that hold now; those with older keys are let go. */
  #connections({ keyPair }: Credentials): Connections {
    const { target, lookup, maxConnections } = this.#options;
    const { cluster, url, proxy } = target;
    const settings: Settings = {
      url,
      proxy,
      keyPair,
      serverName: cluster.tlsServerName,
      insecure: cluster.insecureSkipTlsVerify,
      authority: this.#authority?.(),
    };
    if (this.#open !== undefined && isSame(this.#open.made, settings)) return this.#open.connections;
    const connections = new Connections({ ...settings, lookup, maxConnections });
    this.#open?.connections.retire();
    this.#open = { connections, made: settings };
    return connections;
  }

  #failure(request: ClientRequest, error: unknown): Error {
    const { origin } = this.#options.target.url;
    return new TransportError(`${request.method} ${origin}${request.path}`, error as NodeJS.ErrnoException);
  }
}

function isSame(a: Settings, b: Settings): boolean {
  return (
    a.authority === b.authority &&
    a.keyPair?.certificate === b.keyPair?.certificate &&
    a.keyPair?.privateKey === b.keyPair?.privateKey
  );
}

/** A path of the API behind whatever path the server has itself; webhooks are called there with a query alone. */
const pathOn = ({ prefix, whole }: BasePath, path: string): string =>
  path.startsWith('/') ? `${prefix}${path}` : `${whole}${path}`;

/** Bytes are sent as they are, anything else as JSON. */
function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(JSON.stringify(body));
}

/** JSON where it is some, the text otherwise. */
function decoded(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
