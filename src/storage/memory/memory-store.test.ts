import { FakeClock } from '../../testing/fake-clock.ts';
import { describeStore } from '../contract/contract.ts';
import { describeStoreModel } from '../model.ts';
import { openMemoryStore } from './memory-store.ts';

async function open() {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  return {
    store,
    reopen: async () => store,
    pass: async (ms: number) => clock.advance(ms),
    dispose: () => store.close(),
  };
}

const onDisk = 'keeps nothing on disk';
describeStore('memory', open, {
  skip: {
    'survives a restart with its revisions and its history': onDisk,
    'remembers over a restart when a key ends': onDisk,
  },
});
describeStoreModel('memory', open);
