// The one place where an error becomes an answer.

import type { ApiResponse } from '../meta/exchange.ts';
import { ApiError } from '../meta/status.ts';

export function writeError(error: ApiError): ApiResponse {
  const retryAfter = error.details?.retryAfterSeconds;
  return {
    status: error.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: `${JSON.stringify(error.toStatus())}\n`,
  };
}

/** What a client learns of an error that nobody expected: nothing but where to look. */
export function unexpectedError(cause: unknown): ApiError {
  const message = 'This request caused the server to fail. Look in the logs for details';
  return new ApiError({ code: 500, reason: 'InternalError', message, details: {} }, { cause });
}
