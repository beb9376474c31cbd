// Callbacks for one kind of event. A callback that throws keeps no other from being called.

export class Listeners<T> {
  readonly #callbacks = new Set<(event: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = throwLater) {
    this.#onError = onError;
  }

  add(callback: (event: T) => void): { close(): void } {
    this.#callbacks.add(callback);
    return { close: () => this.#callbacks.delete(callback) };
  }

  /** Callbacks that are added meanwhile are not called for this event. */
  call(event: T): void {
    for (const callback of [...this.#callbacks]) {
      try {
        callback(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

/** An error that no caller expects must be seen, but not by the one who told the news. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
