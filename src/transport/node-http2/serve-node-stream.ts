// A request over Node's HTTP/2 and its answer.

import { isPromise } from '../../base/maybe-promise.ts';
import { errorCodes } from '../../http2/http2-error.ts';
import type { ApiResponse, BodyStream } from '../../meta/exchange.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { Http2Request } from '../http2/http2-request.ts';
import { hasBody, lengthOf, lengthOfHead } from '../http2/serve-stream.ts';
import type { NodeStream } from './node-stream.ts';

export function serveNodeStream(context: ServeContext, stream: NodeStream, request: Http2Request): void {
  const answer = context.handler(request);
  if (isPromise(answer)) answer.then((response) => respond(context, stream, request, response), context.onStreamError);
  else respond(context, stream, request, answer);
}

function respond(context: ServeContext, stream: NodeStream, request: Http2Request, response: ApiResponse): void {
  try {
    send(context, stream, request, response);
  } catch (error) {
    stream.reset(errorCodes.internal);
    context.onStreamError(error);
  }
}

function send(context: ServeContext, stream: NodeStream, request: Http2Request, response: ApiResponse): void {
  if (response.isDropped) stream.reset(errorCodes.internal);
  if (stream.isGone || stream.hasAnswered) {
    response.onUnsent?.();
    return;
  }
  const { body } = response;
  stream.request = undefined;
  stream.body?.discardUnread();
  if (!hasBody(request.method, response.status)) stream.answer(response, lengthOfHead(response), true);
  else if (typeof body === 'function') {
    stream.answer(response, undefined);
    pump(context, stream, body);
  } else if (body === undefined) stream.answer(response, undefined, true);
  else {
    const length = lengthOf(body);
    stream.answer(response, length, length === 0);
    if (length > 0) stream.endWith(body);
  }
}

/** Writes `body` and ends the stream; a failure resets it, since the status was sent already. */
function pump(context: ServeContext, stream: NodeStream, body: BodyStream): void {
  const fail = (error: unknown) => {
    stream.reset(errorCodes.internal);
    context.onStreamError(error);
  };
  try {
    body(stream)?.then(() => stream.end(), fail);
  } catch (error) {
    fail(error);
  }
}
