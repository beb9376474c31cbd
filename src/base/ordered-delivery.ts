// Things that are delivered in order: at once while nothing is awaited, else after what came before.

import { isPromise, type MaybePromise } from './maybe-promise.ts';

export class OrderedDelivery {
  #last: Promise<void> | undefined;
  #isClosed = false;
  readonly #onError: (error: unknown) => void;

  /** After an error nothing more is delivered. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Resolves when everything so far has been delivered; undefined when it has. */
  get pending(): Promise<void> | undefined {
    return this.#last;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(deliver: () => MaybePromise<void>): void {
    if (this.#isClosed) return;
    const done = this.#last === undefined ? this.#run(deliver) : this.#last.then(() => this.#run(deliver));
    if (!isPromise(done)) return;
    const mine: Promise<void> = done.then(() => {
      if (this.#last === mine) this.#last = undefined;
    });
    this.#last = mine;
  }

  close(): void {
    this.#isClosed = true;
  }

  #run(deliver: () => MaybePromise<void>): MaybePromise<void> {
    if (this.#isClosed) return;
    const done = deliver();
    return isPromise(done) ? done.catch((error: unknown) => this.#fail(error)) : done;
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#onError(error);
  }
}
