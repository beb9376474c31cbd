// Work that usually needs no waiting and must keep its order where some of it does.

import { isPromise, type MaybePromise } from './maybe-promise.ts';

export class InOrder {
  readonly #onError: (error: unknown) => void;
  /** The last of what still waits; undefined most of the time. */
  #last: Promise<void> | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs at once, or after everything that still waits. An error ends nothing but the work that threw it. */
  run(work: () => MaybePromise<void>): void {
    if (this.#last !== undefined) this.#follow(this.#last.then(work));
    else {
      try {
        const result = work();
        if (isPromise(result)) this.#follow(result);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  #follow(work: Promise<void>): void {
    const settled = work.catch(this.#onError).finally(() => {
      if (this.#last === settled) this.#last = undefined;
    });
    this.#last = settled;
  }
}
