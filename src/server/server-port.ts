// The port of the server: opened with its certificates, renewed with them, and closed.

import type { Handler } from '../meta/exchange.ts';
import type { ClientTrust } from '../pki/client-trust.ts';
import { Listener } from '../transport/http/listener.ts';
import type { PassConnection, PassedSocket } from '../transport/http/listening-sockets.ts';
import type { ServerCertificates } from './certificates/server-certificates.ts';
import type { OwnPresence } from './own/own-presence.ts';
import type { LoggedConfig } from './server-log.ts';
import { ShutdownRefusal } from './shutdown-refusal.ts';
import { reachable } from './start/announcement.ts';
import type { ServingRole } from './threads/serving-role.ts';

interface PortParts {
  readonly config: LoggedConfig;
  readonly handler: Handler;
  readonly certificates: ServerCertificates;
  readonly trust: ClientTrust;
  readonly presence: OwnPresence;
  /** In a thread of several: where its connections come from; else the sockets that the process was started with. */
  readonly socket: ServingRole['socket'] | readonly PassedSocket[];
  readonly sharesPort: boolean;
  /** Gives connections to other threads; undefined where they get none from here. */
  readonly pass: PassConnection | undefined;
}

/** Requests that come after all others have ended are refused ones and questions about health. */
const drainedGraceMs = 2000;

export class ServerPort {
  readonly #parts: PortParts;
  readonly #refusal = new ShutdownRefusal();
  #open: { readonly listener: Listener; readonly url: string } | undefined;

  constructor(parts: PortParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Throws before `open`. */
  get url(): string {
    return this.#opened().url;
  }

  /** Throws before `open`. */
  get listener(): Listener {
    return this.#opened().listener;
  }

  get handshakeErrors(): number {
    return this.#open?.listener.handshakeErrors ?? 0;
  }

  async open(): Promise<Listener> {
    if (this.#open !== undefined) throw new Error('the server is listening already');
    const { config, handler, presence, socket, sharesPort, pass } = this.#parts;
    const { bindAddress, securePort, clock, log, tls, connections, serving: settings } = config;
    const { minVersion, ciphers, curves } = tls;
    const opening = Listener.open({
      handler: (request) => this.#refusal.answer(request) ?? handler(request),
      clock,
      identity: this.#identity(),
      minVersion,
      ciphers,
      curves,
      goawayChance: settings.goawayChance,
      speaksHttp2: settings.speaksHttp2,
      http2: settings.http2,
      host: bindAddress,
      port: securePort,
      reusePort: sharesPort,
      pass,
      ...(socket === undefined ? {} : targetOf(socket)),
      limits: connections,
      onStreamError: (error) => log.warn({ err: error }, 'a streamed answer failed'),
    });
    const listener = await opening.catch((error: unknown) => {
      throw explainPort(error);
    });
    presence.listensAt(listener.ports);
    const host = Array.isArray(socket) ? listener.host : bindAddress;
    this.#open = { listener, url: `https://${reachable(host)}:${listener.port}` };
    return listener;
  }

  /** New connections get the newest certificates and CAs. */
  renew(): void {
    this.#open?.listener.renew(this.#identity());
  }

  changeTrust(change: (trust: ClientTrust) => void): void {
    change(this.#parts.trust);
    this.renew();
  }

  /** Sends the clients of a share of the connections off, so that they connect to another thread. */
  shed(share: number): void {
    this.#open?.listener.shed(share);
  }

  async close(): Promise<void> {
    const { shutdownGraceMs, shutdownWatchGraceMs, serving } = this.#parts.config;
    if (serving.sendsRetryAfter) {
      this.#refusal.begin();
      await this.#open?.listener.drain(shutdownGraceMs, shutdownWatchGraceMs);
      await this.#open?.listener.close(Math.min(shutdownGraceMs, drainedGraceMs));
    } else await this.#open?.listener.close(shutdownGraceMs, shutdownWatchGraceMs);
  }

  #identity() {
    const { certificates, presence } = this.#parts;
    const { shown } = certificates;
    presence.shows(shown);
    return shown;
  }

  checkOpen(): void {
    this.#opened();
  }

  #opened() {
    if (this.#open === undefined) throw new Error('the server is not listening: call listen() first');
    return this.#open;
  }
}

/** Where a thread listens that does not bind the port of the server. */
function targetOf(socket: NonNullable<PortParts['socket']>) {
  if ('begin' in socket) return { passed: socket };
  return 'port' in socket ? socket : { sockets: socket };
}

/** The error of a port in use, with a message for people; its code stays for programs. */
function explainPort(error: unknown): unknown {
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code !== 'EADDRINUSE') return error;
  const message = `securePort: port ${port} on ${address} is in use; choose another, or 0 for a free one`;
  return Object.assign(new Error(message, { cause: error }), { code, port, address });
}
