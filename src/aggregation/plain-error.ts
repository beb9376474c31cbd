// Errors of the way to another server: plain text, as the reference implementation has them.

import type { ApiResponse } from '../meta/exchange.ts';

/** compat: what goes wrong between this server and another one is told in plain text, not as a Status */
export function plainError(status: number, message: string): ApiResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { status, headers, body: `${message}\n` };
}

/** compat: that an answer leads elsewhere is told without a line break behind it */
export const redirectRefused: ApiResponse = {
  status: 502,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'the backend attempted to redirect this request, which is not permitted',
};
