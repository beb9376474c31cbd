// Documents of other servers, fetched for this server's own use: bounded in size and time.

import type { Readable } from 'node:stream';
import { type BackendAnswer, onAbort } from './backend-call.ts';
import { userHeaders } from './forwarded-headers.ts';
import { authorityOf, type RemoteBackend } from './remote-backend.ts';

/** As what this server asks for itself. */
export const aggregatorUser = { name: 'system:kube-aggregator', groups: ['system:masters'] };

interface FetchOptions {
  readonly accept: string;
  /** Of the document that is known already. */
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Aborts when the server stops. */
  readonly stop: AbortSignal;
}

export interface Fetched extends Pick<BackendAnswer, 'status' | 'headers'> {
  readonly bytes: Buffer;
}

/** Throws where there is no answer, or one that is too long or too late. */
export async function fetchFrom(backend: RemoteBackend, path: string, options: FetchOptions): Promise<Fetched> {
  const { accept, etag, timeoutMs, maxBytes, stop } = options;
  const to = await backend.locate();
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  const headers = {
    accept,
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...userHeaders(aggregatorUser),
  };
  const asked = { method: 'GET', path, authority: authorityOf(to), headers, body: undefined };
  const answer = await backend.hostAt(to).ask(asked, signal);
  return { status: answer.status, headers: answer.headers, bytes: await collected(answer.body, maxBytes, signal) };
}

function collected(body: Readable, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    body.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBytes) body.destroy(new Error(`the document is longer than ${maxBytes} bytes`));
    });
    body.on('end', () => resolve(Buffer.concat(parts)));
    body.on('error', reject);
    const leave = onAbort(signal, (why) => body.destroy(why));
    body.on('close', () => {
      leave();
      reject(new Error('unexpected EOF'));
    });
  });
}
