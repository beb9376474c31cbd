// The one place where an error becomes an answer.

import { toProtobuf } from '../codec/render.ts';
import { status } from '../groups/meta/v1/types.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import { ApiError } from '../meta/status.ts';

/** `protobuf` is the media type to answer in, for clients that want it. */
export function writeError(error: ApiError, protobuf?: string): ApiResponse {
  const retryAfter = error.details?.retryAfterSeconds;
  return {
    status: error.code,
    headers: {
      'content-type': protobuf ?? 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: protobuf === undefined ? `${JSON.stringify(error.toStatus())}\n` : toProtobuf(error.toStatus(), status),
  };
}

/** What a client learns of an error that nobody expected: nothing but where to look. */
export function unexpectedError(cause: unknown): ApiError {
  const message = 'This request caused the server to fail. Look in the logs for details';
  return new ApiError({ code: 500, reason: 'InternalError', message, details: {} }, { cause });
}
