// Events sent to another server, in lists; tried again with growing pauses, and given up in the end.

import type { Clock } from '../base/time/clock.ts';
import { retry } from '../base/time/retry.ts';
import { redirectNote } from '../client/http/call.ts';
import type { AuditBackend, Complain } from './backend.ts';
import { type AuditEvent, eventJson } from './event.ts';

/** Sends one list within its own timeout; returns the status of the answer, or fails. */
export type PostEvents = (body: string, signal: AbortSignal) => Promise<number>;

interface WebhookConfig {
  readonly apiVersion: string;
  readonly initialBackoffMs: number;
}

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

  #deliver(body: string): Promise<void> {
    const { signal } = this.#closed;
    const firstPauseMs = this.#config.initialBackoffMs;
    return retry(() => this.#attempt(body), { clock: this.#clock, firstPauseMs, signal, mayPass });
  }

  async #attempt(body: string): Promise<void> {
    const status = await this.#post(body, this.#closed.signal);
    if (status < 200 || status >= 300) throw new AnswerError(status);
  }
}

class AnswerError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the audit webhook answered with ${status}${redirectNote(status)}`);
    this.status = status;
  }
}

/** Trouble of the network, of the other server, or of too many events at a time. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof AnswerError) || error.status >= 500 || error.status === 429;
