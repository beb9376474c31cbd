// Which records nobody can ask for any more once history up to a revision is forgotten.

import { type Revision, revision } from '../../meta/revision.ts';
import type { Cleanup, Tables } from './tables.ts';

/**
 * Walks the log from the last compaction towards `goal`, at most `step` records: a record makes its predecessor
 * unreachable, and a delete that is still the newest word on its key makes itself unreachable too.
 */
export function planCleanup(tables: Tables, compacted: Revision, goal: Revision, step: number): Cleanup {
  const forgetRecords: Revision[] = [];
  const forgetKeys: string[] = [];
  let reached = goal;
  let seen = 0;
  for (const record of tables.records(revision(compacted + 1))) {
    if (record.revision > goal) break;
    if (seen++ >= step) {
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
