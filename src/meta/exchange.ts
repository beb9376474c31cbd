// One request and its answer as they travel through the server, whatever transport they came by.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { emptyQuery, parseQuery, type Query } from './query.ts';
import type { RequestInfo } from './request-info.ts';
import { anonymousUser, type UserInfo } from './user.ts';

/** Who is at the other end of the connection, as far as the transport knows. */
export interface Peer {
  readonly address: string;
  /** Subject of the client certificate, when its chain was verified. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] };
  /** Why a client certificate was not accepted. */
  readonly certificateError?: string;
  /** Set for calls that never left the process. */
  readonly trustedUser?: UserInfo;
}

export interface ApiRequest {
  readonly method: string;
  /** Raw path, without the query. */
  readonly path: string;
  /** Raw query, without the question mark. */
  readonly rawQuery: string;
  readonly peer: Peer;
  header(name: string): string | undefined;
  /** The whole body; fails with 413 past `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array>;
}

/** Where a streamed body goes. */
export interface Sink {
  /** False means: stop writing until `drained` resolves. */
  write(chunk: Uint8Array | string): boolean;
  drained(): Promise<void>;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
  /** Aborted when the server is about to stop: streams without an end should come to one. */
  readonly draining: AbortSignal;
}

/** Writes the body and resolves when it is complete; the transport ends the response then. */
export type BodyStream = (sink: Sink) => Promise<void>;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | BodyStream;
}

const maxWarningLength = 4096;
const noWarnings: readonly string[] = [];

export class Exchange {
  readonly request: ApiRequest;
  /** Sent back as Audit-Id; names the request in logs. */
  readonly id: string;
  readonly startedAt: number;
  info!: RequestInfo;
  user: UserInfo = anonymousUser;
  /** Whether the request is for a resource that exists here, once that is known. */
  isServed = false;
  /** Whether clients were told to stop using that resource. */
  isDeprecated = false;
  #warnings: Set<string> | undefined;
  #observers: ((response: ApiResponse) => void)[] | undefined;
  #query: Query | undefined;

  constructor(request: ApiRequest, id: string, startedAt: number) {
    this.request = request;
    this.id = id;
    this.startedAt = startedAt;
  }

  get query(): Query {
    this.#query ??= this.request.rawQuery === '' ? emptyQuery : parseQuery(this.request.rawQuery);
    return this.#query;
  }

  /** Texts of the Warning headers; together they stay small enough for any client. */
  get warnings(): readonly string[] {
    if (this.#warnings === undefined) return noWarnings;
    let total = 0;
    return [...this.#warnings].filter((text) => {
      total += text.length;
      return total <= maxWarningLength;
    });
  }

  /** Adds a Warning header to the answer; the same text is sent once. */
  warn(text: string): void {
    this.#warnings ??= new Set();
    this.#warnings.add(text);
  }

  /** Calls `observer` with the answer once it is known, before it is sent. */
  onAnswer(observer: (response: ApiResponse) => void): void {
    this.#observers ??= [];
    this.#observers.push(observer);
  }

  answered(response: ApiResponse): void {
    if (this.#observers !== undefined) for (const observer of this.#observers) observer(response);
  }
}

/** Answers a request; never rejects. */
export type Handler = (request: ApiRequest) => MaybePromise<ApiResponse>;
