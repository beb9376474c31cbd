// What the store could not do, as clients are told: storage has errors of its own.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { internalError, serviceUnavailable, timeout } from '../meta/status.ts';
import { MissingKeyError, StoreUnavailableError, UncertainWriteError } from '../storage/store.ts';

/** A store that cannot be reached is a 503, a write that may have happened a 504: it is not for clients to repeat blindly. */
export function translateStoreErrors<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work();
    return isPromise(result) ? result.catch(translate) : result;
  } catch (error) {
    return translate(error);
  }
}

export function translate(error: unknown): never {
  if (error instanceof UncertainWriteError) throw timeout(error.message);
  if (error instanceof MissingKeyError) throw internalError(error.message);
  if (error instanceof StoreUnavailableError) throw serviceUnavailable(error.message, error);
  throw error;
}
