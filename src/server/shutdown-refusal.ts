// Refuses requests that arrive while the server stops: clients try again, and a load balancer has another server answer.

import { randomUUID } from 'node:crypto';
import type { ApiRequest, ApiResponse } from '../meta/exchange.ts';

const retryAfterSeconds = 5;
/** Load balancers have to see that the server stops, and a last scrape counts what it did. */
const servedPrefixes = ['/readyz', '/livez', '/healthz', '/metrics'];

export class ShutdownRefusal {
  #isOn = false;

  begin(): void {
    this.#isOn = true;
  }

  /** Undefined while requests are served. */
  answer({ path }: ApiRequest): ApiResponse | undefined {
    if (!this.#isOn || servedPrefixes.some((prefix) => path.startsWith(prefix))) return undefined;
    const headers = {
      'audit-id': randomUUID(),
      'cache-control': 'no-cache, private',
      connection: 'close',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'retry-after': String(retryAfterSeconds),
    };
    return { status: 429, headers, body: 'The apiserver is shutting down, please try again later.\n' };
  }
}
