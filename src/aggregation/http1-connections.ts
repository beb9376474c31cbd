// Connections of HTTP/1.1 to one server, kept for further requests, and those that become another protocol.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type BackendAnswer, type BackendRequest, brokenOff, noAnswer } from './backend-call.ts';
import { type Ending, onEnding } from './ending.ts';
import { IncomingBody } from './incoming-body.ts';
import { sendOver } from './send-over.ts';

/** Idle connections are closed before most servers do so themselves. */
const idleMs = 60_000;
const maxIdle = 32;

type Opened = (error: Error | null, stream: Duplex) => void;

export class Http1Connections {
  readonly #agent: Agent;
  readonly #dial: () => Promise<TLSSocket>;
  /** A connection that was made to find out what the server speaks. */
  #spare: TLSSocket | undefined;

  constructor(dial: () => Promise<TLSSocket>) {
    this.#dial = dial;
    this.#agent = new Agent({ keepAlive: true, maxFreeSockets: maxIdle, timeout: idleMs, scheduling: 'lifo' });
    this.#agent.createConnection = (_options, opened: Opened = () => {}) => {
      this.#connection().then(
        (socket) => opened(null, socket),
        (error: Error) => opened(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
  }

  add(socket: TLSSocket): void {
    this.#spare?.destroy();
    this.#spare = socket;
    socket.unref();
  }

  /** A connection that was kept may be closed by the server while the request is on its way. */
  ask(request: BackendRequest, ending: Ending): Promise<BackendAnswer & { readonly isReused: boolean }> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#open(request);
      const leave = onEnding(ending, (why) => outgoing.destroy(why));
      outgoing.on('response', (incoming) => {
        leave();
        resolve({ ...answerOf(incoming), isReused: outgoing.reusedSocket });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        leave();
        reject(Object.assign(error, { isReused: outgoing.reusedSocket }));
      });
      outgoing.on('close', () => reject(noAnswer()));
      if (request.body === undefined) outgoing.end();
      else void sendOver(request.body, outgoing);
    });
  }

  /** Requests under way may finish: only idle connections are closed. */
  retire(): void {
    this.#spare?.destroy();
    this.#spare = undefined;
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    this.#agent.maxFreeSockets = 0;
  }

  #open(request: BackendRequest): ClientRequest {
    const { method, path, body } = request;
    const all = allHeaders(request);
    // without it Node would send the body of some methods with no mark of its end
    if (body !== undefined && all['content-length'] === undefined) all['transfer-encoding'] = 'chunked';
    return secureRequest({ agent: this.#agent, method, path, headers: all });
  }

  async #connection(): Promise<TLSSocket> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined || spare.destroyed) return this.#dial();
    spare.ref();
    return spare;
  }
}

export interface UpgradeAnswer extends BackendAnswer {
  /** The connection, if the server switched to the other protocol, and the bytes it has sent already. */
  readonly upgraded?: { readonly socket: Duplex; readonly early: Buffer };
}

/** Requests another protocol, over a new connection. */
export function askForUpgrade(socket: TLSSocket, request: BackendRequest, ending: Ending): Promise<UpgradeAnswer> {
  const { method, path } = request;
  return new Promise((resolve, reject) => {
    const outgoing = secureRequest({
      method,
      path,
      headers: allHeaders(request),
      createConnection: () => socket,
    });
    const leave = onEnding(ending, (why) => outgoing.destroy(why));
    outgoing.on('response', (incoming) => {
      leave();
      resolve(answerOf(incoming));
    });
    outgoing.on('upgrade', (incoming: IncomingMessage, upgraded: Duplex, early: Buffer) => {
      leave();
      resolve({ ...answerOf(incoming), upgraded: { socket: upgraded, early } });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      leave();
      reject(error.code === 'ECONNRESET' ? brokenOff() : error);
    });
    outgoing.on('close', () => reject(brokenOff()));
    outgoing.end();
  });
}

/** As Node wants them. */
const allHeaders = ({ headers, ownHeaders, authority }: BackendRequest): Record<string, string> => ({
  ...(headers as Record<string, string>),
  ...ownHeaders,
  host: authority,
});

function answerOf(incoming: IncomingMessage): BackendAnswer {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(incoming.headers)) if (value !== undefined) headers[name] = value;
  return { status: incoming.statusCode ?? 0, headers, body: new IncomingBody(incoming) };
}
