import { describeStore } from '../contract.ts';
import { describeStoreModel } from '../model.ts';
import { openMemoryStore } from './memory-store.ts';

async function open() {
  const store = openMemoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
}

describeStore('memory', open, {
  skip: { 'survives a restart with its revisions and its history': 'keeps nothing on disk' },
});
describeStoreModel('memory', open);
