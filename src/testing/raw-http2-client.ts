// For tests: a session behind a plain socket, and a client that sends any bytes.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../base/time/clock.ts';
import type { ApiResponse, Handler } from '../meta/exchange.ts';
import { type ConnectionLimits, defaultLimits } from '../transport/http/connection-limits.ts';
import { type ConnectionSession, Connections } from '../transport/http/connections.ts';
import { StrangerMemory } from '../transport/http/stranger-memory.ts';
import { UnreadAnswers } from '../transport/http/unread-answers.ts';
import { type BeginSession, type Http2Implementation, http2Sessions } from '../transport/http2-implementation.ts';
import { field, frame } from './http2-bytes.ts';
import { testedHttp2 } from './tested-http2.ts';

/** A GET of `/`, without its authority. */
export const getRoot = '\x82\x87\x84';
export const get = getRoot + field(':authority', 'x');
export const post = `\x83\x87\x84${field(':authority', 'x')}`;

interface HeardFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const answer: ApiResponse = { status: 200, headers: {}, body: 'ok' };

interface TestListenerOptions extends Partial<ConnectionLimits> {
  readonly clock?: Clock;
  /** The one that the file tests when not given. */
  readonly http2?: Http2Implementation;
}

/** A server of one handler, for sessions of a test. */
export class TestListener {
  readonly errors: unknown[] = [];
  readonly live = new Set<{ stop(): void }>();
  handler: Handler = () => answer;
  readonly sessions: ConnectionSession[] = [];
  readonly strangers: StrangerMemory;
  /** Requests that are served. */
  active = 0;
  readonly #server: Server;
  readonly #clients: Socket[] = [];
  readonly #http2: Http2Implementation;
  #beginSession: BeginSession | undefined;

  constructor({ streams = 100, clock = systemClock, http2 = testedHttp2(), ...given }: TestListenerOptions = {}) {
    this.#http2 = http2;
    const limits = { ...defaultLimits, ...given };
    this.strangers = new StrangerMemory(limits.strangerBytes);
    const connections = new Connections(limits, clock);
    const context = {
      handler: (request: Parameters<Handler>[0]) => this.handler(request),
      isDraining: () => false,
      live: this.live,
      unread: new UnreadAnswers(limits, clock),
      strangers: this.strangers,
      onStreamError: (error: unknown) => this.errors.push(error),
      onBegan: () => {
        this.active++;
      },
      onClosed: () => {
        this.active--;
      },
    };
    this.#server = createServer((socket) => {
      const secure = Object.assign(socket, { alpnProtocol: 'h2' }) as unknown as TLSSocket;
      const connection = connections.secured(secure);
      const begin = this.#beginSession as BeginSession;
      const session = begin(secure, { context, connection, clock, streams, goawayChance: 0 });
      connections.began(connection, session, secure);
      this.sessions.push(session);
    });
  }

  async listen(): Promise<this> {
    this.#beginSession = await http2Sessions(this.#http2);
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async open(): Promise<RawClient> {
    const socket = connect(this.port, '127.0.0.1');
    this.#clients.push(socket);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
    for (const session of this.sessions) session.destroy();
    this.#server.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export class RawClient {
  readonly socket: Socket;
  readonly frames: HeardFrame[] = [];
  isClosed = false;
  #rest: Buffer = Buffer.alloc(0);
  #onHeard: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket.setNoDelay();
    socket.on('data', (chunk: Buffer) => this.#read(Buffer.concat([this.#rest, chunk])));
    socket.on('error', () => socket.destroy());
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.isClosed = true;
        this.#onReceived();
      });
  }

  send(...parts: readonly (Buffer | string)[]): void {
    this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))));
  }

  /** Resolves when the received frames are as expected; the end of the connection is an event too. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.isClosed) throw new Error(`closed after ${JSON.stringify(this.told().slice(-40))}`);
      await new Promise<void>((resolve) => this.#onHeard.push(resolve));
    }
  }

  /** A ping and its answer: all earlier frames are processed. */
  async settled(): Promise<void> {
    const pongs = () => this.frames.filter(({ type, flags }) => type === 6 && flags === 1).length;
    const before = pongs();
    this.send(frame(6, 0, 0, '12345678'));
    await this.until(() => pongs() > before);
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await new Promise<void>((resolve) => this.#onHeard.push(resolve));
  }

  of(stream: number, type: number): HeardFrame[] {
    return this.frames.filter((one) => one.stream === stream && one.type === type);
  }

  isEnded(stream: number): boolean {
    return this.frames.some((one) => one.stream === stream && one.type <= 1 && (one.flags & 1) === 1);
  }

  body(stream: number): Buffer {
    return Buffer.concat(this.of(stream, 0).map(({ payload }) => payload));
  }

  /** The code with which a stream was reset, or the connection left with stream 0. */
  code(stream: number): number | undefined {
    if (stream === 0) return this.of(0, 7).at(-1)?.payload.readUInt32BE(4);
    return this.of(stream, 3)[0]?.payload.readUInt32BE(0);
  }

  /** The received frames of streams, in short. */
  told(): string[] {
    return this.frames.map(({ type, flags, stream, payload }) => `${type} ${flags} ${stream} ${payload.length}`);
  }

  #read(bytes: Buffer): void {
    let at = 0;
    while (bytes.length - at >= 9 && bytes.length - at - 9 >= bytes.readUIntBE(at, 3)) {
      const end = at + 9 + bytes.readUIntBE(at, 3);
      const [type = 0, flags = 0] = [bytes[at + 3], bytes[at + 4]];
      this.frames.push({ type, flags, stream: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + 9, end) });
      at = end;
    }
    this.#rest = bytes.subarray(at);
    this.#onReceived();
  }

  #onReceived(): void {
    const waiting = this.#onHeard;
    this.#onHeard = [];
    for (const go of waiting) go();
  }
}
