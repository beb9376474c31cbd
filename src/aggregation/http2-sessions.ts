// Connections of HTTP/2 to one server: another one is opened where all that are open have as many streams as they may.

import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { type BackendAnswer, type BackendRequest, noAnswer, onAbort, sendBody } from './backend-call.ts';

/** Nothing came for so long: an idle connection is closed, one with requests is asked whether it still is one. */
const quietMs = 30_000;
const pingMs = 15_000;
/** Bytes that a server may send ahead of the client that reads them, for each request. */
const windowBytes = 128 * 1024;
const maxStreams = 500;
/** Megabytes that a connection may hold on to. */
const maxSessionMemory = 64;

interface OpenSession {
  readonly session: ClientHttp2Session;
  streams: number;
}

export class Http2Sessions {
  readonly #open = new Set<OpenSession>();

  get size(): number {
    return this.#open.size;
  }

  /** Whether a further request needs a further connection. */
  get isFull(): boolean {
    return this.#free() === undefined;
  }

  add(socket: TLSSocket): void {
    const session = connect('https://backend.invalid', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: windowBytes },
      maxSessionMemory,
    });
    const entry: OpenSession = { session, streams: 0 };
    this.#open.add(entry);
    session.on('error', ignore);
    // a client that does not read must not use up what the requests of others share
    session.on('connect', () => session.setLocalWindowSize(windowBytes * maxStreams));
    session.on('goaway', () => this.#open.delete(entry));
    session.on('close', () => this.#open.delete(entry));
    session.setTimeout(quietMs, () => this.#onQuiet(entry));
    // a connection that is merely kept does not keep the process
    session.unref();
  }

  /** Throws where no connection has room. */
  ask(request: BackendRequest, signal: AbortSignal): Promise<BackendAnswer> {
    const entry = this.#free();
    if (entry === undefined) throw noAnswer();
    return askOver(entry, request, signal);
  }

  /** Requests under way may finish. */
  retire(): void {
    for (const { session } of this.#open) session.close();
    this.#open.clear();
  }

  #free(): OpenSession | undefined {
    for (const entry of this.#open) if (hasRoom(entry)) return entry;
    return undefined;
  }

  #onQuiet(entry: OpenSession): void {
    const { session, streams } = entry;
    if (session.destroyed) return;
    if (streams === 0) {
      this.#open.delete(entry);
      session.close();
      return;
    }
    const timer = setTimeout(() => session.destroy(new Error('http2: client connection lost')), pingMs).unref();
    session.ping(() => clearTimeout(timer));
  }
}

function ignore(): void {}

function hasRoom({ session, streams }: OpenSession): boolean {
  if (session.closed || session.destroyed) return false;
  const { maxConcurrentStreams = maxStreams } = session.remoteSettings ?? {};
  return streams < Math.min(maxConcurrentStreams, maxStreams);
}

function askOver(entry: OpenSession, request: BackendRequest, signal: AbortSignal): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, authority, headers, body } = request;
    const all = { ...headers, ':method': method, ':path': path, ':authority': authority, ':scheme': 'https' };
    const stream = entry.session.request(all as OutgoingHttpHeaders, { endStream: body === undefined });
    entry.streams++;
    const cut = (why: Error) => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(why);
    };
    const leave = onAbort(signal, cut);
    stream.on('response', (received) => {
      leave();
      resolve({ status: received[':status'] ?? 0, headers: plain(received), body: stream });
    });
    stream.on('error', reject);
    stream.on('close', () => {
      entry.streams--;
      leave();
      reject(noAnswer());
    });
    if (body !== undefined) void sendBody(body, stream);
  });
}

/** Without what is part of the protocol. */
function plain(headers: IncomingHttpHeaders): BackendAnswer['headers'] {
  const kept: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':') && value !== undefined) kept[name] = value;
  return kept;
}
