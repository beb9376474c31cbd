// The trace of one request: its spans, and the verdict of each stage. Clients read it as a RequestRecord; collectors receive
// the spans.

import type {
  AdmissionVerdict,
  AuthorizationVerdict,
  FlowVerdict,
  OpenSpan,
  RequestNotes,
  SpanAttributes,
  SpanKind,
  StoreVerdict,
} from '../meta/request-notes.ts';
import { newSpanId, type TraceContext, traceHeaders } from './trace-context.ts';

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

/** A part of the work; those of a stage lie within its time. */
export interface StageTime {
  readonly name: string;
  /** After the request was received. */
  readonly startMs: number;
  readonly durationMs: number;
}

export interface Verdicts {
  /** The authenticator that recognised the user. */
  authentication?: string;
  flowControl?: FlowVerdict;
  authorization?: AuthorizationVerdict;
  /** Plugins that changed or refused something, and every call of a webhook or policy. */
  admission?: readonly AdmissionVerdict[];
  store?: readonly StoreVerdict[];
}

export interface SpanEvent {
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
  /** Undefined for a span that is no error. */
  readonly failure: string | undefined;
}

/** What a thread that worked on a part of a request returns to the thread that received it. */
export interface TraceParts {
  readonly stages: readonly StageTime[];
  readonly verdicts: Verdicts;
}

/** Limits of one trace; what exceeds them is left out. */
export const traceLimits = { spans: 128, events: 16, verdicts: 64, textLength: 500 } as const;

/** Milliseconds since the epoch, with a fraction. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

const shortened = (text: string): string =>
  text.length <= traceLimits.textLength ? text : `${text.slice(0, traceLimits.textLength)}…`;

export class RequestTrace implements RequestNotes {
  readonly context: TraceContext;
  readonly beganAt: number;
  readonly verdicts: Verdicts = {};
  /** Whether changes of plugins are kept: a client reads, and the kind is not confidential. */
  keepsChanges: boolean;
  readonly #spans: Span[] = [];
  readonly #admission: AdmissionVerdict[] = [];
  readonly #stores: StoreVerdict[] = [];
  readonly #laneStages: StageTime[] = [];
  /** New spans belong to this one. */
  #current: Span | undefined;

  constructor(context: TraceContext, keepsChanges: boolean, beganAt = preciseNow()) {
    this.context = context;
    this.keepsChanges = keepsChanges;
    this.beganAt = beganAt;
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

  authenticated(authenticator: string): void {
    this.verdicts.authentication = authenticator;
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

  /** What the thread for large requests did of the work. */
  include({ stages, verdicts }: TraceParts): void {
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

export class Span implements OpenSpan {
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
    return traceHeaders(this.#trace.context, this.id);
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
