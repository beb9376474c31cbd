// One way to store values: as they are, with keys of a file, or with keys of a plugin.

import { type EncryptionObserver, notFromPlugin, secondsSince } from './encryption-observer.ts';

/** The key of a stored value, and its resource. */
export interface Place {
  /** Values may be bound to it. */
  readonly path: string;
  /** `secrets`, `deployments.apps`. */
  readonly resource: string;
}

export interface ReadValue {
  readonly value: Uint8Array;
  /** It was written otherwise than it would be written now. */
  readonly isStale: boolean;
}

export interface Form {
  /** Stands before values of this form; empty for values that are stored as they are. */
  readonly prefix: Buffer;
  /** Throws where there is no key. */
  seal(value: Uint8Array, place: Place): Uint8Array;
  /** Throws, in words without keys, where it cannot be read; what follows the prefix is given. */
  open(sealed: Buffer, place: Place): ReadValue;
  /** Gets what `open` needs; undefined where it has it. Rejects with a MissingKeyError where that fails. */
  prepare?(sealed: Buffer): Promise<void> | undefined;
}

export const startsWith = (bytes: Buffer, prefix: Buffer): boolean => bytes.subarray(0, prefix.length).equals(prefix);

/** Does one step on a value and reports it to the observer. */
export function counted<T>(
  observer: EncryptionObserver | undefined,
  step: { readonly place: Place; readonly direction: 'from_storage' | 'to_storage'; readonly form: string },
  work: () => T,
): T {
  if (observer === undefined) return work();
  const { place, direction, form } = step;
  const start = performance.now();
  const done = (status: string) =>
    observer.transformed({ resource: place.resource, direction, form, seconds: secondsSince(start), status });
  try {
    const result = work();
    done('OK');
    return result;
  } catch (error) {
    done(notFromPlugin);
    throw error;
  }
}
