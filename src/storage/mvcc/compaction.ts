// Which records no client can ask for any more once history up to a revision is forgotten.

import { type Revision, revision } from '../../meta/revision.ts';
import type { Cleanup, Tables } from './tables.ts';

/**
 * Walks the log from the last compaction towards `goal`, for as many records as `mayGoOn` allows: a record makes its
 * predecessor unreachable, and a delete that is still the newest word on its key makes itself unreachable too.
 */
export function planCleanup(
  tables: Tables,
  compacted: Revision,
  goal: Revision,
  mayGoOn: (seen: number) => boolean,
): Cleanup {
  const forgetRecords: Revision[] = [];
  const forgetKeys: string[] = [];
  let reached = goal;
  let seen = 0;
  for (const record of tables.records(revision(compacted + 1))) {
    if (record.revision > goal) break;
    if (!mayGoOn(seen++)) {
      reached = revision(record.revision - 1);
      break;
    }
    if (record.previous !== 0) forgetRecords.push(record.previous);
    if (record.value === undefined && tables.current(record.key)?.revision === record.revision) {
      forgetRecords.push(record.revision);
      forgetKeys.push(record.key);
    }
  }
  return { forgetRecords, forgetKeys, compacted: reached };
}

/** Writes wait for a step that is under way, so steps are kept this short. */
const targetMs = 5;
const sizes = { first: 100, min: 10, max: 1000 };

/** How much one step of compaction does: as much as fits into the time that a write can spare. */
export class CompactionPace {
  readonly #now: () => number;
  #size = sizes.first;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a step; the next one does less if this one took long, more if it did not. */
  async step(run: (mayGoOn: (seen: number) => boolean) => Promise<void>): Promise<void> {
    const start = this.#now();
    await run((seen) => seen === 0 || (seen < this.#size && this.#now() - start < targetMs));
    const tookMs = this.#now() - start;
    if (tookMs > 2 * targetMs) this.#size = Math.max(sizes.min, this.#size >> 1);
    else if (tookMs < targetMs) this.#size = Math.min(sizes.max, this.#size * 2);
  }
}
