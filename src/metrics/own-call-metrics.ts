// Requests that the server and its controllers send to their own server, as client-go counts those of its clients.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { type MetricSource, metric } from './metric-source.ts';

/** Calls inside the process have no address. */
const host = 'loopback';

export class OwnCallMetrics {
  /** By method, then by code. */
  readonly #counts = new Map<string, Map<number, number>>();

  /** Other requests are ignored. */
  observe({ request: { method, peer } }: Exchange, { status }: ApiResponse): void {
    if (peer.address !== host) return;
    const codes = this.#counts.get(method) ?? new Map<number, number>();
    this.#counts.set(method, codes);
    codes.set(status, (codes.get(status) ?? 0) + 1);
  }

  get source(): MetricSource {
    return metric('rest_client_requests_total', () =>
      [...this.#counts].flatMap(([method, codes]) =>
        [...codes].map(([code, value]) => ({ labels: { code: String(code), host, method }, value })),
      ),
    );
  }
}
