// A hash of a name by which threads agree on a number for it.

import { createHash } from 'node:crypto';

/** Never 0. */
export function stringHash(text: string): number {
  return createHash('sha256').update(text).digest().readInt32LE() || 1;
}
