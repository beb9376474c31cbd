// A webhook: an object posted to another server, which answers with its status filled in. Repeated while that may help.

import { JsonFields } from '../base/json/json-fields.ts';
import type { Clock } from '../base/time/clock.ts';
import { retry } from '../base/time/retry.ts';
import type { ClientAnswer, Transport } from './client.ts';
import { redirectNote, TransportError } from './http/call.ts';

/** How one attempt ended. */
export type AttemptResult = 'success' | 'timeout' | 'error';

/** A webhook gave no usable answer; the text never contains the request or the answer. */
export class WebhookError extends Error {
  readonly result: Exclude<AttemptResult, 'success'>;
  readonly mayRetry: boolean;

  constructor(message: string, result: WebhookError['result'], mayRetry: boolean) {
    super(message);
    this.result = result;
    this.mayRetry = mayRetry;
  }
}

export interface WebhookOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** How long everything may take, attempts and pauses. */
  readonly timeoutMs: number;
  /** Called for each attempt. */
  onAttempt?(result: AttemptResult, seconds: number): void;
}

/** An object with kind and apiVersion. */
export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
}

const firstPauseMs = 500;

export class Webhook {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** The answer; throws a WebhookError if there is no usable one. */
  async ask(review: Review): Promise<JsonFields> {
    const { clock, timeoutMs } = this.#options;
    const over = new AbortController();
    const timer = clock.after(timeoutMs, () => over.abort());
    try {
      return await this.#retry(review, over.signal);
    } finally {
      timer.cancel();
    }
  }

  async #retry(review: Review, over: AbortSignal): Promise<JsonFields> {
    const { clock } = this.#options;
    const mayPass = (error: unknown) => error instanceof WebhookError && error.mayRetry;
    try {
      return await retry(() => this.#attempt(review, over), { clock, firstPauseMs, signal: over, mayPass });
    } catch (error) {
      throw over.aborted ? late() : error;
    }
  }

  async #attempt(review: Review, over: AbortSignal): Promise<JsonFields> {
    const { clock } = this.#options;
    const start = clock.now();
    const report = (result: AttemptResult) => this.#options.onAttempt?.(result, (clock.now() - start) / 1000);
    try {
      const answer = readReview(review, await this.#post(review, over));
      report('success');
      return answer;
    } catch (error) {
      report(error instanceof WebhookError ? error.result : 'error');
      throw error;
    }
  }

  async #post(review: Review, signal: AbortSignal): Promise<ClientAnswer> {
    const path = `?timeout=${this.#options.timeoutMs / 1000}s`;
    try {
      return await this.#options.transport.send({ method: 'POST', path, body: review, signal });
    } catch (error) {
      if (signal.aborted) throw late();
      throw new WebhookError(`the webhook cannot be reached: ${codeOf(error)}`, 'error', isPassing(error));
    }
  }
}

const late = () => new WebhookError('the webhook did not answer in time', 'timeout', false);

/** Addresses and names of files stay out of what callers may get to see. */
const codeOf = (error: unknown) => (error instanceof TransportError && error.code !== '' ? error.code : 'it failed');

/** Network errors are temporary; an untrusted certificate is not. */
const isPassing = (error: unknown) => error instanceof TransportError && /^E(?!RR_)/.test(error.code);

function readReview({ kind, apiVersion }: Review, { status, body }: ClientAnswer): JsonFields {
  if (status < 200 || status > 206)
    throw new WebhookError(
      `the webhook answered with status ${status}${redirectNote(status)}`,
      status === 504 ? 'timeout' : 'error',
      status >= 500 || status === 429,
    );
  const bad = (why: string) => new WebhookError(`the webhook answered with ${why}`, 'error', false);
  let answer: JsonFields;
  try {
    answer = JsonFields.of(body, '');
    // an absent kind or version means that of the request
    if ((answer.text('kind') || kind) !== kind) throw bad('another kind');
    if ((answer.text('apiVersion') || apiVersion) !== apiVersion) throw bad('another version');
  } catch (error) {
    throw error instanceof WebhookError ? error : bad('something that is no object of the API');
  }
  return answer;
}
