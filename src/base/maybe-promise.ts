// Values that are usually there already. Hot paths stay synchronous until something really waits.

export type MaybePromise<T> = T | Promise<T>;

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** What `work` returns, or what `recover` makes of its error, whether it is thrown at once or later. */
export function orElse<T>(work: () => MaybePromise<T>, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}
