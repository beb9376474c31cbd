// The audit seam: a backend sees each request when it arrives and when it is answered.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';

export interface AuditBackend {
  /** The caller is known, nothing was done yet. */
  received(exchange: Exchange): void;
  /** The answer is known; a stream has only begun. */
  answered(exchange: Exchange, response: ApiResponse): void;
}
