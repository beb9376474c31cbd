// Events in batches: requests do not wait, and a backend that is slow or dead costs no more than a bounded queue.

import type { Clock, Timer } from '../base/time/clock.ts';
import type { AuditBackend, Complain } from './backend.ts';
import { type AuditEvent, eventJson } from './event.ts';

export interface BatchConfig {
  /** Events that may wait; more are dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  readonly maxBatchWaitMs: number;
  /** Batches a second, on average and at once. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
  /** Bytes of a batch, where that is limited. */
  readonly maxBatchBytes: number | undefined;
}

/** Bodies can be large: not only the number of events is limited. */
const maxQueuedBytes = 64 * 1024 * 1024;
/** Batches on their way at a time. */
const maxInFlight = 4;
/** How long the end of the server waits for the last batches. */
const closingMs = 5000;

interface BatchingContext {
  readonly clock: Clock;
  readonly lost: Complain;
}

export class BatchingBackend implements AuditBackend {
  readonly #delegate: AuditBackend;
  readonly #config: BatchConfig;
  readonly #context: BatchingContext;
  readonly #bucket: TokenBucket | undefined;
  #queue: AuditEvent[] = [];
  #queuedBytes = 0;
  #inFlight = 0;
  #isDue = false;
  #dueTimer: Timer | undefined;
  #throttleTimer: Timer | undefined;
  #isClosing = false;
  #onIdle: (() => void) | undefined;

  constructor(delegate: AuditBackend, config: BatchConfig, context: BatchingContext) {
    this.#delegate = delegate;
    this.#config = config;
    this.#context = context;
    this.#bucket = config.throttle && new TokenBucket(config.throttle, context.clock);
  }

  process(events: readonly AuditEvent[]): boolean {
    for (const event of events) this.#add(event);
    this.#send();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#send();
    if (this.#inFlight > 0 || this.#queue.length > 0) await this.#idle();
    this.#dueTimer?.cancel();
    this.#throttleTimer?.cancel();
    if (this.#queue.length > 0) this.#context.lost('buffered', this.#queue.length, 'the server has stopped');
    this.#queue = [];
    await this.#delegate.close();
  }

  #add(event: AuditEvent): void {
    const bytes = eventJson(event).length;
    const isFull = this.#queue.length >= this.#config.bufferSize || this.#queuedBytes + bytes > maxQueuedBytes;
    if (isFull || this.#isClosing) {
      this.#context.lost('buffered', 1, 'the queue is full');
      return;
    }
    this.#queue.push(event);
    this.#queuedBytes += bytes;
  }

  /** Sends every batch that is full or due, as far as the throttle and those under way allow. */
  #send(): void {
    while (this.#isReady() && this.#inFlight < maxInFlight) {
      const waitMs = this.#isClosing ? 0 : (this.#bucket?.take() ?? 0);
      if (waitMs > 0) {
        this.#sendIn(waitMs);
        return;
      }
      this.#dispatch(this.#next());
    }
    if (this.#queue.length > 0 && this.#inFlight < maxInFlight) this.#awaitDue();
  }

  #isReady(): boolean {
    if (this.#queue.length === 0) {
      this.#isDue = false;
      return false;
    }
    return this.#queue.length >= this.#config.maxBatchSize || this.#isDue || this.#isClosing;
  }

  /** A batch that does not fill up is sent some time after its first event. */
  #awaitDue(): void {
    this.#dueTimer ??= this.#context.clock.after(this.#config.maxBatchWaitMs, () => {
      this.#dueTimer = undefined;
      this.#isDue = true;
      this.#send();
    });
  }

  #sendIn(ms: number): void {
    this.#throttleTimer ??= this.#context.clock.after(ms, () => {
      this.#throttleTimer = undefined;
      this.#send();
    });
  }

  /** The oldest events, as many as fit. */
  #next(): readonly AuditEvent[] {
    const { maxBatchSize, maxBatchBytes = Number.POSITIVE_INFINITY } = this.#config;
    let count = 0;
    let bytes = 0;
    while (count < maxBatchSize && count < this.#queue.length) {
      const size = eventJson(this.#queue[count] as AuditEvent).length;
      if (count > 0 && bytes + size > maxBatchBytes) break;
      bytes += size;
      count++;
    }
    this.#queuedBytes -= bytes;
    return this.#queue.splice(0, count);
  }

  #dispatch(batch: readonly AuditEvent[]): void {
    this.#inFlight++;
    void Promise.resolve(this.#delegate.process(batch)).finally(() => {
      this.#inFlight--;
      this.#send();
      if (this.#inFlight === 0 && this.#queue.length === 0) this.#onIdle?.();
    });
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#context.clock.after(closingMs, resolve);
      this.#onIdle = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** So many at once, and then so many a second. */
class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor({ qps, burst }: { readonly qps: number; readonly burst: number }, clock: Clock) {
    this.#qps = qps;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  /** 0 when one could be taken, otherwise the milliseconds until there is one. */
  take(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#qps);
    this.#at = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / this.#qps) * 1000);
    this.#tokens--;
    return 0;
  }
}
