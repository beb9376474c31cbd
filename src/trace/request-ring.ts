// The newest requests, as clients read them: a bounded list of lines of JSON. The main thread has one for all threads.

import { Listeners } from '../base/listeners.ts';
import type { Clock, Timer } from '../base/time/clock.ts';

export const ringLimits = { records: 2000, bytes: 4 * 1024 * 1024 } as const;

/** Requests are recorded for this long after a client has read. */
export const openMs = 60_000;
/** A read waits at most this long for news: recording continues meanwhile. */
export const maxWaitMs = openMs / 2;

export interface RingPage {
  /** One record each, as JSON without a line end. */
  readonly lines: readonly string[];
  /** The sequence number of the newest record; 0 before the first. */
  readonly last: number;
}

export interface RingQuery {
  /** Only records with a higher sequence number. */
  readonly after: number;
  /** The newest of them, at most this many. */
  readonly most: number;
  /** How long to wait where there is none. */
  readonly waitMs: number;
}

interface RingParts {
  readonly clock: Clock;
  /** Called when recording begins and when it stops. */
  onOpen(isOpen: boolean): void;
}

interface RingLine {
  readonly sequence: number;
  readonly text: string;
}

export class RequestRing {
  readonly #parts: RingParts;
  readonly #news = new Listeners<void>();
  #lines: RingLine[] = [];
  /** Index of the oldest line: taking it off the array each time would move all others. */
  #first = 0;
  #bytes = 0;
  #last = 0;
  #closing: Timer | undefined;

  constructor(parts: RingParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#closing !== undefined;
  }

  /** Adds records of a thread: texts of JSON objects without `sequence` and `thread`. */
  add(thread: number, records: readonly string[]): void {
    for (const record of records) {
      this.#last++;
      const text = `{"sequence":${this.#last},"thread":${thread},${record.slice(1)}`;
      this.#lines.push({ sequence: this.#last, text });
      this.#bytes += text.length;
    }
    this.#dropOldest();
    if (records.length > 0) this.#news.call();
  }

  /** The records after one; begins recording. */
  async read({ after, most, waitMs }: RingQuery): Promise<RingPage> {
    this.#open();
    if (waitMs > 0 && this.#last <= after) await this.#change(Math.min(waitMs, maxWaitMs));
    // sequence numbers have no gaps
    const oldest = this.#lines[this.#first]?.sequence ?? this.#last + 1;
    const from = this.#first + Math.max(0, after + 1 - oldest);
    const lines = this.#lines.slice(Math.max(from, this.#lines.length - most)).map(({ text }) => text);
    return { lines, last: this.#last };
  }

  close(): void {
    this.#closing?.cancel();
    this.#closing = undefined;
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        listener.close();
        resolve();
      };
      const timer = this.#parts.clock.after(ms, end);
      const listener = this.#news.add(end);
    });
  }

  #open(): void {
    const wasOpen = this.isOpen;
    this.#closing?.cancel();
    this.#closing = this.#parts.clock.after(openMs, () => {
      this.#closing = undefined;
      this.#parts.onOpen(false);
    });
    if (!wasOpen) this.#parts.onOpen(true);
  }

  #dropOldest(): void {
    while (this.#lines.length - this.#first > ringLimits.records || this.#bytes > ringLimits.bytes) {
      this.#bytes -= this.#lines[this.#first]?.text.length ?? 0;
      this.#first++;
    }
    if (this.#first < ringLimits.records) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }
}
