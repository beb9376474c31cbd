// Documents of other servers, fetched for this server's own use: bounded in size and time.

import { timeLimited } from '../base/time/time-limit.ts';
import type { BackendAnswer } from './backend-call.ts';
import { collected } from './collected-body.ts';
import { SignalEnding } from './ending.ts';
import { userHeaders } from './forwarded-headers.ts';
import { authorityOf, type RemoteBackend } from './remote-backend.ts';

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
  readonly bytes: Uint8Array;
}

/** Throws where there is no answer, or one that is too long or too late. */
export async function fetchFrom(backend: RemoteBackend, path: string, options: FetchOptions): Promise<Fetched> {
  const { accept, etag, timeoutMs, maxBytes, stop } = options;
  const to = await backend.locate();
  const ending = new SignalEnding(timeLimited(stop, timeoutMs));
  const headers = {
    accept,
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...userHeaders(backend.user),
  };
  const request = { method: 'GET', path, authority: authorityOf(to), headers, body: undefined };
  const answer = await backend.hostAt(to).ask(request, ending);
  const bytes = await collected(answer.body, { maxBytes, ending });
  return { status: answer.status, headers: answer.headers, bytes };
}
