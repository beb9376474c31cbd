// Requests for aggregated APIs that this server ended itself: they were refused, or the other server took too long.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { LimitedRows } from './limited-rows.ts';
import type { MetricSource } from './metric-source.ts';
import { terminationLabels } from './request-labels.ts';

export class TerminationMetrics {
  readonly #rows = new LimitedRows('apiserver_request_terminations_total');

  get source(): MetricSource {
    return this.#rows.source;
  }

  observe(exchange: Exchange, { status }: ApiResponse): void {
    const component = componentOf(exchange);
    if (component === undefined) return;
    this.#rows.add({ ...terminationLabels(exchange), component, code: String(status) });
  }
}

/** Which part of the server answered; undefined where another server did, or was not to. */
function componentOf({ passedOn, hasEnded }: Exchange): string | undefined {
  if (passedOn === 'refused') return 'aggregator';
  return passedOn === 'asked' && hasEnded ? 'apiserver' : undefined;
}
