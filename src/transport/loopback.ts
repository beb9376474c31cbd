// The server's own way to itself: the pipeline as a client transport, without sockets or web objects.

import { bufferOf } from '../base/bytes.ts';
import { getOwn, stringifyJson } from '../base/json/json.ts';
import { parseJsonText } from '../base/json/json-scan.ts';
import { turnForLarge } from '../base/time/turns.ts';
import { type ClientAnswer, type ClientRequest, RequestError, type Transport } from '../client/client.ts';
import type { ApiRequest, ApiResponse, BodyStream, Handler, Peer, Sink } from '../meta/exchange.ts';
import { loopbackUser } from '../meta/user.ts';
import { largeBytes, withoutManagers } from '../meta/without-managers.ts';

const peer: Peer = { address: 'loopback', trustedUser: loopbackUser };

/** Fields written by this client belong to the manager of this name. */
export function loopbackTransport(handler: Handler, name: string): Transport {
  const ask = async (request: ClientRequest) => handler(toApiRequest(request, name));
  return {
    async send(request): Promise<ClientAnswer> {
      const { status, body, onUnsent } = await ask(request);
      if (request.discards && status < 300) {
        onUnsent?.();
        return { status, body: undefined };
      }
      const bytes = typeof body === 'function' ? await readAll(body) : Buffer.from(body ?? '');
      await turnForLarge(bytes.length);
      const text = textOf(bytes);
      await turnForLarge(bytes.length);
      const parsed = text.startsWith('{') ? parseJsonText(text) : text;
      await turnForLarge(text.length);
      return { status, body: parsed };
    },
    async *lines(path, signal) {
      const { status, body } = await ask({ method: 'GET', path });
      if (status !== 200 || typeof body !== 'function') throw new RequestError(`GET ${path}`, status, parseError(body));
      yield* readLines(body, signal);
    },
  };
}

function toApiRequest(request: ClientRequest, name: string): ApiRequest {
  const { method, path, body, contentType = 'application/json' } = request;
  const bytes = Buffer.from(body === undefined ? '' : stringifyJson(body));
  const [bare = '', rawQuery = ''] = path.split('?', 2);
  const headers = body === undefined ? { 'user-agent': name } : { 'user-agent': name, 'content-type': contentType };
  return {
    method,
    path: bare,
    rawQuery,
    peer,
    header: (name) => getOwn<string>(headers, name),
    hasHeader: (prefix) => Object.keys(headers).some((name) => name.startsWith(prefix)),
    headers: () => Object.entries(headers),
    async readBody() {
      await turnForLarge(bytes.length);
      return bytes;
    },
  };
}

function parseError(body: ApiResponse['body']): unknown {
  return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : undefined;
}

/** A large object comes without the managers of its fields: the server does not look at them, and a PUT without them keeps them. */
const textOf = (bytes: Buffer): string =>
  bufferOf(bytes.length < largeBytes ? bytes : withoutManagers(bytes)).toString();

async function readAll(body: BodyStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const sink = new LineSink((chunk) => parts.push(chunk), resolve);
    body(sink)?.then(resolve, reject);
  });
  return Buffer.concat(parts);
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
  const sink = new LineQueue();
  const leave = () => sink.leave();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  body(sink)?.then(
    () => sink.end(),
    (error: unknown) => sink.fail(error),
  );
  try {
    for (;;) {
      const line = await sink.next();
      if (line === undefined) return;
      yield line;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    sink.leave();
  }
}

/** Answers of other servers come in pieces of any length: a line of one is at most this long. */
const maxLineBytes = 8 * 1024 * 1024;
/** So much may wait for the reader. */
const maxWaitingBytes = 1024 * 1024;
const lineEnd = 0x0a;

/** Cuts written text into lines, as fast as they are read. */
class LineQueue implements Sink {
  readonly #lines: Buffer[] = [];
  /** The beginning of a line whose end has not come. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  #waiting = 0;
  #isOver = false;
  #failure: unknown;
  #stop: (() => void) | undefined;
  #wake: () => void = () => {};
  #drained: () => void = () => {};
  isGone = false;

  write(chunk: Uint8Array | string): boolean {
    if (this.isGone) return true;
    const bytes = Buffer.from(chunk);
    let at = 0;
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, at)) {
      this.#take(bytes.subarray(at, end));
      this.#finishLine();
      at = end + 1;
    }
    this.#take(bytes.subarray(at));
    if (this.#restBytes > maxLineBytes) this.fail(new Error('a line of the answer is too long'));
    this.#wake();
    return this.#waiting <= maxWaitingBytes;
  }

  drained(): Promise<void> {
    if (this.isGone || this.#waiting <= maxWaitingBytes) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  onStop(stop: () => void): void {
    if (this.isGone) stop();
    else this.#stop = stop;
  }

  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#drained();
    this.#stop?.();
  }

  end(): void {
    if (this.#restBytes > 0) this.#finishLine();
    this.#isOver = true;
    this.#wake();
  }

  cut(): void {
    this.end();
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#isOver = true;
    this.leave();
    this.#wake();
  }

  /** Undefined at the end. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#lines.shift() as Buffer;
    this.#waiting -= line.length;
    if (this.#lines.length === 0) this.#drained();
    await turnForLarge(line.length);
    return line.toString();
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
  }

  #finishLine(): void {
    const line = Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    if (line.length === 0) return;
    this.#lines.push(line);
    this.#waiting += line.length;
  }
}
