// Connections to one server, kept for the next request, all made with the same keys.

import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, checkServerIdentity, connect as connectSecure } from 'node:tls';
import type { ClientKeyPair } from '../credentials.ts';
import { hostOf, portOf } from '../kubeconfig/target.ts';
import { openTunnel } from './proxy.ts';

/** The server a connection shall reach, and how the two recognise each other. */
export interface ConnectionSettings {
  readonly url: URL;
  readonly proxy: URL | undefined;
  /** The name the server's certificate has to have, where it is not that of the address. */
  readonly serverName: string;
  readonly insecure: boolean;
  /** PEM of who may sign the server's certificate; those that are known everywhere when not given. */
  readonly authority: string | undefined;
  readonly keyPair: ClientKeyPair | undefined;
  /** Resolves the server's name; called once for each connection. */
  readonly lookup: LookupFunction | undefined;
  /** Requests beyond this many at a time wait for a connection. */
  readonly maxConnections: number;
}

/** Idle connections are closed before most servers do so themselves. */
const idleMs = 60_000;
const maxIdle = 16;

type Opened = (error: Error | null, stream: Duplex) => void;

export class Connections {
  readonly agent: PlainAgent;
  /** Aborted when the keys are no longer good: the code that holds a stream lets go of it. */
  readonly retired: AbortSignal;
  readonly #retire = new AbortController();
  #inUse = 0;

  constructor(settings: ConnectionSettings) {
    this.retired = this.#retire.signal;
    this.agent = agentFor(settings, this.retired);
  }

  /** Runs something that needs the connections; they stay open until it is over. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#inUse++;
    try {
      return await work();
    } finally {
      this.#inUse--;
      this.#closeWhenIdle();
    }
  }

  /** Opens no further ones; requests under way may finish. */
  retire(): void {
    this.#retire.abort();
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (this.retired.aborted && this.#inUse === 0) this.agent.destroy();
  }
}

function agentFor(settings: ConnectionSettings, signal: AbortSignal): PlainAgent {
  const { url, proxy, lookup, maxConnections } = settings;
  const keeping = {
    keepAlive: true,
    maxFreeSockets: maxIdle,
    maxSockets: maxConnections,
    timeout: idleMs,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const isSecure = url.protocol === 'https:';
  // a plain request names its server to the proxy itself
  if (!isSecure && proxy?.protocol !== 'socks5:') return new PlainAgent(keeping);
  const tls = isSecure ? tlsOptions(settings, hostOf(url)) : {};
  if (proxy === undefined) return new SecureAgent({ ...keeping, ...tls });
  const agent = isSecure ? new SecureAgent(keeping) : new PlainAgent(keeping);
  agent.createConnection = (_options, opened: Opened = () => {}) => {
    const to = { host: hostOf(url), port: portOf(url) };
    const proxyTls = tlsOptions({ ...settings, serverName: '' }, hostOf(proxy));
    openTunnel({ proxy, to, tls: proxyTls, signal }).then(
      (socket) => opened(null, isSecure ? connectSecure({ ...tls, socket }) : socket),
      (error: Error) => opened(error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return agent;
}

function tlsOptions(settings: ConnectionSettings, host: string): ConnectionOptions {
  const { authority, keyPair, insecure, serverName } = settings;
  const name = serverName || host;
  return {
    // addresses are no names to ask for, but certificates may be for them
    servername: isIP(name) === 0 ? name : '',
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    rejectUnauthorized: !insecure,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(keyPair === undefined ? {} : { cert: keyPair.certificate, key: keyPair.privateKey }),
  };
}
