// What went wrong in a call to a webhook, in the words that the reference implementation has for it.

import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import { goQuoted } from '../base/text/go-format.ts';
import { redirectNote } from '../client/http/call.ts';
import { notForeign } from '../meta/backend.ts';
import { ApiError } from '../meta/status.ts';

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

/** Headers of an answer, in bytes. */
export const maxHeaderSize = 1024 * 1024;

const brokenHttp = 'net/http: HTTP/1.x transport connection broken';

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly SystemError[];
}

const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const outOfTime = 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';

const byCode: Readonly<Record<string, string>> = {
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: outOfTime,
  CERT_NOT_YET_VALID: outOfTime,
  HPE_HEADER_OVERFLOW: `${brokenHttp}: net/http: server response headers exceeded ${maxHeaderSize} bytes; aborted`,
  EPROTO: 'tls: first record does not look like a TLS handshake',
  ECONNRESET: 'EOF',
  EPIPE: 'write: broken pipe',
};

const dialWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
};

/** The reason of a missing answer, in the words of kube-apiserver. */
export function wording(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if ((error as Error).name === 'TimeoutError') return 'context deadline exceeded';
  const { code = '', hostname, errors, message } = error as SystemError;
  const [first] = errors ?? [];
  if (first !== undefined) return wording(first);
  if (Object.hasOwn(dialWords, code)) return dialFailure(error as SystemError, dialWords[code] as string);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname ?? ''}: no such host`;
  if (code.startsWith('ERR_SSL_')) return `remote error: tls: ${code.slice('ERR_SSL_'.length).toLowerCase()}`;
  if (Object.hasOwn(byCode, code)) return byCode[code] as string;
  return code.startsWith('HPE_') ? `${brokenHttp}: malformed HTTP response` : message || code || notForeign;
}

function dialFailure({ address, port }: SystemError, why: string): string {
  const host = address?.includes(':') ? `[${address}]` : address;
  return address === undefined ? `dial tcp: ${why}` : `dial tcp ${host}:${port}: connect: ${why}`;
}

/** As much of an answer as a message shows. */
const maxShown = 2048;

const byStatus: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

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
  return new WebhookCallError(byStatus[code] ?? otherStatus(code, shownText), failure);
}

const unknown = 'unknown';

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

function otherStatus(code: number, shownText: string): string {
  if (code >= 500) return `an error on the server (${goQuoted(shownText)}) has prevented the request from succeeding`;
  if (code === 406 && shownText === unknown)
    return 'the server was unable to respond with a content type that the client supports';
  if (code === 403 || code === 406 || code === 415) return shownText;
  return `the server responded with the status code ${code} but did not return more information`;
}
