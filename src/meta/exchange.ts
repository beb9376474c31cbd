// One request and its answer as they travel through the server, whatever transport they came by.

import type { Duplex } from 'node:stream';
import { ParsedOnce } from '../base/json/parsed-once.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type FieldSelector, parseFieldSelector } from './field-selector.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import { type MovedRequest, moveToLane } from './move-to-lane.ts';
import type { ApiObject } from './object.ts';
import { emptyQuery, parseQuery, type Query } from './query.ts';
import type { RequestInfo } from './request-info.ts';
import type { NotedParts, RequestNotes } from './request-notes.ts';
import type { ApiError, Status } from './status.ts';
import { anonymousUser, type UserInfo } from './user.ts';

/** A client certificate as it was shown. The client has its key; nothing else about it is verified. */
export interface ClientCertificate {
  /** In DER: the client's own, and all that were sent along, in their order. */
  readonly chain: readonly Uint8Array[];
}

/** The other end of the connection, as far as the transport knows. */
export interface Peer {
  readonly address: string;
  readonly certificate?: ClientCertificate;
  /** Set for calls that never left the process. */
  readonly trustedUser?: UserInfo;
}

/** Notified when the client leaves. An object rather than a function: there is one for each request. */
export interface GoneListener {
  onGone(): void;
}

/** Notified when no more work is to be done for a request. */
export interface EndListener {
  onEnded(why: Error): void;
}

/** Where the bytes of a body are counted, while they are in memory. */
export interface BodyRoom {
  /** Throws a 429 if the buffer space is full. */
  take(bytes: number): void;
  /** The request is over: its space is free for others. */
  close(): void;
}

export interface ApiRequest {
  readonly method: string;
  /** Raw path, without the query. */
  readonly path: string;
  /** Raw query, without the question mark. */
  readonly rawQuery: string;
  readonly peer: Peer;
  /** What the client wants to talk instead of HTTP. */
  readonly upgrade?: 'websocket' | undefined;
  header(name: string): string | undefined;
  /** Whether there is a header whose name begins like this. */
  hasHeader(prefix: string): boolean;
  /** Every header as it was sent, names in lower case; one sent several times is there several times. */
  headers(): readonly (readonly [name: string, value: string])[];
  /** The whole body; fails with 413 past `limit` bytes, and with 429 without buffer space. */
  readBody(limit: number, room?: BodyRoom): Promise<Uint8Array>;
  /** The body as it comes, for handlers that pass it on; not together with `readBody`. */
  bodyChunks?(): AsyncIterable<Uint8Array>;
  /** The protocol that the client asks to go on with, where the transport can. */
  readonly wantsProtocol?: string | undefined;
  /** The caller has shown valid credentials: its connection may hold more memory than that of a stranger. */
  markAuthenticated?(): void;
  /** Set in the lane for large requests: what the thread that received the request knows of it. */
  readonly moved?: MovedRequest;
  /** Called when a write of the request is sent to the store. */
  onCommit?(): void;
  /** Called in the lane, before the answer, with the work that was done there. */
  onNoted?(parts: NotedParts): void;
  /** Calls the listener once if the client leaves before the answer; at most one listener. */
  onGone?(listener: GoneListener): void;
}

/** The destination of a streamed body. */
export interface Sink {
  /** False means: stop writing until `drained` resolves. */
  write(chunk: Uint8Array | string): boolean;
  /** Resolves when writing may go on, or when the client no longer reads. */
  drained(): Promise<void>;
  /** Written chunks may be reused once `drained` has resolved: their bytes have been sent by then. */
  readonly releasesChunks?: boolean;
  /** Small chunks cost no more than large ones: they are joined on their way. */
  readonly joinsChunks?: boolean;
  /** Bytes that were written and that the client has not taken, where that is known. */
  readonly unsentBytes?: number | undefined;
  /** The client no longer reads. */
  readonly isGone: boolean;
  /**
   * For streams without an end: calls `stop` once, when the client no longer reads or the server is about to stop.
   * At once when that has happened already.
   */
  onStop(stop: () => void): void;
  /** The body is complete; for bodies that gave no promise. */
  end(): void;
  /** Ends at once, whatever has not been read: for readers that are given up. */
  cut(): void;
}

/**
 * Writes the body. With a promise the body is complete when that resolves. Without one it continues until it calls
 * `end`: a watch that nothing happens on should hold no more than it needs.
 */
export type BodyStream = (sink: Sink) => Promise<void> | undefined;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | BodyStream;
  /** About how many bytes a streamed body has, where that is known. */
  readonly expectedLength?: number;
  /** The body in gzip, where it has parts that are compressed already. */
  readonly gzipBody?: BodyStream;
  /** The body consists of WebSocket frames, for a request with that protocol. */
  readonly upgrade?: 'websocket';
  /** Takes over the connection when the client has seen the headers of a 101. */
  readonly tunnel?: Tunnel;
  /** Called instead of the body if the client leaves before a streamed answer begins. */
  readonly onUnsent?: () => void;
  /** The value of the body, if it was made from one. */
  readonly value?: object;
  /** Makes that value, where the body was made without it. */
  readonly makeValue?: () => object;
  /** Another thread has made the answer, with all headers. */
  readonly isFinished?: true;
  /** Nothing is sent: the transport ends the request as a network would that fails. */
  readonly isDropped?: true;
}

/** `early` is what the client has sent already. */
export type Tunnel = (client: Duplex, early: Uint8Array) => void;

/** What audit learns of a request on its way; callers need not ask whether the request is recorded. */
export interface AuditTrail {
  /** All so far. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** A key keeps its first value. With a level it is for events that record as much. */
  annotate(key: string, value: string, level?: 'Request'): void;
  /** What the client sent, as it was understood; `about` where that is an object. */
  captureRequest(body: unknown, about?: AuditedMeta): void;
  /** What a handler answers, before it is compressed; gives back the answer to go on with. */
  captureResponse(response: ApiResponse): ApiResponse;
  /** The request fails; `unexpected` where the cause is a bug of the server. */
  failed(status: Status, unexpected: boolean): void;
  /** The answer is about to be sent; gives back the one to send, once audit lets it go. */
  finished(response: ApiResponse): MaybePromise<ApiResponse>;
}

export interface AuditedMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

const maxWarningLength = 4096;
/** How much is kept of each where all together are too long. */
const shortWarningLength = 256;
const noBytes = new Uint8Array(0);
const noWarnings: readonly string[] = [];

/** Characters, not code units. */
const lengthOf = (text: string) => (text.length <= shortWarningLength ? text.length : [...text].length);

/**
 * All of them while they are short together. From the first that is too much on, each is shortened, and those that
 * follow are added until the limit is reached.
 */
function limited(texts: readonly string[]): readonly string[] {
  let total = 0;
  const tooMuch = texts.findIndex((text) => {
    total += lengthOf(text);
    return total > maxWarningLength;
  });
  if (tooMuch < 0) return texts;
  total = 0;
  return texts.map(shortened).filter((text, at) => {
    if (at > tooMuch && total >= maxWarningLength) return false;
    total += lengthOf(text);
    return true;
  });
}

const shortened = (text: string) =>
  lengthOf(text) <= shortWarningLength ? text : [...text].slice(0, shortWarningLength).join('');

export class Exchange {
  readonly request: ApiRequest;
  /** Sent back as Audit-Id; names the request in logs. */
  readonly id: string;
  readonly startedAt: number;
  info!: RequestInfo;
  user: UserInfo = anonymousUser;
  /** The authenticated user, if `user` is the one they act as. */
  impersonator: UserInfo | undefined;
  /** The right to act as that user, if it is limited to a purpose. */
  impersonationConstraint: string | undefined;
  /** Headers of the answer, whatever it is. */
  addedHeaders: Readonly<Record<string, string>> | undefined;
  /** Whether the request is for a resource that exists here, once that is known. */
  isServed = false;
  /** Whether the request is a connection to another server, for admission and metrics. */
  isConnection = false;
  /** Set for a request to another server: whether it was forwarded or refused. */
  passedOn: 'asked' | 'refused' | undefined;
  /** Set for a deprecated resource: the release that no longer has it, empty if none is planned. */
  removedRelease: string | undefined;
  /** The size of the body that the handler read: small ones need no yielding. */
  bodyBytes = 0;
  /** Seconds that were spent waiting for webhooks. */
  elsewhereSeconds = 0;
  /** The body had fields that are unknown or repeat. */
  droppedFields = false;
  /** A field that its kind requires and the object of the request lacks; only where the dialect asks. */
  missingField: string | undefined;
  /** In a dry run, the namespace that the real request would make first. */
  plannedNamespace: ApiObject | undefined;
  /** Set where the request is audited. */
  audit: AuditTrail | undefined;
  /** Set while a trace of the request is taken. */
  notes: RequestNotes | undefined;
  /** What credentials gave cause to note, before there was a trail. */
  earlyNotes: Readonly<Record<string, string>> | undefined;
  /** When the answer must have begun, by the server's clock. */
  deadline = Number.POSITIVE_INFINITY;
  /** Gives back what the request holds while it is worked on. */
  release: (() => void) | undefined;
  /** Called when the body is here, before it is used: the request may have to wait then. */
  onBody: (() => Promise<undefined> | undefined) | undefined;
  /** Undefined if the body has no space limit. */
  room: BodyRoom | undefined;
  /** Requests with a larger body, or that change a larger object, move to the lane. */
  largeBytes = Number.POSITIVE_INFINITY;
  #body: Uint8Array | undefined;
  #isCommitted = false;
  /** Why no more work is done for the request. */
  #ended: ApiError | undefined;
  #abort: AbortController | undefined;
  #endListener: EndListener | undefined;
  #warnings: Set<string> | undefined;
  #query: Query | undefined;
  #labelSelector: ParsedOnce<LabelSelector> | undefined;
  #fieldSelector: ParsedOnce<FieldSelector> | undefined;

  constructor(request: ApiRequest, id: string, startedAt: number) {
    this.request = request;
    this.id = id;
    this.startedAt = startedAt;
  }

  /** Aborts when the time of the request is up or its client leaves: for calls that wait for other servers. Made on first use. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#ended !== undefined) this.#abort.abort(this.#ended);
    }
    return this.#abort.signal;
  }

  /** The whole body; fails with 413 past `limit` bytes, and with 429 where bodies fill the memory that they may. */
  async readBody(limit: number): Promise<Uint8Array> {
    this.#body = await this.request.readBody(limit, this.room);
    const waiting = this.#bodyArrived();
    if (waiting !== undefined) await waiting;
    this.moveIfLarge(this.#body.length);
    return this.#body;
  }

  #bodyArrived(): Promise<void> | undefined {
    const { onBody } = this;
    if (onBody === undefined) return undefined;
    this.onBody = undefined;
    this.throwIfEnded();
    return onBody()?.then(() => this.throwIfEnded());
  }

  /** The body as far as it was read. */
  get body(): Uint8Array {
    return this.#body ?? noBytes;
  }

  /** To be called with the size of what the request reads and changes, before anything is committed or sent. */
  moveIfLarge(bytes: number): void {
    if (bytes > this.largeBytes) throw moveToLane;
  }

  /** Called when the work for a request is long: the request moves to the lane if that is still possible. */
  moveIfPossible(): void {
    this.moveIfLarge(Number.POSITIVE_INFINITY);
  }

  /** Another server was called, which must not happen twice: the request does not move any more. */
  stay(): void {
    this.largeBytes = Number.POSITIVE_INFINITY;
  }

  /** A write was sent to the store: it may happen, whatever becomes of the request. */
  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  commit(): void {
    this.#isCommitted = true;
    this.stay();
    this.request.onCommit?.();
  }

  /** No more work is to be done for the request. */
  end(why: ApiError): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#abort?.abort(why);
    this.#endListener?.onEnded(why);
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** A cheaper form of `signal` with at most one listener. Calls it at once if the end has come already. */
  onEnd(listener: EndListener): void {
    this.#endListener = listener;
    if (this.#ended !== undefined) listener.onEnded(this.#ended);
  }

  offEnd(listener: EndListener): void {
    if (this.#endListener === listener) this.#endListener = undefined;
  }

  /** Throws where the request was ended: to be called before work that can still be dropped. */
  throwIfEnded(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  get query(): Query {
    this.#query ??= this.request.rawQuery === '' ? emptyQuery : parseQuery(this.request.rawQuery);
    return this.#query;
  }

  /** The label selector of the query, parsed once. Throws a 400 if it is invalid. */
  get labelSelector(): LabelSelector {
    return this.#parsedLabels.value;
  }

  /** The field selector of the query, parsed once. Throws a 400 if it is invalid. */
  get fieldSelector(): FieldSelector {
    return this.#parsedFields.value;
  }

  get #parsedLabels(): ParsedOnce<LabelSelector> {
    this.#labelSelector ??= new ParsedOnce(() => parseLabelSelector(this.query.get('labelSelector') ?? ''));
    return this.#labelSelector;
  }

  get #parsedFields(): ParsedOnce<FieldSelector> {
    this.#fieldSelector ??= new ParsedOnce(() => parseFieldSelector(this.query.get('fieldSelector') ?? ''));
    return this.#fieldSelector;
  }

  /** Texts of the Warning headers; together they stay small enough for any client. */
  get warnings(): readonly string[] {
    if (this.#warnings === undefined) return noWarnings;
    return limited([...this.#warnings]);
  }

  /** Adds a Warning header to the answer; the same text is sent once. */
  warn(text: string): void {
    this.#warnings ??= new Set();
    this.#warnings.add(text);
  }

  /** Adds an annotation to the audit events of the request, also before it is known whether there are any. */
  annotate(key: string, value: string): void {
    if (this.audit === undefined) this.earlyNotes = { ...this.earlyNotes, [key]: value };
    else this.audit.annotate(key, value);
  }
}

/** Answers a request; never rejects. */
export type Handler = (request: ApiRequest) => MaybePromise<ApiResponse>;
