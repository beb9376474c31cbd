// Errors of the way to another server: plain text, as the reference implementation has them.

import type { ApiResponse } from '../meta/exchange.ts';

/** compat: what goes wrong between this server and another one is told in plain text, not as a Status */
export function plainError(status: number, message: string): ApiResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { status, headers, body: `${message}\n` };
}
