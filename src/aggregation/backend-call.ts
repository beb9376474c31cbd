// One request to another server and its answer, the same over HTTP/2 and HTTP/1.1.

import { constants, type Http2Stream } from 'node:http2';
import type { Readable } from 'node:stream';

export interface BackendRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Host and port, as the server is addressed. */
  readonly authority: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array> | undefined;
}

export interface BackendAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Has to be read to its end or destroyed. */
  readonly body: Readable;
}

/** Ends an answer that is not read to its end. Without a code, a server of HTTP/2 that waits to write would not hear of it. */
export function giveUp(body: Readable & Partial<Pick<Http2Stream, 'rstCode' | 'close'>>): void {
  body.on('error', ignore);
  if (body.rstCode === undefined) body.destroy();
  else body.close?.(constants.NGHTTP2_CANCEL);
}

function ignore(): void {}

/** The other server ended the connection without an answer. */
export const noAnswer = (): Error => new Error('EOF');

/** Where a body goes: both kinds of request are such streams. */
interface Outgoing {
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  destroy(error?: Error): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
}

/** Sends a body at the pace of the other server; a client that leaves midway ends the request. */
export async function sendBody(body: AsyncIterable<Uint8Array>, outgoing: Outgoing): Promise<void> {
  try {
    for await (const chunk of body) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(chunk)) await drained(outgoing);
    }
    if (!outgoing.destroyed) outgoing.end();
  } catch {
    outgoing.destroy(new Error('the request was cut off'));
  }
}

function drained(outgoing: Outgoing): Promise<void> {
  if (outgoing.destroyed || !outgoing.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      outgoing.removeListener('drain', done);
      outgoing.removeListener('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}

/** Calls `cut` when `signal` aborts, until the returned function is called. */
export function onAbort(signal: AbortSignal, cut: (why: Error) => void): () => void {
  const abort = () => cut(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
