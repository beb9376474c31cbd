// Requests to the server, as the user who signed in. Errors are the server's Status objects.

import { credentials, signedOut, user } from './credentials.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: { readonly causes?: readonly StatusCause[] };
}

export class RequestFailure extends Error {
  readonly status: number;
  readonly body: Status;

  constructor(status: number, body: Status) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

export interface CallOptions {
  readonly method?: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export async function call(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', accept = 'application/json', contentType = 'application/json', body, signal } = options;
  const answer = await fetch(path, {
    method,
    headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }), ...credentials() },
    cache: 'no-store',
    redirect: 'error',
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.ok) return answer;
  if (answer.status === 401 && user.value) signedOut('Your session has ended.');
  throw new RequestFailure(answer.status, await statusOf(answer));
}

export async function getJson<T>(path: string, options: CallOptions = {}): Promise<T> {
  return (await (await call(path, options)).json()) as T;
}

export async function sendJson<T>(method: string, path: string, value: unknown, contentType?: string): Promise<T> {
  const answer = await call(path, {
    method,
    body: JSON.stringify(value),
    ...(contentType === undefined ? {} : { contentType }),
  });
  return (await answer.json()) as T;
}

async function statusOf(answer: Response): Promise<Status> {
  try {
    return (await answer.json()) as Status;
  } catch {
    return { message: `The server answered ${answer.status}.` };
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
