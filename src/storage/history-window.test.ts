import { expect, test } from 'vitest';
import { type Revision, zeroRevision } from '../meta/revision.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { HistoryWindow } from './history-window.ts';
import { openMemoryStore } from './memory/memory-store.ts';
import { CompactedError } from './store.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('history is forgotten once it is older than the window, and not before', async () => {
  const clock = new FakeClock();
  const store = openMemoryStore();
  const compacted: Revision[] = [];
  const window = new HistoryWindow(store, clock, 300_000, {
    onCompacted: (revision) => void compacted.push(revision),
    onError(error) {
      throw error;
    },
  });
  const first = await store.commit({ key: '/a/1', value: Buffer.from('x'), expected: zeroRevision });
  if (first.kind !== 'committed') throw new Error('lost');
  await store.commit({ key: '/a/1', value: Buffer.from('y'), expected: first.revision });
  const readOld = () => store.list({ prefix: '/a/', at: first.revision });
  for (let seconds = 0; seconds < 300; seconds += 30) {
    clock.advance(30_000);
    await settle();
  }
  expect((await readOld()).entries).toHaveLength(1);
  expect(compacted).toEqual([]);
  for (let seconds = 0; seconds < 90; seconds += 30) {
    clock.advance(30_000);
    await settle();
    await settle();
  }
  await expect(readOld()).rejects.toThrow(CompactedError);
  expect(compacted[0]).toBe(await store.currentRevision());
  window.close();
  await store.close();
});
