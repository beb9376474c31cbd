// The server's own way to itself: the pipeline as a client transport, without sockets or web objects.

import { getOwn } from '../base/json.ts';
import { type ClientAnswer, type ClientRequest, RequestError, type Transport } from '../client/client.ts';
import type { ApiRequest, ApiResponse, BodyStream, Handler, Peer, Sink } from '../meta/exchange.ts';
import { loopbackUser } from '../meta/user.ts';

const peer: Peer = { address: 'loopback', trustedUser: loopbackUser };

export function loopbackTransport(handler: Handler): Transport {
  const ask = async (request: ClientRequest) => handler(toApiRequest(request));
  return {
    async send(request): Promise<ClientAnswer> {
      const { status, body, onUnsent } = await ask(request);
      if (request.discards && status < 300) {
        onUnsent?.();
        return { status, body: undefined };
      }
      const text = typeof body === 'function' ? await readAll(body) : Buffer.from(body ?? '').toString();
      return { status, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
    async *lines(path, signal) {
      const { status, body } = await ask({ method: 'GET', path });
      if (status !== 200 || typeof body !== 'function') throw new RequestError(`GET ${path}`, status, parseError(body));
      yield* readLines(body, signal);
    },
  };
}

/** Who owns the fields that are written this way. */
const userAgent = 'keelson';

function toApiRequest({ method, path, body, contentType = 'application/json' }: ClientRequest): ApiRequest {
  const [bare = '', rawQuery = ''] = path.split('?', 2);
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  const headers =
    body === undefined ? { 'user-agent': userAgent } : { 'user-agent': userAgent, 'content-type': contentType };
  return {
    method,
    path: bare,
    rawQuery,
    peer,
    header: (name) => getOwn<string>(headers, name),
    hasHeader: (prefix) => Object.keys(headers).some((name) => name.startsWith(prefix)),
    headers: () => Object.entries(headers),
    readBody: async () => bytes,
  };
}

function parseError(body: ApiResponse['body']): unknown {
  return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : undefined;
}

async function readAll(body: BodyStream): Promise<string> {
  const parts: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const sink = new LineSink((chunk) => parts.push(chunk), resolve);
    body(sink)?.then(resolve, reject);
  });
  return Buffer.concat(parts).toString();
}

/** Takes everything at once: the reader is in this process. */
class LineSink implements Sink {
  readonly #take: (chunk: Buffer) => void;
  readonly #over: () => void;
  #stop: (() => void) | undefined;
  isGone = false;

  constructor(take: (chunk: Buffer) => void, over: () => void) {
    this.#take = take;
    this.#over = over;
  }

  write(chunk: Uint8Array | string): boolean {
    this.#take(Buffer.from(chunk));
    return true;
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  onStop(stop: () => void): void {
    if (this.isGone) stop();
    else this.#stop = stop;
  }

  leave(): void {
    this.isGone = true;
    this.#stop?.();
  }

  end(): void {
    this.#over();
  }

  cut(): void {
    this.#over();
  }
}

/** Lines as they come; leaving the loop, or aborting, ends the stream. */
async function* readLines(body: BodyStream, signal: AbortSignal): AsyncIterable<string> {
  const lines: string[] = [];
  let wake: () => void = () => {};
  let over = false;
  let failure: unknown;
  const finish = (error?: unknown) => {
    failure ??= error;
    over = true;
    wake();
  };
  // frames are whole lines
  const take = (chunk: Buffer) => {
    lines.push(...chunk.toString().trimEnd().split('\n'));
    wake();
  };
  const sink = new LineSink(take, () => finish());
  const leave = () => sink.leave();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  body(sink)?.then(() => finish(), finish);
  try {
    while (!over || lines.length > 0) {
      if (lines.length > 0) yield lines.shift() as string;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (failure !== undefined) throw failure;
  } finally {
    signal.removeEventListener('abort', leave);
    sink.leave();
  }
}
