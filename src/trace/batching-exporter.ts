// Spans on their way to a collector: collected, sent some at a time, and dropped where the collector is too slow.

import type { SpanAttributes } from '../meta/request-notes.ts';
import type { SpanExporter, TraceSpans } from './tracer.ts';

/** Takes spans. Rejects where it does not. */
export interface Collector {
  send(resource: SpanAttributes, traces: readonly TraceSpans[]): Promise<void>;
  close(): void;
}

/** As OpenTelemetry has it. */
export const exportLimits = { queuedSpans: 2048, spansPerBatch: 512, delayMs: 1000 } as const;
/** A collector that is down fails every second: it is worth a line now and then. */
const quietMs = 60_000;

interface BatchingExporterParts {
  readonly collector: Collector;
  /** Attributes of this server. */
  readonly resource: SpanAttributes;
  /** Called at most once a minute. */
  onFailure(error: unknown): void;
}

export class BatchingExporter implements SpanExporter {
  readonly counts = { sent: 0, dropped: 0, failed: 0 };
  readonly #parts: BatchingExporterParts;
  #queue: TraceSpans[] = [];
  #queuedSpans = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: BatchingExporterParts) {
    this.#parts = parts;
  }

  /** Never waits. */
  add(trace: TraceSpans): void {
    const { length } = trace.spans;
    if (length === 0) return;
    if (this.#queuedSpans + length > exportLimits.queuedSpans) {
      this.counts.dropped += length;
      return;
    }
    this.#queue.push(trace);
    this.#queuedSpans += length;
    if (this.#queuedSpans >= exportLimits.spansPerBatch) void this.#send();
    else this.#timer ??= setTimeout(() => void this.#send(), exportLimits.delayMs).unref();
  }

  /** Sends what waits, once. */
  async close(): Promise<void> {
    await this.#sending;
    while (this.#queue.length > 0 && this.counts.failed === 0) await this.#send();
    clearTimeout(this.#timer);
    this.#parts.collector.close();
  }

  /** One batch at a time. */
  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined) return this.#sending;
    const batch = this.#take();
    const spans = batch.reduce((sum, trace) => sum + trace.spans.length, 0);
    this.#sending = this.#deliver(batch, spans).then(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0) this.#timer ??= setTimeout(() => void this.#send(), this.#pauseMs).unref();
    });
    return this.#sending;
  }

  async #deliver(batch: readonly TraceSpans[], spans: number): Promise<void> {
    try {
      await this.#parts.collector.send(this.#parts.resource, batch);
      this.counts.sent += spans;
    } catch (error) {
      this.counts.failed += spans;
      const now = performance.now();
      if (now - this.#reportedAt < quietMs) return;
      this.#reportedAt = now;
      this.#parts.onFailure(error);
    }
  }

  get #pauseMs(): number {
    return this.#queuedSpans >= exportLimits.spansPerBatch ? 0 : exportLimits.delayMs;
  }

  #take(): readonly TraceSpans[] {
    let spans = 0;
    let end = 0;
    while (end < this.#queue.length && (end === 0 || spans < exportLimits.spansPerBatch)) {
      spans += this.#queue[end]?.spans.length ?? 0;
      end++;
    }
    const batch = this.#queue.slice(0, end);
    this.#queue = this.#queue.slice(end);
    this.#queuedSpans -= spans;
    return batch;
  }
}
