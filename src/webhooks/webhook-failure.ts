// What went wrong in a call to a webhook, in the words that the reference implementation has for it.

import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import { redirectNote } from '../client/http/call.ts';
import { notForeign } from '../meta/backend.ts';
import { ApiError } from '../meta/status.ts';
import { answerFailure, unknown } from '../wording/answer-failure.ts';
import { connectionFailure } from '../wording/connection-failure.ts';

interface CallFailure {
  /** The status the webhook answered with; 503 where there was no answer. */
  readonly code?: number;
  /** The request that needed the call is over; nothing is known about the webhook. */
  readonly isCanceled?: boolean;
  /** The webhook asks for a later repeat. */
  readonly suggestsRetry?: boolean;
  /** The text of the log instead of the message. */
  readonly forLog?: string;
  readonly cause?: unknown;
}

/**
 * A call without an answer that can be used. The message is for the client that sent the object: it may contain what the webhook
 * sent, and a webhook may repeat the object, which may be a Secret. Logs have `forLog`, which has no words of the webhook.
 */
export class WebhookCallError extends Error {
  readonly code: number;
  readonly isCanceled: boolean;
  readonly suggestsRetry: boolean;
  readonly forLog: string;

  constructor(message: string, failure: CallFailure = {}) {
    const { code = 503, isCanceled = false, suggestsRetry = false, forLog = message, cause } = failure;
    super(message, cause === undefined ? {} : { cause });
    this.name = 'WebhookCallError';
    this.code = code;
    this.isCanceled = isCanceled;
    this.suggestsRetry = suggestsRetry;
    this.forLog = forLog;
  }
}

/** A call that was given up; becomes a WebhookCallError once the address is known. */
export class CallEnded extends Error {
  readonly isCanceled: boolean;

  constructor(why: 'deadline' | 'canceled') {
    super(why === 'deadline' ? 'context deadline exceeded' : 'context canceled');
    this.isCanceled = why === 'canceled';
  }
}

/** An error of a call that got no answer, with the address that was called. */
export function failedCall(address: string, error: unknown): WebhookCallError {
  if (error instanceof WebhookCallError) return error;
  const isCanceled = error instanceof CallEnded && error.isCanceled;
  return new WebhookCallError(`Post ${JSON.stringify(address)}: ${wording(error)}`, { isCanceled, cause: error });
}

/** An error of an answer that ended before its time. */
export function unfinishedAnswer(error: Error): WebhookCallError {
  const why = error instanceof CallEnded ? error.message : 'unexpected EOF';
  const isCanceled = error instanceof CallEnded && error.isCanceled;
  const message = `unexpected error when reading response body. Please retry. Original error: ${why}`;
  return new WebhookCallError(message, { isCanceled, cause: error });
}

/** The reason of a missing answer, in the words of kube-apiserver. */
export const wording = (error: unknown): string =>
  error instanceof ApiError ? error.message : (connectionFailure(error) ?? notForeign);

/** As much of an answer as a message shows. */
const maxShown = 2048;

/** The error of an unsuccessful answer; `statedFailure` is the failure Status in the answer, if any. */
export function failedAnswer(answer: FailedAnswer, statedFailure: JsonObject | undefined): WebhookCallError {
  const { code, type, text, location, retryAfter = 0 } = answer;
  // without a place to go to, a 307 is an answer as any other
  const redirect = location === undefined ? '' : redirectNote(code);
  if (redirect !== '')
    return new WebhookCallError(`the server responded with the status code ${code}${redirect}`, { code });
  const suggestsRetry = statedFailure === undefined ? retryAfter > 0 : asksForRetry(statedFailure);
  const failure = { code, suggestsRetry, forLog: `the webhook answered with status ${code}` };
  const { message = '' } = statedFailure ?? {};
  if (statedFailure !== undefined) return new WebhookCallError(String(message).slice(0, maxShown), failure);
  const shownText = isText(type) ? text.slice(0, maxShown).trim() : unknown;
  return new WebhookCallError(answerFailure(code, shownText), failure);
}

/** Only text is shown to clients. */
const isText = (type = ''): boolean => type === '' || /^text\//i.test(type.trim());

interface FailedAnswer {
  readonly code: number;
  /** The content type. */
  readonly type?: string | undefined;
  readonly text: string;
  /** Where a redirect leads. */
  readonly location?: string | undefined;
  /** The webhook's Retry-After in seconds. */
  readonly retryAfter?: number | undefined;
}

function asksForRetry({ reason, details }: JsonObject): boolean {
  if (!isJsonObject(details)) return false;
  return reason === 'ServerTimeout' || Number(details['retryAfterSeconds']) > 0;
}
