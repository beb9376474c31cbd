import { expect, test } from 'vitest';
import { zeroRevision } from '../../meta/revision.ts';
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
