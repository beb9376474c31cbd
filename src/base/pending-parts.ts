// What is put together from several parts, some of which are still being read.

export class PendingParts {
  readonly #pending = new Set<string>();
  #isAwaited = false;
  #whole: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** Resolves when no part is pending any more; undefined when none is. */
  wait(): Promise<void> | undefined {
    if (this.#whole !== undefined) this.#isAwaited = true;
    return this.#whole?.promise;
  }

  /** Whether a reader waits. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  begin(part: string): void {
    this.#pending.add(part);
    if (this.#whole !== undefined) return;
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    this.#whole = { promise, resolve };
  }

  end(part: string): void {
    this.#pending.delete(part);
    if (this.#pending.size > 0) return;
    this.#whole?.resolve();
    this.#whole = undefined;
    this.#isAwaited = false;
  }
}
