// Requests for aggregated APIs that this server ended itself: the other server was not to be asked, or took too long.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { terminationLabels } from './request-labels.ts';
import { type MetricSource, metric } from './request-metrics.ts';

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** Names of resources are the client's choice here: those beyond are counted without. */
const maxRows = 500;

export class TerminationMetrics {
  readonly #rows = new Map<string, Row>();
  readonly source: MetricSource = metric(
    'apiserver_request_terminations_total',
    'counter',
    'Requests that the server ended in self-defence.',
    () => [...this.#rows.values()],
  );

  observe(exchange: Exchange, { status }: ApiResponse): void {
    const component = componentOf(exchange);
    if (component === undefined) return;
    const labels = { ...terminationLabels(exchange), component, code: String(status) };
    const isKnown = this.#rows.has(keyOf(labels)) || this.#rows.size < maxRows;
    this.#row(isKnown ? labels : { ...labels, resource: '', subresource: '' }).value++;
  }

  #row(labels: Row['labels']): Row {
    const key = keyOf(labels);
    const row = this.#rows.get(key) ?? { labels, value: 0 };
    this.#rows.set(key, row);
    return row;
  }
}

/** Which part of the server answered; undefined where another server did, or was not to. */
function componentOf({ passedOn, hasEnded }: Exchange): string | undefined {
  if (passedOn === 'refused') return 'aggregator';
  return passedOn === 'asked' && hasEnded ? 'apiserver' : undefined;
}

const keyOf = (labels: Row['labels']): string => JSON.stringify(Object.values(labels));
