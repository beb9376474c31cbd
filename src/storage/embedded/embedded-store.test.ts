import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openLmdb } from 'lmdb';
import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { describeStore } from '../contract/contract.ts';
import { describeMappedValues } from '../contract/mapped.ts';
import { put } from '../contract/steps.ts';
import { describeStoreModel } from '../model.ts';
import { UnknownFormatError } from './database.ts';
import { openEmbeddedStore } from './embedded-store.ts';

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-store-'));
  const clock = new FakeClock();
  let store = openEmbeddedStore(folder, { clock });
  return {
    store,
    pass: async (ms: number) => clock.advance(ms),
    async reopen() {
      await store.close();
      store = openEmbeddedStore(folder, { clock });
      return store;
    },
    async dispose() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describeStore('embedded', open);
describeStoreModel('embedded', open);
describeMappedValues('embedded', open);

test('values that another release wrote are not taken for own ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-store-'));
  const write = async (release: string) => {
    const store = openEmbeddedStore(folder, { release });
    const at = await put(store, `/a/${release}`, 'x');
    const ownSince = store.mapped?.ownSince;
    await store.close();
    return { at, ownSince };
  };
  expect(await write('1.0.0')).toEqual({ at: 2, ownSince: 1 });
  expect(await write('1.1.0')).toEqual({ at: 3, ownSince: 3 });
  rmSync(folder, { recursive: true });
});

test('refuses a data folder that a newer version wrote', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-store-'));
  const root = openLmdb({ path: folder, maxDbs: 4 });
  await root.openDB({ name: 'meta', encoding: 'json' }).put('format', 99);
  await root.close();
  expect(() => openEmbeddedStore(folder)).toThrow(UnknownFormatError);
  expect(() => openEmbeddedStore(folder)).toThrow(/newer version \(format 99/);
  rmSync(folder, { recursive: true });
});
