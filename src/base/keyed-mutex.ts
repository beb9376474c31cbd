// One after the other for each key: a caller waits for work on the same key, not for work on other keys.

import { TransientMap } from './maps/transient-map.ts';
import type { MaybePromise } from './maybe-promise.ts';

export class Turn {
  #over = false;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Lets the next one begin; a second call does nothing. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#onEnd();
  }
}

export class KeyedMutex {
  /** Writers that wait, for each key that another one has the turn of. */
  readonly #waiting = new TransientMap<string, (() => void)[]>();

  /** There at once while no other caller has the turn. */
  take(key: string): MaybePromise<Turn> {
    const waiting = this.#waiting.get(key);
    const turn = new Turn(() => this.#next(key));
    if (waiting !== undefined) return new Promise((resolve) => waiting.push(() => resolve(turn)));
    this.#waiting.set(key, []);
    return turn;
  }

  #next(key: string): void {
    const begin = this.#waiting.get(key)?.shift();
    if (begin === undefined) this.#waiting.delete(key);
    else begin();
  }
}
