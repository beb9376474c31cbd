// Events sent to another server, in lists; tried again with growing pauses, and given up in the end.

import type { Clock } from '../base/clock.ts';
import type { AuditBackend, Complain } from './backend.ts';
import { type AuditEvent, eventJson } from './event.ts';

/** Sends one list within a time of its own; the answer's status, or a failure to get one. */
export type PostEvents = (body: string, signal: AbortSignal) => Promise<number>;

export interface WebhookConfig {
  readonly apiVersion: string;
  readonly initialBackoffMs: number;
}

const attempts = 5;
const growth = 1.5;
const jitter = 0.2;
/** Events that may be on their way at a time; in batches there are far fewer. */
const maxUnderWay = 10_000;
const maxBytesUnderWay = 64 * 1024 * 1024;

export class WebhookBackend implements AuditBackend {
  readonly #post: PostEvents;
  readonly #config: WebhookConfig;
  readonly #clock: Clock;
  readonly #lost: Complain;
  readonly #closed = new AbortController();
  #underWay = 0;
  #bytesUnderWay = 0;

  constructor(post: PostEvents, config: WebhookConfig, clock: Clock, lost: Complain) {
    this.#post = post;
    this.#config = config;
    this.#clock = clock;
    this.#lost = lost;
  }

  async process(events: readonly AuditEvent[]): Promise<boolean> {
    const body = this.#listOf(events);
    if (this.#underWay + events.length > maxUnderWay || this.#bytesUnderWay + body.length > maxBytesUnderWay) {
      this.#lost('webhook', events.length, 'too many events are on their way');
      return false;
    }
    this.#underWay += events.length;
    this.#bytesUnderWay += body.length;
    try {
      await this.#deliver(body);
      return true;
    } catch (error) {
      this.#lost('webhook', events.length, error);
      return false;
    } finally {
      this.#underWay -= events.length;
      this.#bytesUnderWay -= body.length;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
  }

  #listOf(events: readonly AuditEvent[]): string {
    const { apiVersion } = this.#config;
    const items = events.map((event) => eventJson(event)).join(',');
    return `{"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[${items}]}`;
  }

  async #deliver(body: string): Promise<void> {
    let pause = this.#config.initialBackoffMs;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(body);
      if (outcome === undefined) return;
      if (!outcome.isWorthTrying || attempt === attempts) throw outcome.error;
      await this.#wait(pause * (1 + Math.random() * jitter));
      if (this.#closed.signal.aborted) throw outcome.error;
      pause *= growth;
    }
  }

  /** Undefined when the list was taken. */
  async #attempt(body: string): Promise<Failure | undefined> {
    try {
      const status = await this.#post(body, this.#closed.signal);
      if (status >= 200 && status < 300) return undefined;
      const error = new Error(`the audit webhook answered with ${status}`);
      return { error, isWorthTrying: status >= 500 || status === 429 };
    } catch (error) {
      return { error, isWorthTrying: true };
    }
  }

  /** Over at once when the server stops. */
  #wait(ms: number): Promise<void> {
    const { signal } = this.#closed;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = () => {
        timer.cancel();
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const timer = this.#clock.after(ms, stop);
      signal.addEventListener('abort', stop);
    });
  }
}

interface Failure {
  readonly error: unknown;
  readonly isWorthTrying: boolean;
}
