// How often callers act as another user, and what that asks of the authorizers, under kube-apiserver's names.

import { Histogram } from '../base/histogram.ts';
import { doublingSeconds, filterBounds } from './filter-metrics.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';

type Outcome = 'allowed' | 'denied';

export class ImpersonationMetrics {
  /** How long requests were in the stage. */
  readonly filterSeconds = new Histogram(filterBounds);
  readonly #attempts = new Spreads();
  readonly #questions = new Spreads();

  passed(seconds: number): void {
    this.filterSeconds.observe(seconds);
  }

  /** A request by which a caller wants to act as another user; the mode is empty where none lets it. */
  attempted(mode: string, outcome: Outcome, seconds: number): void {
    this.#attempts.observe(mode, outcome, seconds);
  }

  /** One question to the authorizers on the way. */
  asked(mode: string, outcome: Outcome, seconds: number): void {
    this.#questions.observe(mode, outcome, seconds);
  }

  get sources(): readonly MetricSource[] {
    return [
      ...this.#attempts.sources('apiserver_impersonation_attempts'),
      ...this.#questions.sources('apiserver_impersonation_authorization_attempts'),
    ];
  }
}

/** Counts and times by mode and outcome; both are words of the server, so that there are few. */
class Spreads {
  readonly #all = new Map<
    string,
    readonly [labels: { readonly mode: string; readonly decision: string }, spread: Histogram]
  >();

  observe(mode: string, decision: Outcome, seconds: number): void {
    const key = `${mode} ${decision}`;
    let series = this.#all.get(key);
    if (series === undefined) {
      series = [{ mode, decision }, new Histogram(doublingSeconds)];
      this.#all.set(key, series);
    }
    series[1].observe(seconds);
  }

  sources(name: `apiserver_impersonation_${'' | 'authorization_'}attempts`): readonly MetricSource[] {
    return [
      metric(`${name}_total`, () =>
        [...this.#all.values()].map(([labels, spread]) => ({ labels, value: spread.count })),
      ),
      spreadMetric(`${name}_duration_seconds`, () => [...this.#all.values()]),
    ];
  }
}
