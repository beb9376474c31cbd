// The lane for large requests: takes them from all other threads, one user after the other, and answers in pieces.

import type { MessagePort } from 'node:worker_threads';
import type { ApiRequest, ApiResponse, GoneListener, Handler, Peer, Sink } from '../meta/exchange.ts';
import type { NotedParts } from '../meta/request-notes.ts';
import { requestEntityTooLarge } from '../meta/status.ts';
import { singleHeaders } from '../transport/http2/request-headers.ts';
import type { FromLane, LaneRequest, ToLane } from './lane-messages.ts';
import { UserQueue } from './user-queue.ts';

const usualLimits = { maxBytesPerUser: 64 * 1024 * 1024, maxWaitMs: 20_000, maxRunning: 16, maxRunningPerUser: 4 };
/** The lane stops writing when this many bytes of an answer have not been taken. */
const maxUnsentBytes = 1024 * 1024;

export class LaneService {
  readonly #queue: UserQueue;
  readonly #handler: Handler;
  readonly #ports = new Set<MessagePort>();
  #lastUse = performance.now();

  constructor(handler: Handler, limits = usualLimits) {
    this.#handler = handler;
    this.#queue = new UserQueue(limits);
  }

  close(): void {
    for (const port of this.#ports) port.close();
  }

  /** How long there was nothing to do. */
  get idleMs(): number {
    if (!this.#queue.isIdle) this.#lastUse = performance.now();
    return performance.now() - this.#lastUse;
  }

  /** Serves the requests that come by this port. */
  serve(port: MessagePort): void {
    const calls = new Map<number, ServedCall>();
    this.#ports.add(port);
    port.on('message', (message: ToLane) => {
      if ('request' in message) {
        const call = new ServedCall(message.id, message.request, port);
        calls.set(message.id, call);
        this.#enqueue(call, () => calls.delete(message.id));
      } else calls.get(message.id)?.receive(message);
    });
    port.on('close', () => {
      this.#ports.delete(port);
      for (const call of calls.values()) call.leave();
    });
  }

  #enqueue(call: ServedCall, forget: () => void): void {
    this.#lastUse = performance.now();
    const { user, impersonator } = call.moved;
    const run = async () => {
      if (!call.hasLeft) {
        call.send({ isBegun: true });
        await call.answer(await this.#handler(call));
      }
      forget();
      this.#lastUse = performance.now();
    };
    if (this.#queue.add((impersonator ?? user).name, { bytes: call.bodyBytes, run })) return;
    call.send({ isRefused: true });
    forget();
  }
}

type Outgoing<M> = M extends { readonly id: number } ? Omit<M, 'id'> : never;

/** A request as the pipeline of the lane sees it, and where its answer goes. */
class ServedCall implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly peer: Peer;
  readonly moved: NonNullable<ApiRequest['moved']>;
  readonly #id: number;
  readonly #port: MessagePort;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #pairs: LaneRequest['headers'];
  readonly #body: Uint8Array;
  #gone: GoneListener | undefined;
  #sink: PortSink | undefined;
  hasLeft = false;

  constructor(id: number, { method, path, rawQuery, address, headers, body, moved }: LaneRequest, port: MessagePort) {
    this.#id = id;
    this.#port = port;
    this.method = method;
    this.path = path;
    this.rawQuery = rawQuery;
    this.peer = { address };
    this.moved = moved;
    this.#pairs = headers;
    this.#headers = joined(headers);
    this.#body = body;
  }

  get bodyBytes(): number {
    return this.#body.length;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  hasHeader(prefix: string): boolean {
    return this.#pairs.some(([name]) => name.startsWith(prefix));
  }

  headers(): LaneRequest['headers'] {
    return this.#pairs;
  }

  async readBody(limit: number): Promise<Uint8Array> {
    if (this.#body.length > limit) throw requestEntityTooLarge(limit);
    return this.#body;
  }

  onGone(listener: GoneListener): void {
    this.#gone = listener;
    if (this.hasLeft) listener.onGone();
  }

  onCommit(): void {
    this.send({ isCommitted: true });
  }

  onNoted(noted: NotedParts): void {
    this.send({ noted });
  }

  receive(message: Exclude<ToLane, { readonly request: LaneRequest }>): void {
    if ('isGone' in message) this.leave();
    else this.#sink?.drain();
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.#gone?.onGone();
    this.#sink?.leave();
  }

  send(message: Outgoing<FromLane>): void {
    this.#port.postMessage({ ...message, id: this.#id });
  }

  /** Resolves when the answer was sent. */
  async answer({ status, headers, body, expectedLength, onUnsent }: ApiResponse): Promise<void> {
    const hasPieces = typeof body === 'function';
    this.send({ head: { status, headers, expectedLength, hasPieces, body: hasPieces ? undefined : ownBytes(body) } });
    if (!hasPieces) return;
    if (this.hasLeft) {
      onUnsent?.();
      return;
    }
    let error: string | undefined;
    await new Promise<void>((resolve) => {
      const sink = new PortSink((piece) => this.send({ piece }), resolve);
      this.#sink = sink;
      body(sink)?.then(resolve, (failure: unknown) => {
        error = failure instanceof Error ? failure.message : String(failure);
        resolve();
      });
    });
    this.send({ isOver: true, error });
  }
}

/** One that is sent several times has all of its values, as in the request that was received. */
function joined(pairs: LaneRequest['headers']): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of pairs) {
    const earlier = all.get(name);
    if (earlier === undefined) all.set(name, value);
    else if (!singleHeaders.has(name)) all.set(name, `${earlier}, ${value}`);
  }
  return all;
}

/** Sending bytes copies all of the memory that they are a part of. */
function ownBytes<T extends Uint8Array | string | undefined>(bytes: T): T | Uint8Array {
  if (!(bytes instanceof Uint8Array) || bytes.byteLength === bytes.buffer.byteLength) return bytes;
  return new Uint8Array(bytes);
}

/** Sends what is written to the thread of the client. */
class PortSink implements Sink {
  readonly #send: (piece: Uint8Array | string) => void;
  readonly #over: () => void;
  #unsent = 0;
  #stop: (() => void) | undefined;
  #wake: () => void = () => {};
  isGone = false;

  constructor(send: (piece: Uint8Array | string) => void, over: () => void) {
    this.#send = send;
    this.#over = over;
  }

  get unsentBytes(): number {
    return this.#unsent;
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.isGone) return true;
    this.#unsent += chunk.length;
    this.#send(ownBytes(chunk));
    return this.#unsent <= maxUnsentBytes;
  }

  drained(): Promise<void> {
    if (this.isGone || this.#unsent <= maxUnsentBytes) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  onStop(stop: () => void): void {
    if (this.isGone) stop();
    else this.#stop = stop;
  }

  drain(): void {
    this.#unsent = 0;
    this.#wake();
  }

  leave(): void {
    this.isGone = true;
    this.#wake();
    this.#stop?.();
  }

  end(): void {
    this.#over();
  }

  cut(): void {
    this.#over();
  }
}
