// The socket: HTTP/2 and HTTP/1.1 over TLS on one port, client certificates, orderly shutdown.

import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, type Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls';
import type { Clock } from '../../base/time/clock.ts';
import type { Handler } from '../../meta/exchange.ts';
import type { SessionOptions } from '../http2/http2-session.ts';
import { type BeginSession, type Http2Implementation, http2Sessions } from '../http2-implementation.ts';
import { type ConnectionLimits, defaultLimits } from './connection-limits.ts';
import { type Connection, Connections } from './connections.ts';
import { endStreams } from './end-streams.ts';
import { serveMessage } from './http1-exchange.ts';
import { maxHeaders, unreadable } from './http1-refusals.ts';
import { listenOn, type PassConnection, type PassedConnections, type PassedSocket } from './listening-sockets.ts';
import type { ServeContext } from './serve-context.ts';
import { StrangerMemory } from './stranger-memory.ts';
import type { LiveSinks } from './stream-sink.ts';
import { UnreadAnswers } from './unread-answers.ts';
import { serveUpgrade } from './upgrade.ts';

interface ListenerOptions {
  readonly handler: Handler;
  readonly clock: Clock;
  readonly identity: ListenerIdentity;
  readonly minVersion: SecureVersion;
  /** Undefined for what Node thinks good. */
  readonly ciphers: string | undefined;
  /** Groups for the exchange of keys, in the words of OpenSSL; undefined for what Node thinks good. */
  readonly curves?: string | undefined;
  /** How likely a request over HTTP/2 ends its connection; 0 when not given. */
  readonly goawayChance?: number;
  /** Whether HTTP/2 is offered; true when not given. */
  readonly speaksHttp2?: boolean;
  /** Which implementation of HTTP/2 serves connections; the own one when not given. */
  readonly http2?: Http2Implementation;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Sockets that listen already; `host` and `port` are not used then. */
  readonly sockets?: readonly PassedSocket[] | undefined;
  /** Connections that another thread accepts: this one listens nowhere then. */
  readonly passed?: PassedConnections | undefined;
  /** Gives connections to other threads. */
  readonly pass?: PassConnection | undefined;
  /** Whether other threads may bind the port as well. */
  readonly reusePort?: boolean;
  /** Those that are not given are as kube-apiserver's. */
  readonly limits?: Partial<ConnectionLimits>;
  onStreamError(error: unknown): void;
}

export interface ServingPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A certificate for some names, which may begin with `*.`. */
export interface NamedPair extends ServingPair {
  readonly names: readonly string[];
}

/** The certificates of the server, and the CAs of client certificates. */
export interface ListenerIdentity extends ServingPair {
  readonly named: readonly NamedPair[];
  /** CAs whose client certificates are trusted. */
  readonly clientCa: readonly string[];
}

/** Headers of a request over HTTP/1.1; more is a 431. */
const maxHeaderBytes = 1024 * 1024;

/** How long a client may take to finish its handshake and to send its request, or to learn that it is to leave, when the listener closes. */
const arrivalMs = 1000;

export class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #connections: Connections;
  readonly #live: LiveSinks = new Set();
  #listening: readonly NetServer[] = [];
  #place: { readonly host: string; readonly ports: readonly number[] } = { host: '', ports: [] };
  readonly #maxConnections: number;
  readonly #protocol: Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve'>;
  #byName: ReadonlyMap<string, SecureContext>;
  #isDraining = false;
  /** TLS handshakes that failed. */
  handshakeErrors = 0;
  /** One function for all answers: this is on the way of every request. */
  readonly #onClosed = () => {
    this.#active--;
    this.#onLess?.();
  };
  #active = 0;
  /** While the listener ends: fewer requests are under way, or to be expected. */
  #onLess: (() => void) | undefined;

  private constructor(options: ListenerOptions, beginSession: BeginSession) {
    this.#clock = options.clock;
    const limits = { ...defaultLimits, ...options.limits };
    this.#connections = new Connections(limits, options.clock);
    const { minVersion, ciphers, curves, goawayChance = 0, speaksHttp2 = true } = options;
    this.#protocol = {
      minVersion,
      ...(ciphers === undefined ? {} : { ciphers }),
      ...(curves === undefined ? {} : { ecdhCurve: curves }),
    };
    this.#byName = this.#contextsOf(options.identity);
    this.#server = createServer({
      ...this.#secureOptions(options.identity),
      SNICallback: (name, done) => done(null, contextFor(this.#byName, name)),
      requestCert: true,
      // a bad client certificate is answered with 401, not with a broken handshake
      rejectUnauthorized: false,
      ALPNProtocols: speaksHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      noDelay: true,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.firstRequestMs,
      // refused in other words than Node's
      requireHostHeader: false,
      // connections without a request are closed by the keeper of connections
      keepAliveTimeout: 0,
    });
    // those over the limit are dropped in silence: one more than allowed shows that there were too many
    this.#server.maxHeadersCount = maxHeaders + 1;
    this.#maxConnections = limits.connections;
    this.#server.maxConnections = limits.connections;
    const context = {
      handler: options.handler,
      isDraining: () => this.#isDraining,
      live: this.#live,
      unread: new UnreadAnswers(limits, options.clock),
      strangers: new StrangerMemory(limits.strangerBytes),
      onStreamError: options.onStreamError,
      onBegan: () => {
        this.#active++;
      },
      onClosed: this.#onClosed,
    };
    this.#wire(context);
    this.#wireConnections({ context, clock: options.clock, streams: limits.streams, goawayChance }, beginSession);
  }

  static async open(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options, await http2Sessions(options.http2 ?? 'own'));
    const { host, port, reusePort = false, sockets = [], passed, pass } = options;
    if (passed !== undefined) await listener.#take(passed);
    else await listener.#listen(sockets.length > 0 ? sockets : [{ host, port, reusePort }], pass);
    return listener;
  }

  async #listen(sockets: Parameters<typeof listenOn>[1], pass: PassConnection | undefined): Promise<void> {
    this.#listening = await listenOn(this.#server, sockets, pass);
    if (pass !== undefined) this.#server.emit('listening');
    const addresses = this.#listening.map((server) => server.address() as AddressInfo);
    this.#place = { host: addresses[0]?.address ?? '', ports: addresses.map(({ port }) => port) };
  }

  /** Node's server begins to watch over its connections when it listens. */
  async #take(passed: PassedConnections): Promise<void> {
    this.#place = passed;
    this.#server.emit('listening');
    await passed.begin((handle) => {
      const socket = new Socket({ handle, readable: true, writable: true } as object);
      socket.setNoDelay(true);
      if (this.#connections.count < this.#maxConnections) this.#server.emit('connection', socket);
      else socket.destroy();
      return socket;
    });
  }

  /** Connections made from now on use these. */
  renew(identity: ListenerIdentity): void {
    this.#byName = this.#contextsOf(identity);
    this.#server.setSecureContext(this.#secureOptions(identity));
  }

  /** Those that listen. */
  get servers(): readonly NetServer[] {
    return this.#listening;
  }

  /** Asks the clients of a share of the HTTP/2 connections to reconnect; requests under way finish. */
  shed(share: number): void {
    for (const session of this.#connections.sessions) if (Math.random() < share) session.sendGoAway();
  }

  /** Of the first socket. */
  get port(): number {
    return this.ports[0] as number;
  }

  /** Of the first socket. */
  get host(): string {
    return this.#place.host;
  }

  get ports(): readonly number[] {
    return this.#place.ports;
  }

  /** Ends watches, for up to `watchGraceMs`, and waits up to `graceMs` for requests under way; new ones are still taken. */
  async drain(graceMs: number, watchGraceMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#endWatches(graceMs, watchGraceMs);
    await this.#until(() => this.#active === 0, graceMs);
  }

  /**
   * Lets requests under way finish for up to `graceMs`, ends watches, then closes every connection. Clients that have begun to connect, and
   * those whose request is on the way while they are asked to leave, are waited for a moment: they are answered.
   */
  async close(graceMs: number, watchGraceMs = 0): Promise<void> {
    const servers = new Set([this.#server, ...this.#listening]);
    const closed = Promise.all(Array.from(servers, (server) => new Promise((resolve) => server.close(resolve))));
    this.#isDraining = true;
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      this.#onLess?.();
    }, arrivalMs);
    this.#connections.sendGoAway(() => this.#onLess?.());
    await this.#endWatches(graceMs, watchGraceMs);
    await this.#until(() => this.#active === 0 && (isLate || !this.#connections.mayReceive), graceMs);
    clearTimeout(late);
    await this.#connections.finishAll();
    this.#connections.destroyAll();
    await closed;
  }

  /** At once, or slowly when all other requests have finished: then watches have seen what those wrote. */
  async #endWatches(graceMs: number, watchGraceMs: number): Promise<void> {
    if (watchGraceMs > 0) {
      await this.#until(() => this.#active <= this.#live.size, graceMs);
      await endStreams(this.#live, this.#clock, watchGraceMs);
    }
    for (const sink of [...this.#live]) sink.stop();
  }

  #secureOptions({ certificate, privateKey, clientCa }: Omit<ListenerIdentity, 'named'>): SecureContextOptions {
    // a resumed session would lack what the client sent along with its certificate; clients of clusters resume none
    // a handshake is work that a client of TLS 1.2 could ask for again and again
    const secureOptions = constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION;
    return { cert: certificate, key: privateKey, ca: [...clientCa], secureOptions, ...this.#protocol };
  }

  #contextsOf({ named, clientCa }: ListenerIdentity): ReadonlyMap<string, SecureContext> {
    const contexts = named.flatMap(({ names, ...pair }) => {
      const context = createSecureContext(this.#secureOptions({ ...pair, clientCa }));
      return names.map((name) => [name.toLowerCase(), context] as const);
    });
    // the first that was named for a name counts
    return new Map(contexts.reverse());
  }

  #wire(context: ServeContext): void {
    const server = this.#server;
    server.on('request', (message: IncomingMessage, out: ServerResponse) => {
      const connection = this.#connections.ofSocket(message.socket);
      const serve = () => {
        this.#track(out, connection);
        if (connection !== undefined) connection.answer = out;
        serveMessage(context, message, out);
      };
      if (connection === undefined) serve();
      else connection.inTurn(serve);
    });
    server.on('checkExpectation', (message: IncomingMessage, out: ServerResponse) => {
      if (message.headers.expect === '') server.emit('request', message, out);
      else out.writeHead(417, { 'content-length': 0, connection: 'close' }).end();
    });
    const upgrade = (message: IncomingMessage, socket: Duplex, early: Buffer) => {
      this.#track(socket, this.#connections.ofSocket(message.socket));
      serveUpgrade(context, message, socket, early).catch(context.onStreamError);
    };
    server.on('upgrade', upgrade);
    server.on('connect', upgrade);
    // nothing may come between the pieces of an answer
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
      if (socket.writable && !this.#connections.ofSocket(socket)?.answer?.headersSent) socket.write(unreadable(code));
      socket.destroySoon();
    });
  }

  #wireConnections(options: Omit<SessionOptions, 'connection'>, beginSession: BeginSession): void {
    const server = this.#server;
    // before the handshake too: a silent connection must not hold up the end
    server.on('connection', (socket: Socket) => this.#connections.opened(socket));
    // Node's own listener takes a connection for one of HTTP/1.1
    const serveHttp1 = server.listeners('secureConnection');
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket: TLSSocket) => {
      const connection = this.#connections.secured(socket);
      if (socket.alpnProtocol === 'h2')
        this.#connections.began(connection, beginSession(socket, { ...options, connection }), socket);
      else for (const serve of serveHttp1) serve.call(server, socket);
    });
    // Node's own would end the connection before it can be answered
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      this.handshakeErrors++;
      if (error.code === 'ERR_SSL_HTTP_REQUEST') this.#connections.spokePlainly(socket);
      else socket.destroy();
    });
  }

  #track(answer: { on(event: 'close', listener: () => void): unknown }, connection: Connection | undefined): void {
    this.#active++;
    if (connection === undefined) {
      answer.on('close', this.#onClosed);
      return;
    }
    connection.requestBegan();
    this.#connections.used(connection);
    answer.on('close', () => {
      connection.answer = undefined;
      connection.answered(() => {
        connection.requestEnded();
        this.#onClosed();
      });
    });
  }

  #until(isDone: () => boolean, graceMs: number): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.after(graceMs, resolve);
      this.#onLess = () => {
        if (!isDone()) return;
        timer.cancel();
        resolve();
      };
    });
  }
}

/** Exactly that name, or with its parts replaced by a star one after the other; undefined for the certificate of all others. */
function contextFor(byName: ReadonlyMap<string, SecureContext>, name: string): SecureContext | undefined {
  if (byName.size === 0) return undefined;
  const exact = byName.get(name.toLowerCase());
  if (exact !== undefined) return exact;
  const labels = name.toLowerCase().split('.');
  for (let stars = 1; stars < labels.length; stars++) {
    labels[stars - 1] = '*';
    const match = byName.get(labels.join('.'));
    if (match !== undefined) return match;
  }
  return undefined;
}
