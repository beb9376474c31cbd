// How often callers act as another user, and what that asks of the authorizers, under kube-apiserver's names.

import { Histogram } from '../base/histogram.ts';
import { doublingSeconds, filterBounds } from './filter-metrics.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

type Outcome = 'allowed' | 'denied';

const prefix = 'apiserver_impersonation';

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
      ...this.#attempts.sources(`${prefix}_attempts`, 'Requests of callers who act as another user'),
      ...this.#questions.sources(`${prefix}_authorization_attempts`, 'Questions about acting as another user'),
    ];
  }
}

/** Counts and times by mode and outcome; both are words of the server, so that there are few. */
class Spreads {
  readonly #all = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly spread: Histogram }>();

  observe(mode: string, decision: Outcome, seconds: number): void {
    const key = `${mode} ${decision}`;
    let series = this.#all.get(key);
    if (series === undefined) {
      series = { labels: { mode, decision }, spread: new Histogram(doublingSeconds) };
      this.#all.set(key, series);
    }
    series.spread.observe(seconds);
  }

  sources(name: string, help: string): readonly MetricSource[] {
    const seconds = `${name}_duration_seconds`;
    return [
      metric(`${name}_total`, 'counter', `${help}, by mode and outcome.`, () =>
        [...this.#all.values()].map(({ labels, spread }) => ({ labels, value: spread.count })),
      ),
      metric(seconds, 'histogram', `Seconds of these: ${help}, by mode and outcome.`, () =>
        [...this.#all.values()].flatMap(({ labels, spread }) => histogramSamples(seconds, labels, spread)),
      ),
    ];
  }
}
