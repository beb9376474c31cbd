// Takes the traces of the requests of one thread: decides which, and passes them on to collectors and to clients that read.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { MovedNotes } from '../meta/request-notes.ts';
import { RecordBatch } from './record-batch.ts';
import { requestRecord } from './request-record.ts';
import { type FinishedSpan, preciseNow, RequestTrace } from './request-trace.ts';
import { requestAttributes, requestSpanName } from './span-names.ts';
import { isSampledAtRate, newSpanId, newTraceId, parseTraceParent, traceHeaders } from './trace-context.ts';

/** The path that clients read requests at; such reads are not recorded. */
export const requestsPath = '/debug/keelson/requests';

/** The spans of one request. */
export interface TraceSpans {
  readonly traceId: string;
  readonly state: string | undefined;
  readonly spans: readonly FinishedSpan[];
}

/** Sends spans to a collector. */
export interface SpanExporter {
  add(trace: TraceSpans): void;
  close(): Promise<void>;
}

interface TracerParts {
  /** Undefined where no collector is configured. */
  readonly exporter: SpanExporter | undefined;
  readonly samplesPerMillion: number;
  /** Receives records as texts of JSON. */
  onRecords(records: readonly string[]): void;
}

export class Tracer {
  readonly #exporter: SpanExporter | undefined;
  readonly #samplesPerMillion: number;
  readonly #batch: RecordBatch;
  /** Answers whose body is not sent yet. */
  readonly #unsent = new WeakMap<Exchange, RequestTrace>();
  #isOpen = false;
  /** Counts the watches that include the object of a request. */
  countWatches: (info: RequestInfo) => number = () => 0;

  constructor({ exporter, samplesPerMillion, onRecords }: TracerParts) {
    this.#exporter = exporter;
    this.#samplesPerMillion = samplesPerMillion;
    this.#batch = new RecordBatch(onRecords);
  }

  /** Whether clients read requests. */
  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** Begins the trace of a request that was received; undefined where it is not taken. */
  begin({ request }: Exchange): RequestTrace | undefined {
    if (!this.#isOpen && this.#exporter === undefined) return undefined;
    const isOpen = this.#isOpen && request.path !== requestsPath;
    if (this.#exporter === undefined && !isOpen) return undefined;
    const remote = parseTraceParent(request.header('traceparent'), request.header('tracestate'));
    const traceId = newTraceId();
    const isSampled = this.#exporter !== undefined && isSampledAtRate(traceId, this.#samplesPerMillion);
    // whether the context of the client counts is known after authentication
    if (!isOpen && !isSampled && !remote?.isSampled) return undefined;
    const context = { traceId, spanId: newSpanId(), isSampled, state: undefined };
    return new RequestTrace({ context, remote, keepsChanges: isOpen });
  }

  /** Resumes the trace of a request that another thread has received. */
  resume({ context, keepsChanges, beganAt }: MovedNotes): RequestTrace {
    return new RequestTrace({ context, keepsChanges, beganAt });
  }

  /** The answer is about to be sent. */
  answered(exchange: Exchange, response: ApiResponse): void {
    const trace = exchange.notes as RequestTrace;
    if (this.#isOpen && exchange.request.path !== requestsPath) this.#record(exchange, response, trace);
    if (!this.#isExported(trace)) return;
    trace.answeredWith(requestAttributes(exchange, response));
    if (typeof response.body === 'function') this.#unsent.set(exchange, trace);
    else this.#export(exchange, trace);
  }

  #record(exchange: Exchange, response: ApiResponse, trace: RequestTrace): void {
    const { verdicts } = trace;
    const isWritten = verdicts.store?.some(({ outcome }) => outcome === 'committed') === true;
    if (isWritten) verdicts.notifiedWatches = this.countWatches(exchange.info);
    this.#batch.add(JSON.stringify(requestRecord(exchange, response, trace)));
  }

  /** The body was sent, or a body without an end has begun. */
  sent(exchange: Exchange): void {
    const trace = this.#unsent.get(exchange);
    if (trace === undefined) return;
    this.#unsent.delete(exchange);
    this.#export(exchange, trace);
  }

  /** In the lane: the other thread answers, and exports the span of the request. */
  answeredInLane({ notes, request }: Exchange): void {
    const trace = notes as RequestTrace;
    request.onNoted?.(trace.parts);
    if (this.#isExported(trace)) this.#add(trace, trace.finishedSpans);
  }

  /**
   * Headers for a call of another server. Without a trace, the context of the client is passed on, of an untrusted one only
   * where this server takes no traces.
   */
  headersFor({ notes, request }: Exchange): Readonly<Record<string, string>> {
    if (notes !== undefined && (notes as RequestTrace).context.isSampled) return {};
    if (this.#exporter !== undefined) return {};
    const remote = parseTraceParent(request.header('traceparent'), request.header('tracestate'));
    return remote === undefined ? {} : traceHeaders(remote, remote.spanId);
  }

  /** Sends what is not sent yet. */
  async close(): Promise<void> {
    this.#batch.close();
    await this.#exporter?.close();
  }

  #isExported({ context }: RequestTrace): boolean {
    return this.#exporter !== undefined && context.isSampled;
  }

  #export(exchange: Exchange, trace: RequestTrace): void {
    const { context, parentId, link, beganAt, attributes } = trace;
    const status = Number(attributes['http.response.status_code']);
    const root: FinishedSpan = {
      ...{
        name: requestSpanName(exchange),
        kind: 'server',
        spanId: context.spanId,
        parentId,
        link,
        beganAt,
        attributes,
      },
      endedAt: preciseNow(),
      events: [],
      failure: status >= 500 ? '' : undefined,
    };
    this.#add(trace, [root, ...trace.finishedSpans]);
  }

  #add({ context: { traceId, state } }: RequestTrace, spans: readonly FinishedSpan[]): void {
    this.#exporter?.add({ traceId, state, spans });
  }
}
