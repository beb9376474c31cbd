// The server's own way to itself: the pipeline as a client transport, without sockets or web objects.

import { type ClientAnswer, type ClientRequest, RequestError, type Transport } from '../client/client.ts';
import type { ApiRequest, ApiResponse, BodyStream, Handler, Peer, Sink } from '../meta/exchange.ts';
import { loopbackUser } from '../meta/user.ts';

const peer: Peer = { address: 'loopback', trustedUser: loopbackUser };

export function loopbackTransport(handler: Handler): Transport {
  const ask = async (request: ClientRequest) => handler(toApiRequest(request));
  return {
    async send(request): Promise<ClientAnswer> {
      const { status, body } = await ask(request);
      if (request.discards && status < 300) return { status, body: undefined };
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

function toApiRequest({ method, path, body, contentType = 'application/json' }: ClientRequest): ApiRequest {
  const [bare = '', rawQuery = ''] = path.split('?', 2);
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  return {
    method,
    path: bare,
    rawQuery,
    peer,
    header: (name) => (name === 'content-type' && body !== undefined ? contentType : undefined),
    readBody: async () => bytes,
  };
}

function parseError(body: ApiResponse['body']): unknown {
  return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : undefined;
}

async function readAll(body: BodyStream): Promise<string> {
  const parts: Buffer[] = [];
  await body({ ...endless, write: (chunk) => parts.push(Buffer.from(chunk)) > 0 });
  return Buffer.concat(parts).toString();
}

const never = new AbortController().signal;
const endless: Omit<Sink, 'write'> = { drained: () => Promise.resolve(), signal: never, draining: never };

/** Lines as they come; leaving the loop, or aborting, ends the stream. */
async function* readLines(body: BodyStream, signal: AbortSignal): AsyncIterable<string> {
  const gone = new AbortController();
  const onAbort = () => gone.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) gone.abort();
  const lines: string[] = [];
  let wake: () => void = () => {};
  let over = false;
  let failure: unknown;
  const sink: Sink = {
    ...endless,
    signal: gone.signal,
    write(chunk) {
      // frames are whole lines
      lines.push(...Buffer.from(chunk).toString().trimEnd().split('\n'));
      wake();
      return true;
    },
  };
  const running = body(sink).catch((error: unknown) => {
    failure = error;
  });
  void running.then(() => {
    over = true;
    wake();
  });
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
    signal.removeEventListener('abort', onAbort);
    gone.abort();
  }
}
