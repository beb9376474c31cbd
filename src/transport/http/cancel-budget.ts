// Requests that a client takes back before they are answered are work that is thrown away. So many are free; beyond those the connection is
// not read until enough time has passed, and a client that continues is disconnected.

import type { Clock } from '../../base/time/clock.ts';
import type { ConnectionLimits } from './connection-limits.ts';

type CancelLimits = Pick<ConnectionLimits, 'resetBurst' | 'resetsPerSecond' | 'resetsWhileSlow'>;

export class CancelBudget {
  readonly #limits: CancelLimits;
  readonly #clock: Clock;
  /** Requests taken back that time has not made good for yet. */
  #level = 0;
  #leveledAt = 0;
  /** Those beyond the burst, since the level was 0 last. */
  #excess = 0;

  constructor(limits: CancelLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** One more was taken back. */
  spend(): void {
    this.#drain();
    this.#level++;
    if (this.#level > this.#limits.resetBurst) this.#excess++;
  }

  /** Slowing the connection down was not enough. */
  get isExhausted(): boolean {
    return this.#excess > this.#limits.resetsWhileSlow;
  }

  /** How long the connection is not to be read; 0 where there is no reason for that. */
  delayMs(): number {
    this.#drain();
    const over = this.#level - this.#limits.resetBurst;
    return over <= 0 ? 0 : Math.ceil((over / this.#limits.resetsPerSecond) * 1000);
  }

  #drain(): void {
    const now = this.#clock.now();
    this.#level = Math.max(0, this.#level - ((now - this.#leveledAt) / 1000) * this.#limits.resetsPerSecond);
    this.#leveledAt = now;
    if (this.#level === 0) this.#excess = 0;
  }
}
