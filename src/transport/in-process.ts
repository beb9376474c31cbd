// Calls without a socket: the web's Request and Response around the same pipeline.

import { isPromise } from '../base/maybe-promise.ts';
import { yieldTurn } from '../base/time/turns.ts';
import type { ApiRequest, ApiResponse, BodyStream, GoneListener, Handler, Peer, Sink } from '../meta/exchange.ts';
import { requestEntityTooLarge, serviceUnavailable } from '../meta/status.ts';
import { loopbackUser, type UserInfo } from '../meta/user.ts';

export interface InProcessInit extends RequestInit {
  /** The user to act as; the server itself when not given. */
  readonly user?: UserInfo;
}

/** A `fetch` that never leaves the process. Paths without a host are fine. */
export type InProcessFetch = (input: string | URL | Request, init?: InProcessInit) => Promise<Response>;

const placeholderOrigin = 'https://in-process.invalid';

export function inProcessFetch(handler: Handler, draining: AbortSignal, isClosed: () => boolean): InProcessFetch {
  /** All callers that wait go on together, so that their writes are stored together. */
  let turn: Promise<void> | undefined;
  const nextTurn = () => {
    turn ??= yieldTurn()?.finally(() => {
      turn = undefined;
    });
    return turn;
  };
  return async (input, init = {}) => {
    // a caller that sends requests without pause would starve timers and sockets of the process
    const mayGoOn = nextTurn();
    if (mayGoOn !== undefined) await mayGoOn;
    if (isClosed()) return Response.json(serviceUnavailable('the server is closed').toStatus(), { status: 503 });
    const target = typeof input === 'string' ? new URL(input, placeholderOrigin) : input;
    const request = new Request(target, init);
    const peer: Peer = { address: 'in-process', trustedUser: init.user ?? loopbackUser };
    // only a caller that brought a signal can leave
    const signal = init.signal ?? (input instanceof Request ? input.signal : undefined);
    const answer = handler(new FetchRequest(request, peer, signal));
    return toResponse(isPromise(answer) ? await keptAlive(answer) : answer, request.signal, draining);
  };
}

const longestInterval = 2 ** 31 - 1;

/** The server's own timers do not keep the process alive; a caller that waits for an answer does. */
async function keptAlive<T>(answer: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, longestInterval);
  try {
    return await answer;
  } finally {
    clearInterval(hold);
  }
}

class FetchRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly peer: Peer;
  readonly #request: Request;
  readonly #signal: AbortSignal | undefined;

  constructor(request: Request, peer: Peer, signal: AbortSignal | undefined) {
    const url = new URL(request.url);
    this.method = request.method;
    this.path = url.pathname;
    this.rawQuery = url.search.slice(1);
    this.peer = peer;
    this.#request = request;
    this.#signal = signal;
  }

  header(name: string): string | undefined {
    return name.startsWith(':') ? undefined : (this.#request.headers.get(name) ?? undefined);
  }

  hasHeader(prefix: string): boolean {
    return [...this.#request.headers.keys()].some((name) => name.startsWith(prefix));
  }

  /** The web API joins repeated headers with a comma and a space. */
  headers(): readonly (readonly [string, string])[] {
    return [...this.#request.headers].flatMap(([name, value]) => value.split(', ').map((one) => [name, one] as const));
  }

  onGone(listener: GoneListener): void {
    this.#signal?.addEventListener('abort', () => listener.onGone(), { once: true });
  }

  async readBody(limit: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(await this.#request.arrayBuffer());
    if (bytes.length > limit) throw requestEntityTooLarge(limit);
    return bytes;
  }
}

function toResponse(answer: ApiResponse, signal: AbortSignal, draining: AbortSignal): Response {
  const { status, headers, body } = answer;
  if (answer.isDropped) {
    answer.onUnsent?.();
    // as fetch words it when a connection ends before the answer
    throw new TypeError('fetch failed', { cause: new Error('the connection was closed before there was an answer') });
  }
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) for (const one of [value].flat()) all.append(name, one);
  const content = typeof body === 'function' ? toReadable(body, signal, draining) : (body ?? null);
  return new Response(status === 304 ? null : (content as ReadableStream | string | null), {
    status: status > highestStatus ? 500 : status,
    headers: all,
  });
}

/** A Response has no higher one; the body still has the code of the webhook. */
const highestStatus = 599;

/** The stream runs while the caller reads it; cancelling it ends the body. */
function toReadable(body: BodyStream, signal: AbortSignal, draining: AbortSignal): ReadableStream<Uint8Array> {
  const sink = new WebSink();
  const stop = () => sink.stop();
  const leave = () => sink.leave();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  draining.addEventListener('abort', stop, { once: true });
  sink.onOver = () => {
    signal.removeEventListener('abort', leave);
    draining.removeEventListener('abort', stop);
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      sink.controller = controller;
      body(sink)?.then(
        () => sink.end(),
        (error: unknown) => controller.error(error),
      );
      if (draining.aborted) stop();
    },
    pull: () => sink.wake(),
    cancel: leave,
  });
}

/** A web stream as a sink. */
class WebSink implements Sink {
  controller!: ReadableStreamDefaultController<Uint8Array>;
  isGone = false;
  onOver: () => void = () => {};
  #stop: (() => void) | undefined;
  #waiting: (() => void)[] = [];

  write(chunk: Uint8Array | string): boolean {
    if (this.isGone) return true;
    this.controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return (this.controller.desiredSize ?? 0) > 0;
  }

  drained(): Promise<void> {
    if (this.isGone) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  onStop(stop: () => void): void {
    if (this.isGone) stop();
    else this.#stop = stop;
  }

  stop(): void {
    const stop = this.#stop;
    this.#stop = undefined;
    stop?.();
  }

  /** The caller no longer reads. */
  leave(): void {
    this.isGone = true;
    this.wake();
    this.stop();
    this.onOver();
  }

  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  end(): void {
    this.onOver();
    close(this.controller);
  }

  cut(): void {
    this.controller.error(new Error('the server has cut the stream'));
    this.leave();
  }
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // cancelled by its reader
  }
}
