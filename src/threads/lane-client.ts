// A thread that receives requests, as a client of the lane for large ones.

import type { MessagePort } from 'node:worker_threads';
import type { ApiResponse, AuditTrail, BodyStream, EndListener, Exchange, Sink } from '../meta/exchange.ts';
import { internalError, serviceUnavailable, tooManyRequests } from '../meta/status.ts';
import type { Lane } from '../pipeline/lane.ts';
import type { FromLane, LaneHead, LaneRequest, ToLane } from './lane-messages.ts';

interface LaneClientOptions {
  readonly largeBytes: number;
  /** A port of a lane that serves, started where there is none. */
  connect(): Promise<MessagePort>;
  onError(error: unknown): void;
}

export class LaneClient implements Lane {
  readonly largeBytes: number;
  readonly #options: LaneClientOptions;
  #connection: Promise<LaneConnection> | undefined;

  constructor(options: LaneClientOptions) {
    this.#options = options;
    this.largeBytes = options.largeBytes;
  }

  /** A lane that ends before it has begun with the request has done nothing: the next one is asked. */
  async serve(exchange: Exchange): Promise<ApiResponse> {
    const request = laneRequest(exchange);
    for (;;) {
      const connection = await this.#connected();
      exchange.throwIfEnded();
      const answer = await new LaneCall(connection, exchange).send(request);
      if (answer !== undefined) return answer;
    }
  }

  async #connected(): Promise<LaneConnection> {
    this.#connection ??= this.#options.connect().then(
      (port) =>
        new LaneConnection(port, () => {
          this.#connection = undefined;
        }),
    );
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = undefined;
      this.#options.onError(error);
      throw serviceUnavailable('the thread for large requests cannot be started', error);
    }
  }
}

const retryAfterSeconds = 1;

function laneRequest({ request, body, id, startedAt, deadline, user, ...exchange }: Exchange): LaneRequest {
  const { method, path, rawQuery, peer } = request;
  const { impersonator, impersonationConstraint, audit, earlyNotes, notes } = exchange;
  const moved = { id, startedAt, deadline, user, impersonator, impersonationConstraint, notes: notes?.moved };
  const annotations = { ...earlyNotes, ...audit?.annotations };
  const headers = request.headers().filter(([name]) => !isSecret(name));
  const bytes = new Uint8Array(body);
  return { method, path, rawQuery, address: peer.address, headers, body: bytes, moved: { ...moved, annotations } };
}

/** Who the client is has been verified: the lane needs no credentials. */
const isSecret = (name: string) => name === 'authorization' || name === 'cookie';

/** The port to one lane. */
class LaneConnection {
  readonly #port: MessagePort;
  readonly #calls = new Map<number, LaneCall>();
  #lastId = 0;

  constructor(port: MessagePort, onClose: () => void) {
    this.#port = port;
    port.unref();
    port.on('message', (message: FromLane) => this.#calls.get(message.id)?.receive(message));
    port.on('close', () => {
      onClose();
      const lost = [...this.#calls.values()];
      this.#calls.clear();
      for (const call of lost) call.onLost();
    });
  }

  add(call: LaneCall): number {
    this.#lastId++;
    this.#calls.set(this.#lastId, call);
    return this.#lastId;
  }

  remove(id: number): void {
    this.#calls.delete(id);
  }

  send(message: ToLane): void {
    this.#port.postMessage(message);
  }
}

/** One request in the lane. */
class LaneCall implements EndListener {
  readonly #connection: LaneConnection;
  readonly #exchange: Exchange;
  readonly #id: number;
  readonly #pieces = new Pieces(() => this.#connection.send({ id: this.#id, isDrained: true }));
  #hasBegun = false;
  #audit: AuditTrail | undefined;
  #resolve: (answer: ApiResponse | undefined) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(connection: LaneConnection, exchange: Exchange) {
    this.#connection = connection;
    this.#exchange = exchange;
    this.#id = connection.add(this);
  }

  /** Undefined where the lane ended before it began with the request. */
  send(request: LaneRequest): Promise<ApiResponse | undefined> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#connection.send({ id: this.#id, request });
      this.#exchange.onEnd(this);
    });
  }

  onEnded(): void {
    this.#leave();
  }

  onLost(): void {
    this.#exchange.offEnd(this);
    this.#pieces.end('the lane for large requests has ended');
    this.#exchange.audit = this.#audit;
    if (!this.#hasBegun) this.#resolve(undefined);
    else this.#reject(internalError(lostText(this.#exchange.isCommitted)));
  }

  receive(message: FromLane): void {
    if ('isBegun' in message) this.#begin();
    else if ('isRefused' in message) this.#refuse();
    else if ('isCommitted' in message) this.#exchange.commit();
    else if ('noted' in message) this.#exchange.notes?.include(message.noted);
    else if ('head' in message) this.#answer(message.head);
    else if ('piece' in message) this.#pieces.add(message.piece);
    else {
      this.#connection.remove(this.#id);
      this.#pieces.end(message.error);
    }
  }

  #refuse(): void {
    this.#connection.remove(this.#id);
    this.#exchange.offEnd(this);
    this.#reject(tooManyRequests(retryAfterSeconds));
  }

  /** From now on the lane records what audit wants. */
  #begin(): void {
    this.#hasBegun = true;
    this.#audit = this.#exchange.audit;
    this.#exchange.audit = undefined;
  }

  #answer({ hasPieces, body, ...head }: LaneHead): void {
    this.#exchange.offEnd(this);
    const answer: ApiResponse = { ...withoutUndefined(head), isFinished: true };
    if (!hasPieces) {
      this.#connection.remove(this.#id);
      this.#resolve(body === undefined ? answer : { ...answer, body });
      return;
    }
    const leave = () => this.#leave();
    this.#resolve({ ...answer, body: this.#pieces.stream(leave), onUnsent: leave });
  }

  #leave(): void {
    this.#connection.send({ id: this.#id, isGone: true });
  }
}

function withoutUndefined({ expectedLength, ...head }: Omit<LaneHead, 'hasPieces' | 'body'>) {
  return expectedLength === undefined ? head : { ...head, expectedLength };
}

const lostText = (isCommitted: boolean) =>
  isCommitted
    ? 'the thread that served this large request ended; its write was sent to the store and may have been made'
    : 'the thread that served this large request ended before anything was written';

/** Pieces of an answer on their way from the lane to the client. */
class Pieces {
  readonly #onDrained: () => void;
  #waiting: (Uint8Array | string)[] = [];
  #isOver = false;
  #error: string | undefined;
  #wake: () => void = () => {};

  constructor(onDrained: () => void) {
    this.#onDrained = onDrained;
  }

  add(piece: Uint8Array | string): void {
    this.#waiting.push(piece);
    this.#wake();
  }

  end(error: string | undefined): void {
    this.#isOver = true;
    this.#error = error;
    this.#wake();
  }

  stream(leave: () => void): BodyStream {
    return async (sink) => {
      const stop = () => {
        leave();
        this.#wake();
      };
      sink.onStop(stop);
      while (!sink.isGone) {
        await this.#pass(sink);
        if (this.#waiting.length > 0) continue;
        if (this.#isOver) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (sink.isGone) leave();
      else if (this.#error !== undefined) throw new Error(this.#error);
    };
  }

  /** The lane goes on when the client has taken what was sent. */
  async #pass(sink: Sink): Promise<void> {
    const pieces = this.#waiting;
    this.#waiting = [];
    let hasSpace = true;
    for (const piece of pieces) hasSpace = sink.write(piece);
    if (!hasSpace) await sink.drained();
    if (pieces.length > 0) this.#onDrained();
  }
}
