// Statuses that controllers write: only where they differ, and with what the server made of them kept for the next look.

import { isDeepStrictEqual } from 'node:util';
import { type Client, isConflict, isNotFound } from '../../client/client.ts';
import type { WorkOutcome } from '../../controllers/work-queue.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ObjectCache } from '../object-cache.ts';

interface WithStatus extends ApiObject {
  readonly status?: object;
}

/** Without undefined fields, as an object is stored. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? {})) as T;

export const isEqualStatus = (a: object | undefined, b: object): boolean => isDeepStrictEqual(plain(a), plain(b));

interface StatusPlace<T extends ApiObject> {
  readonly client: Client;
  readonly cache: ObjectCache<T>;
  /** Path of the object. */
  readonly path: string;
}

/** The object as it is stored afterwards. */
export async function writeStatus<T extends WithStatus>(
  { client, cache, path }: StatusPlace<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<T> {
  if (isEqualStatus(object.status, status)) return object;
  const stored = await client.replace(`${path}/status`, { ...object, status });
  cache.put(stored);
  return stored as T;
}

/**
 * Runs one piece of work. If another client was faster, or the object was deleted, the feed reports that, and the work is
 * done again then.
 */
export async function untilReported(work: Promise<WorkOutcome>): Promise<WorkOutcome> {
  try {
    return await work;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return 'done';
    throw error;
  }
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
}

export const conditionOf = <T extends Condition>(conditions: readonly T[] | undefined, type: string): T | undefined =>
  conditions?.find((one) => one.type === type);

export const withoutCondition = <T extends Condition>(conditions: readonly T[] = [], type: string): readonly T[] =>
  conditions.filter((one) => one.type !== type);

/** A number of a status; zeros are left out of objects. */
export const unlessZero = (count: number): number | undefined => (count === 0 ? undefined : count);
