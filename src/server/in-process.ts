// Calls without a socket: the web's Request and Response around the same pipeline.

import type { ApiRequest, ApiResponse, BodyStream, Handler, Peer, Sink } from '../meta/exchange.ts';
import { requestEntityTooLarge, serviceUnavailable } from '../meta/status.ts';
import { loopbackUser, type UserInfo } from '../meta/user.ts';

export interface InProcessInit extends RequestInit {
  /** Whom to act as; the server itself when not given. */
  readonly user?: UserInfo;
}

/** A `fetch` that never leaves the process. Paths without a host are fine. */
export type InProcessFetch = (input: string | URL | Request, init?: InProcessInit) => Promise<Response>;

const placeholderOrigin = 'https://in-process.invalid';

export function inProcessFetch(handler: Handler, draining: AbortSignal, isClosed: () => boolean): InProcessFetch {
  return async (input, init = {}) => {
    if (isClosed()) return Response.json(serviceUnavailable('the server is closed').toStatus(), { status: 503 });
    const target = typeof input === 'string' ? new URL(input, placeholderOrigin) : input;
    const request = new Request(target, init);
    const peer: Peer = { address: 'in-process', trustedUser: init.user ?? loopbackUser };
    return toResponse(await handler(new FetchRequest(request, peer)), request.signal, draining);
  };
}

class FetchRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly peer: Peer;
  readonly #request: Request;

  constructor(request: Request, peer: Peer) {
    const url = new URL(request.url);
    this.method = request.method;
    this.path = url.pathname;
    this.rawQuery = url.search.slice(1);
    this.peer = peer;
    this.#request = request;
  }

  header(name: string): string | undefined {
    return name.startsWith(':') ? undefined : (this.#request.headers.get(name) ?? undefined);
  }

  hasHeader(prefix: string): boolean {
    return [...this.#request.headers.keys()].some((name) => name.startsWith(prefix));
  }

  /** The web joins what was sent several times; a comma and a space tell the values apart. */
  headers(): readonly (readonly [string, string])[] {
    return [...this.#request.headers].flatMap(([name, value]) => value.split(', ').map((one) => [name, one] as const));
  }

  async readBody(limit: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(await this.#request.arrayBuffer());
    if (bytes.length > limit) throw requestEntityTooLarge(limit);
    return bytes;
  }
}

function toResponse({ status, headers, body }: ApiResponse, signal: AbortSignal, draining: AbortSignal): Response {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) for (const one of [value].flat()) all.append(name, one);
  const content = typeof body === 'function' ? toReadable(body, signal, draining) : (body ?? null);
  return new Response(status === 304 ? null : (content as ReadableStream | string | null), { status, headers: all });
}

/** The stream runs while somebody reads it; cancelling it ends the body. */
function toReadable(body: BodyStream, signal: AbortSignal, draining: AbortSignal): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  if (signal.aborted) gone.abort();
  else signal.addEventListener('abort', () => gone.abort(), { once: true });
  let wake: (() => void) | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const sink: Sink = {
        write(chunk) {
          if (gone.signal.aborted) return true;
          controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
          return (controller.desiredSize ?? 0) > 0;
        },
        drained: () =>
          new Promise((resolve) => {
            wake = resolve;
          }),
        signal: gone.signal,
        draining,
      };
      gone.signal.addEventListener('abort', () => wake?.(), { once: true });
      body(sink).then(
        () => close(controller),
        (error: unknown) => controller.error(error),
      );
    },
    pull() {
      wake?.();
      wake = undefined;
    },
    cancel() {
      gone.abort();
    },
  });
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // cancelled by its reader
  }
}
