// The one place where an error becomes an answer.

import type { Representation } from '../codec/accept.ts';
import { renderValue } from '../codec/render.ts';
import { status } from '../groups/meta/v1/types.ts';
import type { ApiResponse } from '../meta/exchange.ts';
import type { ApiError } from '../meta/status.ts';

/** The Status of an error, in the form the client wants. */
export function writeError(error: ApiError, form: Representation): ApiResponse {
  const retryAfter = error.details?.retryAfterSeconds;
  const headers = {
    'content-type': form.mediaType,
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...error.headers,
  };
  return { status: error.code, headers, body: renderValue(error.toStatus(), form, status) };
}
