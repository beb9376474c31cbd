// Looks into a store that no server has to run on: its revision, its size and what it holds.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Revision, revision } from '../../meta/revision.ts';
import { checkFormat, openDatabases, openRoot } from './database.ts';
import { decodePointer } from './record.ts';

interface StoreSummary {
  readonly revision: Revision;
  /** Of the file, in bytes. */
  readonly size: number;
  /** How many objects there are, by where they are kept: `pods`, `example.org/widgets`. */
  readonly objects: ReadonlyMap<string, number>;
}

/** Undefined where there is no store. Throws for one that this program cannot read. */
export async function inspectStore(folder: string): Promise<StoreSummary | undefined> {
  const file = join(folder, 'data.mdb');
  if (!existsSync(file)) return undefined;
  const root = openRoot(folder, { readOnly: true });
  try {
    const { meta, log, current } = openDatabases(root);
    checkFormat(meta, folder, { readOnly: true });
    const [last] = log.getKeys({ reverse: true, limit: 1 });
    const objects = new Map<string, number>();
    for (const { key, value } of current.getRange()) {
      if (decodePointer(key, value).deleted) continue;
      const place = placeOf(key);
      objects.set(place, (objects.get(place) ?? 0) + 1);
    }
    return { revision: revision(Math.max(last ?? 0, meta.get('compacted') ?? 0)), size: statSync(file).size, objects };
  } finally {
    await root.close();
  }
}

/** Groups have a dot in their names, and resources have none. */
function placeOf(key: string): string {
  const [, first = '', second = ''] = key.split('/');
  return first.includes('.') ? `${first}/${second}` : first;
}
