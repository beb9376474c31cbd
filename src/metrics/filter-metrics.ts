// How long the stages before a handler take, and what authorization comes to, under kube-apiserver's names.

import { Histogram } from '../base/histogram.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';

/** From a thousandth of a second, each twice the one before. */
export const doublingSeconds = Array.from({ length: 15 }, (_, at) => 2 ** at / 1000);
export const filterBounds = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

type AuthorizationResult = 'allowed' | 'denied' | 'error' | 'no_opinion';

export class FilterMetrics {
  readonly #earlier: Readonly<Record<string, Histogram>>;
  readonly #authorization = new Histogram(filterBounds);
  readonly #results = new Map<AuthorizationResult, Histogram>();

  /** Stages before authorization measure themselves; they are given by their names. */
  constructor(earlier: Readonly<Record<string, Histogram>>) {
    this.#earlier = earlier;
  }

  authorized(result: AuthorizationResult, seconds: number): void {
    this.#authorization.observe(seconds);
    let spread = this.#results.get(result);
    if (spread === undefined) {
      spread = new Histogram(doublingSeconds);
      this.#results.set(result, spread);
    }
    spread.observe(seconds);
  }

  get sources(): readonly MetricSource[] {
    return [
      metric('authorization_attempts_total', () =>
        [...this.#results].map(([result, { count }]) => ({ labels: { result }, value: count })),
      ),
      spreadMetric('authorization_duration_seconds', () =>
        [...this.#results].map(([result, spread]) => [{ result }, spread] as const),
      ),
      spreadMetric('apiserver_request_filter_duration_seconds', () =>
        Object.entries({ ...this.#earlier, authorization: this.#authorization }).map(
          ([filter, spread]) => [{ filter }, spread] as const,
        ),
      ),
    ];
  }
}
