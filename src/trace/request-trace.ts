// The trace of one request: its spans, and the verdict of each stage. Clients read it as a RequestRecord; collectors receive
// the spans.

import type {
  AdmissionVerdict,
  AuthorizationVerdict,
  FlowVerdict,
  MovedNotes,
  NotedParts,
  OpenSpan,
  RequestNotes,
  SpanAttributes,
  SpanKind,
  StageTime,
  StoreVerdict,
  TraceContext,
  Verdicts,
} from '../meta/request-notes.ts';
import { isMaster, isMonitor, type UserInfo } from '../meta/user.ts';
import { newSpanId, traceHeaders } from './trace-context.ts';

/** One request as `/debug/keelson/requests` shows it. Bodies are never in it. */
export interface RequestRecord {
  /** Counted by the server, without gaps: `?after=` takes it. */
  readonly sequence: number;
  readonly auditId: string;
  /** Set where collectors receive the trace. */
  readonly traceId?: string;
  /** The thread that received the request; the main thread is 0. */
  readonly thread: number;
  /** The request was moved to the thread for large requests. */
  readonly inLane?: true;
  /** When it was received, in RFC 3339 with milliseconds. */
  readonly time: string;
  /** Until the answer began. */
  readonly durationMs: number;
  readonly client: string;
  readonly userAgent: string;
  /** The user whose rights applied. */
  readonly user: string;
  readonly groups: readonly string[];
  /** The authenticated user, if `user` is impersonated. */
  readonly impersonatedBy?: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  /** Bytes of the answer's body, where they are known when it begins. */
  readonly answerBytes?: number;
  readonly stages: readonly StageTime[];
  readonly verdicts: Verdicts;
}

interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: SpanAttributes | undefined;
}

/** A span as collectors receive it; times are milliseconds since the epoch. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  /** Another trace that the span has to do with. */
  readonly link?: TraceContext | undefined;
  /** Undefined for a span that is no error. */
  readonly failure: string | undefined;
}

/** Limits of one trace; what exceeds them is left out. */
const traceLimits = { spans: 128, events: 16, verdicts: 64, textLength: 500 } as const;

/** Milliseconds since the epoch, with a fraction. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

const shortened = (text: string): string =>
  text.length <= traceLimits.textLength ? text : `${text.slice(0, traceLimits.textLength)}…`;

interface TraceParts {
  readonly context: TraceContext;
  /** The context that the client sent, which counts for trusted users only. */
  readonly remote?: TraceContext | undefined;
  readonly keepsChanges: boolean;
  readonly beganAt?: number;
}

export class RequestTrace implements RequestNotes {
  readonly beganAt: number;
  readonly keepsChanges: boolean;
  readonly verdicts: Verdicts = {};
  /** The thread for large requests did a part of the work. */
  wasInLane = false;
  /** The span of the client that the request is a part of. */
  parentId: string | undefined;
  /** The context that an untrusted client sent. */
  link: TraceContext | undefined;
  /** Of the span of the request. */
  attributes: SpanAttributes = {};
  #context: TraceContext;
  readonly #remote: TraceContext | undefined;
  readonly #spans: Span[] = [];
  readonly #admission: AdmissionVerdict[] = [];
  readonly #stores: StoreVerdict[] = [];
  readonly #laneStages: StageTime[] = [];
  /** New spans belong to this one. */
  #current: Span | undefined;

  constructor({ context, remote, keepsChanges, beganAt = preciseNow() }: TraceParts) {
    this.#context = context;
    this.#remote = remote;
    this.keepsChanges = keepsChanges;
    this.beganAt = beganAt;
  }

  get context(): TraceContext {
    return this.#context;
  }

  begin(name: string, attributes: SpanAttributes = {}, kind: SpanKind = 'internal'): Span {
    const span = new Span(this, { name, attributes, kind, parent: this.#current });
    if (this.#spans.length < traceLimits.spans) this.#spans.push(span);
    return span;
  }

  /** As `begin`; spans that begin before its end belong to it. */
  enter(name: string, attributes: SpanAttributes = {}): Span {
    const span = this.begin(name, attributes);
    this.#current = span;
    return span;
  }

  left(span: Span): void {
    if (this.#current === span) this.#current = span.parent;
  }

  /** As in kube-apiserver, only administrators and monitoring continue their own traces; those of others are linked. */
  authenticated(authenticator: string, user: UserInfo): void {
    this.verdicts.authentication = authenticator;
    if (this.#remote === undefined) return;
    if (isMaster(user) || isMonitor(user)) {
      this.#context = { ...this.#remote, spanId: this.#context.spanId };
      this.parentId = this.#remote.spanId;
    } else this.link = this.#remote;
  }

  classified(flow: FlowVerdict): void {
    this.verdicts.flowControl = flow;
  }

  authorized({ reason, ...verdict }: AuthorizationVerdict): void {
    this.verdicts.authorization = { ...verdict, reason: shortened(reason) };
  }

  admission({ reason, ...verdict }: AdmissionVerdict): void {
    if (this.#admission.length === traceLimits.verdicts) return;
    this.#admission.push(reason === undefined ? verdict : { ...verdict, reason: shortened(reason) });
    this.verdicts.admission = this.#admission;
  }

  stored(verdict: StoreVerdict): void {
    if (this.#stores.length === traceLimits.verdicts) return;
    this.#stores.push(verdict);
    this.verdicts.store = this.#stores;
  }

  answeredWith(attributes: SpanAttributes): void {
    this.attributes = attributes;
  }

  get moved(): MovedNotes {
    const { context, beganAt, keepsChanges } = this;
    return { context, beganAt, keepsChanges };
  }

  get parts(): NotedParts {
    return { stages: this.stages, verdicts: this.verdicts };
  }

  include({ stages, verdicts }: NotedParts): void {
    this.wasInLane = true;
    this.#laneStages.push(...stages);
    Object.assign(this.verdicts, verdicts);
  }

  get stages(): readonly StageTime[] {
    const own = this.#spans.filter(({ hasEnded }) => hasEnded).map((span) => span.time);
    return [...own, ...this.#laneStages].sort((a, b) => a.startMs - b.startMs);
  }

  /** Those that have ended, without the span of the request itself. */
  get finishedSpans(): readonly FinishedSpan[] {
    return this.#spans.filter(({ hasEnded }) => hasEnded).map((span) => span.finished);
  }
}

interface SpanParts {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly kind: SpanKind;
  readonly parent: Span | undefined;
}

class Span implements OpenSpan {
  readonly #trace: RequestTrace;
  readonly #parts: SpanParts;
  readonly #beganAt = preciseNow();
  #endedAt: number | undefined;
  #id: string | undefined;
  #attributes: SpanAttributes;
  #events: SpanEvent[] | undefined;
  #failure: string | undefined;

  constructor(trace: RequestTrace, parts: SpanParts) {
    this.#trace = trace;
    this.#parts = parts;
    this.#attributes = parts.attributes;
  }

  get parent(): Span | undefined {
    return this.#parts.parent;
  }

  get id(): string {
    this.#id ??= newSpanId();
    return this.#id;
  }

  get hasEnded(): boolean {
    return this.#endedAt !== undefined;
  }

  get headers(): Readonly<Record<string, string>> {
    const { context } = this.#trace;
    return context.isSampled ? traceHeaders(context, this.id) : {};
  }

  event(name: string, attributes?: SpanAttributes): void {
    this.#events ??= [];
    if (this.#events.length < traceLimits.events) this.#events.push({ name, at: preciseNow(), attributes });
  }

  end(attributes?: SpanAttributes, failure?: string): void {
    if (this.hasEnded) return;
    this.#endedAt = preciseNow();
    if (attributes !== undefined) this.#attributes = { ...this.#attributes, ...attributes };
    if (failure !== undefined) this.#failure = shortened(failure);
    this.#trace.left(this);
  }

  get durationMs(): number {
    return (this.#endedAt ?? preciseNow()) - this.#beganAt;
  }

  get time(): StageTime {
    const { name } = this.#parts;
    return { name, startMs: rounded(this.#beganAt - this.#trace.beganAt), durationMs: rounded(this.durationMs) };
  }

  get finished(): FinishedSpan {
    const { name, kind, parent } = this.#parts;
    return {
      ...{ name, kind },
      spanId: this.id,
      parentId: parent?.id ?? this.#trace.context.spanId,
      beganAt: this.#beganAt,
      endedAt: this.#endedAt ?? preciseNow(),
      attributes: this.#attributes,
      events: this.#events ?? [],
      failure: this.#failure,
    };
  }
}

/** Microseconds are exact enough. */
export const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
