import { describe, expect, test } from 'vitest';
import { type Revision, revision } from '../../meta/revision.ts';
import { CompactionPace, planCleanup } from './compaction.ts';
import type { LogRecord, Tables } from './tables.ts';

/** A log of changes of one key. */
function tablesOf(count: number): Tables {
  const records = Array.from({ length: count }, (_, i): LogRecord => {
    return { key: '/a', value: Buffer.alloc(0), revision: revision(i + 1), previous: revision(i) };
  });
  return {
    records: (first: Revision) => records.slice(first - 1),
    current: () => ({ key: '/a', revision: revision(count), deleted: false }),
  } as unknown as Tables;
}

describe('a step of compaction', () => {
  test('goes on where the last one ended, and forgets what was replaced', () => {
    const tables = tablesOf(10);
    const first = planCleanup(tables, revision(0), revision(10), (seen) => seen < 4);
    expect(first).toEqual({ forgetRecords: [1, 2, 3], forgetKeys: [], compacted: 4 });
    const second = planCleanup(tables, first.compacted, revision(10), () => true);
    expect(second).toEqual({ forgetRecords: [4, 5, 6, 7, 8, 9], forgetKeys: [], compacted: 10 });
  });

  test('looks at one record at least, however slow everything is', async () => {
    let now = 0;
    const pace = new CompactionPace(() => (now += 100));
    let looked = 0;
    await pace.step(async (mayGoOn) => {
      while (mayGoOn(looked)) looked++;
    });
    expect(looked).toBe(1);
  });

  test('stops when a write would have to wait for too long', async () => {
    let now = 0;
    const pace = new CompactionPace(() => now);
    let looked = 0;
    await pace.step(async (mayGoOn) => {
      while (mayGoOn(looked)) {
        looked++;
        now += 1;
      }
    });
    expect(looked).toBe(5);
  });

  test('does less after a slow step, and more after a quick one', async () => {
    let now = 0;
    const pace = new CompactionPace(() => now);
    const step = async (tookMs: number) => {
      let looked = 0;
      await pace.step(async (mayGoOn) => {
        while (mayGoOn(looked)) looked++;
        now += tookMs;
      });
      return looked;
    };
    expect([await step(1), await step(1), await step(50), await step(50), await step(50), await step(7)]).toEqual([
      100, 200, 400, 200, 100, 50,
    ]);
  });
});
