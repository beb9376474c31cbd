// A request over HTTP/2 and its answer.

import { isPromise } from '../../base/maybe-promise.ts';
import { ofHttp1 } from '../../http2/hpack-tables.ts';
import { errorCodes } from '../../http2/http2-error.ts';
import type { OutgoingFrames } from '../../http2/outgoing-frames.ts';
import type { ApiResponse, BodyStream } from '../../meta/exchange.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { Http2Request } from './http2-request.ts';
import type { ServerStream, StreamSession } from './server-stream.ts';

/** What an answer needs of its connection. */
export interface AnsweringSession extends StreamSession {
  readonly context: ServeContext;
}

export function serveStream(session: AnsweringSession, stream: ServerStream, request: Http2Request): void {
  const { context } = session;
  const answer = context.handler(request);
  if (isPromise(answer)) answer.then((response) => respond(session, stream, request, response), context.onStreamError);
  else respond(session, stream, request, answer);
}

function respond(session: AnsweringSession, stream: ServerStream, request: Http2Request, response: ApiResponse): void {
  try {
    send(session, stream, request, response);
  } catch (error) {
    session.reset(stream, errorCodes.internal);
    session.context.onStreamError(error);
  }
}

function send(session: AnsweringSession, stream: ServerStream, request: Http2Request, response: ApiResponse): void {
  if (response.isDropped) session.reset(stream, errorCodes.internal);
  if (stream.isOver || stream.hasAnswered) {
    response.onUnsent?.();
    return;
  }
  const { body } = response;
  stream.request = undefined;
  stream.body?.discardUnread();
  if (!hasBody(request.method, response.status)) sendHeaders(session, stream, response, lengthOfHead(response), true);
  else if (typeof body === 'function') {
    sendHeaders(session, stream, response, undefined);
    pump(session, stream, body);
  } else if (body === undefined) sendHeaders(session, stream, response, undefined, true);
  else {
    const length = lengthOf(body);
    sendHeaders(session, stream, response, length, length === 0);
    if (length > 0) stream.endWith(body);
  }
}

export const hasBody = (method: string, status: number): boolean => method !== 'HEAD' && mayHaveBody(status);

const mayHaveBody = (status: number): boolean => status !== 204 && status !== 304;

export const lengthOf = (body: string | Uint8Array): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.length;

/** The content length in the answer to a HEAD: that of a GET. */
export function lengthOfHead({ status, body }: ApiResponse): number | undefined {
  return body === undefined || typeof body === 'function' || !mayHaveBody(status) ? undefined : lengthOf(body);
}

/** Sends a content length only if `length` is given. The answer ends with its headers if it `isWhole`. */
export function sendHeaders(
  session: StreamSession,
  stream: ServerStream,
  { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
  length: number | undefined,
  isWhole = false,
): void {
  const { frames } = session.writer;
  stream.hasAnswered = true;
  frames.beginHeaders(stream.id);
  frames.status(status);
  for (const name in headers) addField(frames, name, headers[name] as string | readonly string[], length);
  if (length !== undefined) frames.field('content-length', String(length));
  if (headers['date'] === undefined) frames.field('date', date());
  frames.endHeaders(stream.id, isWhole);
  session.writer.flushSoon();
  if (isWhole) session.onSent(stream);
  if (endsConnection(headers)) session.leave();
}

/** GOAWAY means over HTTP/2 what this header means over HTTP/1.1. */
export const endsConnection = (headers: ApiResponse['headers']): boolean => headers['connection'] === 'close';

function addField(
  frames: OutgoingFrames,
  given: string,
  value: string | readonly string[],
  length: number | undefined,
): void {
  const name = given.toLowerCase();
  if (ofHttp1.has(name) || (name === 'content-length' && length !== undefined)) return;
  if (typeof value === 'string') frames.field(name, value);
  else if (Array.isArray(value)) for (const one of value as readonly string[]) frames.field(name, one);
  else frames.field(name, String(value));
}

let second = 0;
let text = '';

/** The time of day, as headers have it. */
function date(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1000).toUTCString();
  }
  return text;
}

/** Writes `body` and ends the stream; a failure resets it, since the status was sent already. */
function pump(session: AnsweringSession, stream: ServerStream, body: BodyStream): void {
  const fail = (error: unknown) => {
    session.reset(stream, errorCodes.internal);
    session.context.onStreamError(error);
  };
  try {
    body(stream)?.then(() => stream.end(), fail);
  } catch (error) {
    fail(error);
  }
}
