// What a transaction is expected to write at most, held against what LMDB writes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { revision } from '../../meta/revision.ts';
import { DataRoom } from './data-room.ts';
import { checkFormat, openDatabases, openRoot } from './database.ts';
import { LmdbTables } from './embedded-store.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-transactions-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The same numbers in each run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function openTables() {
  const root = openRoot(folder);
  const databases = root.transactionSync(() => {
    const opened = openDatabases(root);
    checkFormat(opened.meta, folder);
    return opened;
  });
  const usedBytes = () => {
    const { lastPageNumber, pageSize } = root.getStats() as { lastPageNumber: number; pageSize: number };
    return (lastPageNumber + 1) * pageSize;
  };
  return { tables: new LmdbTables(folder, root, databases), usedBytes };
}

// lengths next to those at which an entry gets its own pages
const lengths = [0, 100, 1000, 1350, 1900, 2020, 2060, 3900, 4100, 9000, 60_000];

test.each([
  ['single objects', 1, 300],
  ['some at once', 20, 60],
  ['many at once', 700, 6],
])('is never exceeded: %s', async (_, atOnce, rounds) => {
  const pick = numbers(atOnce);
  const { tables, usedBytes } = openTables();
  const take = vi.spyOn(DataRoom.prototype, 'take');
  const expected = () => (take.mock.lastCall as Parameters<DataRoom['take']>)[0].bytes;
  let at = 0;
  for (let round = 0; round < rounds; round++) {
    const records = Array.from({ length: 1 + pick(atOnce) }, () => ({
      revision: revision(++at),
      previous: revision(0),
      key: `/${'k'.repeat(pick(3) === 0 ? pick(1900) : 20)}/${pick(100_000)}`,
      value: pick(5) === 0 ? undefined : Buffer.alloc(lengths[pick(lengths.length)] as number, 'x'),
      ...(pick(10) === 0 ? { expiresAt: pick(1e9) } : {}),
    }));
    let before = usedBytes();
    await tables.append(records);
    expect(usedBytes() - before).toBeLessThanOrEqual(expected());
    before = usedBytes();
    const forgotten = records.filter(() => pick(3) === 0);
    await tables.clean({
      forgetRecords: forgotten.map((record) => record.revision),
      forgetKeys: [...new Set(forgotten.map(({ key }) => key))],
      compacted: revision(Math.max(at - atOnce, 0)),
    });
    expect(usedBytes() - before).toBeLessThanOrEqual(expected());
  }
  await tables.close();
});
