// Answers that had begun and were not sent to their end: the client left, the time was up, or another server broke off.

import type { Exchange } from '../meta/exchange.ts';
import { LimitedRows } from './limited-rows.ts';
import type { MetricSource } from './metric-source.ts';
import { labelsOf, lasts, terminationLabels } from './request-labels.ts';

export class AbortMetrics {
  readonly #rows = new LimitedRows('apiserver_request_aborts_total');

  get source(): MetricSource {
    return this.#rows.source;
  }

  observe(exchange: Exchange): void {
    // a client ends its watches and connections as it likes
    if (exchange.passedOn === undefined && lasts(exchange)) return;
    const { verb, group, version, resource, subresource, scope } =
      exchange.passedOn === undefined ? labelsOf(exchange) : terminationLabels(exchange);
    this.#rows.add({ verb, group, version, resource, subresource, scope });
  }
}
