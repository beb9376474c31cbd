// What requests are told that come while the server stops: to try again, which a load balancer has another server answer.

import { randomUUID } from 'node:crypto';
import type { ApiRequest, ApiResponse } from '../meta/exchange.ts';

const retryAfterSeconds = 5;
/** Load balancers have to see that the server is going. */
const answeredToTheEnd = ['/readyz', '/livez', '/healthz'];

export class ShutdownRefusal {
  #isOn = false;

  begin(): void {
    this.#isOn = true;
  }

  /** Undefined while requests are served. */
  answer({ path }: ApiRequest): ApiResponse | undefined {
    if (!this.#isOn || answeredToTheEnd.some((prefix) => path.startsWith(prefix))) return undefined;
    const headers = {
      'audit-id': randomUUID(),
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'retry-after': String(retryAfterSeconds),
    };
    return { status: 429, headers, body: 'The apiserver is shutting down, please try again later.\n' };
  }
}
