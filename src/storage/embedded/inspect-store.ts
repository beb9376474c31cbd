// Inspects a store without a server: its revision and its objects.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { revision } from '../../meta/revision.ts';
import { StoreSummary } from '../store-summary.ts';
import { openToRead } from './open-to-read.ts';
import { decodePointer, decodeRecord } from './record.ts';

/** Undefined where there is no store. Throws for one that this program cannot read. */
export async function inspectStore(folder: string, nameOf: (key: string) => string): Promise<StoreSummary | undefined> {
  if (!existsSync(join(folder, 'data.mdb'))) return undefined;
  const { root, databases } = await openToRead(folder, { readsAll: true });
  const { meta, log, current } = databases;
  const transaction = root.useReadTransaction();
  try {
    const [last] = log.getKeys({ reverse: true, limit: 1, transaction });
    const compacted = (meta.get('compacted', { transaction }) as number | undefined) ?? 0;
    const summary = new StoreSummary(revision(Math.max(last ?? 0, compacted)), nameOf);
    for (const { key, value } of current.getRange({ transaction })) {
      const pointer = decodePointer(key, value);
      if (pointer.deleted) continue;
      const record = log.get(pointer.revision, { transaction });
      const stored = record === undefined ? undefined : decodeRecord(pointer.revision, record).value;
      if (stored === undefined) throw new Error(`the store ${folder} is damaged: the value of ${key} is missing`);
      summary.add(key, stored);
    }
    return summary;
  } finally {
    transaction.done();
    await root.close();
  }
}
