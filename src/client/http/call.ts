// One HTTP request: sent, perhaps given up, its answer read within bounds. No redirect is followed.

import {
  type IncomingMessage,
  type ClientRequest as Outgoing,
  type RequestOptions,
  request as sendPlain,
} from 'node:http';
import { request as sendSecure } from 'node:https';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A request got no answer; `code` is the error code of the system. The error never contains what was sent. */
export class TransportError extends Error {
  readonly code: string;

  constructor(request: string, cause: NodeJS.ErrnoException) {
    super(`${request}: ${cause.message || (cause.code ?? 'failed')}`, { cause });
    this.code = cause.code ?? '';
  }
}

/** More was answered than the client is ready to read. */
export class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
  constructor(limit: number) {
    super(`the answer is longer than ${limit} bytes`);
  }
}

interface CallOptions {
  readonly isSecure: boolean;
  readonly options: RequestOptions;
  readonly body: Buffer | undefined;
  /** Asking twice changes nothing, whatever the method. */
  readonly mayRepeat?: boolean;
}

/** Connections that were idle may be closed by the server at the moment they are used again. */
const staleAttempts = 5;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What an error about an answer adds to its status: that a redirect is not followed. */
export const redirectNote = (status: number): string =>
  redirects.has(status) ? ', a redirect, which is not followed' : '';

export class Call {
  readonly #call: CallOptions;
  #outgoing: Outgoing | undefined;
  #incoming: IncomingMessage | undefined;
  #why: Error | undefined;
  #giveUp: (why: Error) => void = () => {};

  constructor(call: CallOptions) {
    this.#call = call;
  }

  /** Gives up; the caller that waits for the answer gets this error. */
  cut(why: Error): void {
    this.#why ??= why;
    this.#incoming?.destroy(why);
    this.#outgoing?.destroy(why);
    // a request that still waits for a connection would say so only when it has one
    this.#giveUp(this.#why);
  }

  /** Resolves when the answer begins. */
  async answer(): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      if (this.#why !== undefined) throw this.#why;
      try {
        this.#incoming = await this.#attempt();
        return this.#incoming;
      } catch (error) {
        if (this.#why !== undefined) throw this.#why;
        if (attempt >= staleAttempts || !this.#wasStale(error)) throw error;
      }
    }
  }

  /** The text of the answer, unpacked. */
  async text(incoming: IncomingMessage, limit: number): Promise<string> {
    return (await this.bytes(incoming, limit)).toString();
  }

  /** The answer, unpacked. */
  async bytes(incoming: IncomingMessage, limit: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    try {
      for await (const part of unpacked(incoming) as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > limit) throw new AnswerTooLarge(limit);
        parts.push(part);
      }
    } catch (error) {
      this.cut(error as Error);
      throw this.#why ?? error;
    }
    return Buffer.concat(parts);
  }

  /** The lines of the answer as they come; none longer than `limit`. */
  async *lines(incoming: IncomingMessage, limit: number): AsyncIterable<string> {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    try {
      for await (const part of unpacked(incoming) as AsyncIterable<Buffer>) {
        const lines = (rest + decoder.write(part)).split('\n');
        rest = lines.pop() ?? '';
        if (rest.length > limit) throw new AnswerTooLarge(limit);
        for (const line of lines) if (line !== '') yield line;
      }
      if (rest !== '') yield rest;
    } catch (error) {
      throw this.#why ?? error;
    } finally {
      incoming.destroy();
    }
  }

  #attempt(): Promise<IncomingMessage> {
    const { isSecure, options, body } = this.#call;
    return new Promise((resolve, reject) => {
      const outgoing = isSecure ? sendSecure(options) : sendPlain(options);
      this.#outgoing = outgoing;
      this.#giveUp = reject;
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.on('upgrade', (_incoming, socket) => {
        socket.destroy();
        reject(new Error('the server wants to change the protocol'));
      });
      outgoing.end(body);
    });
  }

  /** A repeat is safe only for requests that change nothing. */
  #wasStale(error: unknown): boolean {
    const { code = '' } = error as NodeJS.ErrnoException;
    const mayRepeat = this.#call.mayRepeat ?? this.#call.options.method === 'GET';
    return mayRepeat && this.#outgoing?.reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE');
  }
}

function unpacked(incoming: IncomingMessage): Readable {
  if (incoming.headers['content-encoding'] !== 'gzip') return incoming;
  // loaded with the first such answer
  const plain = process.getBuiltinModule('node:zlib').createGunzip();
  incoming.on('error', (error) => plain.destroy(error));
  return incoming.pipe(plain);
}
