// What watches of one version of a kind were sent, in plain numbers.

import { Histogram } from '../base/histogram.ts';

/** Bytes, and seconds. */
const sizeBounds = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
const stateBounds = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];

export class WatchCounts {
  /** Of events that were sent, each as often as there were watches to send it to. */
  readonly sizes = new Histogram(sizeBounds);
  /** Objects and changes that watches began with. */
  initial = 0;
  /** Watches that were ended because their clients did not keep up. */
  cut = 0;
  readonly #states = new Map<string, Histogram>();

  /** How long it took to send the state that watches begin with, by what they watch. */
  get states(): ReadonlyMap<string, Histogram> {
    return this.#states;
  }

  sent(sizes: readonly number[], watches: number): void {
    for (const size of sizes) this.sizes.observe(size, watches);
  }

  sentState(scope: 'cluster' | 'namespace', seconds: number): void {
    const spread = this.#states.get(scope) ?? new Histogram(stateBounds);
    this.#states.set(scope, spread);
    spread.observe(seconds);
  }
}
