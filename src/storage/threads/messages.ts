// What a thread that serves and the thread that writes send each other about the store. Writes travel in batches whose
// values share one buffer, which is handed over and not copied.

import { type Revision, revision } from '../../meta/revision.ts';
import type { Write } from '../store.ts';

/** One write of a batch; its value is a part of the buffer of the batch. */
interface WriteOrder {
  readonly id: number;
  readonly key: string;
  readonly expected: number;
  /** Length of the value in bytes; absent for a deletion. */
  readonly length?: number;
  readonly ttlSeconds?: number;
  readonly reclaims?: boolean;
  readonly settled?: boolean;
}

interface CommitBatch {
  readonly writes: readonly WriteOrder[];
  readonly values: ArrayBuffer;
}

/** Failures keep the class, which the server distinguishes. */
type FailureKind = 'unavailable' | 'uncertain' | 'other';

export interface CommitFailure {
  readonly failure: FailureKind;
  readonly message: string;
}

export type CommitOutcome = { readonly id: number } & (
  | { readonly revision: number }
  /** The expected revision was another one; the thread reads the value itself. */
  | { readonly conflict: true }
  | CommitFailure
);

/** To the thread that writes. */
export type StoreRequest =
  | { readonly commit: CommitBatch }
  | { readonly compact: number; readonly id: number }
  /** The first message: where the thread shows whether it sleeps. */
  | { readonly sleep: SharedArrayBuffer };

/** To a thread that serves; without outcomes it only announces new revisions. */
export interface StoreNews {
  readonly outcomes: readonly CommitOutcome[];
}

export function packWrites(writes: readonly (Write & { readonly id: number })[]): CommitBatch {
  const values = new Uint8Array(writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
  let at = 0;
  const orders = writes.map(({ id, key, value, expected, ttlSeconds, reclaims, settled }): WriteOrder => {
    if (value !== undefined) {
      values.set(value, at);
      at += value.length;
    }
    return {
      ...{ id, key, expected },
      ...(value === undefined ? {} : { length: value.length }),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      ...(reclaims === undefined ? {} : { reclaims }),
      ...(settled === undefined ? {} : { settled }),
    };
  });
  return { writes: orders, values: values.buffer };
}

export function unpackWrites({ writes, values }: CommitBatch): (Write & { readonly id: number })[] {
  let at = 0;
  return writes.map(({ length, expected, ...rest }) => {
    const value = length === undefined ? undefined : new Uint8Array(values, at, length);
    at += length ?? 0;
    return { ...rest, value, expected: revision(expected) as Revision };
  });
}
