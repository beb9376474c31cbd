import { expect, test } from 'vitest';
import { zeroRevision } from '../../meta/revision.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import { MvccStore } from './mvcc-store.ts';
import type { Tables } from './tables.ts';

/** Tables of a disk that cannot be read. */
const unreadable: Tables = {
  lastRevision: zeroRevision,
  compacted: zeroRevision,
  current() {
    throw new Error('input/output error');
  },
  scan: () => [],
  record: () => undefined,
  records: () => [],
  append() {},
  clean() {},
  expiring: () => [],
  forgetExpiring() {},
  close() {},
};

test('a commit that finds the disk unreadable is a promise that fails', async () => {
  const store = new MvccStore(unreadable);
  const commit = store.commit({ key: '/a/1', value: Buffer.from('x'), expected: zeroRevision });
  await expect(commit).rejects.toThrow('input/output error');
  await store.close();
});

test('history is read in slices of about a megabyte, each after the one before was dealt with', async () => {
  const store = openMemoryStore();
  const value = Buffer.alloc(400 * 1024);
  for (let index = 0; index < 7; index++) await store.commit({ key: `/a/${index}`, value, expected: zeroRevision });
  const slices: number[] = [];
  let isBusy = false;
  await new Promise<void>((resolve) => {
    const onEvents = async (events: readonly unknown[]) => {
      expect(isBusy).toBe(false);
      slices.push(events.length);
      isBusy = true;
      await new Promise((done) => setTimeout(done, 5));
      isBusy = false;
    };
    const onProgress = (at: number) => {
      expect(isBusy).toBe(false);
      if (at === store.currentRevision()) resolve();
    };
    store.watch({ prefix: '/a/', after: zeroRevision }, { onEvents, onProgress, onEnd() {} });
  });
  expect(slices).toEqual([3, 3, 1]);
  await store.close();
});
