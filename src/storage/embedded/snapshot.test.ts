import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { CompactedError, type Store } from '../store.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import { restoreSnapshot, saveSnapshot } from './snapshot.ts';
import { readSnapshot, SnapshotError } from './snapshot-file.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-snapshot-'));
  file = join(folder, 'a.snapshot');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function put(store: Store, key: string, value: string, expected: Revision = zeroRevision): Promise<Revision> {
  const result = await store.commit({ key, value: Buffer.from(value), expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

async function contentOf(store: Store): Promise<unknown[]> {
  const { entries } = await store.list({ prefix: '/' });
  return entries.map((entry) => [entry.key, Buffer.from(entry.value).toString(), entry.revision]);
}

/** A store with a history: `/a/1` changed, `/a/2` deleted, `/b/1` created. */
async function filled(): Promise<Store> {
  const store = openEmbeddedStore(join(folder, 'store'));
  await put(store, '/a/1', 'new', await put(store, '/a/1', 'old'));
  await store.commit({ key: '/a/2', value: undefined, expected: await put(store, '/a/2', 'x') });
  await put(store, '/b/1', 'y'.repeat(100_000));
  return store;
}

describe('a snapshot', () => {
  test('brings back every object with its version, and goes on from there', async () => {
    const store = await filled();
    const saved = await saveSnapshot(join(folder, 'store'), file);
    const before = await contentOf(store);
    expect(saved).toMatchObject({ objects: 2, revision: await store.currentRevision(), format: 1 });
    expect(saved.size).toBe(statSync(file).size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await store.close();

    expect(await readSnapshot(file)).toEqual(saved);
    expect(await restoreSnapshot(file, join(folder, 'other'))).toEqual(saved);
    const restored = openEmbeddedStore(join(folder, 'other'));
    expect(await contentOf(restored)).toEqual(before);
    expect(await restored.currentRevision()).toBe(saved.revision);
    await expect(restored.list({ prefix: '/', at: revision(saved.revision - 1) })).rejects.toThrow(CompactedError);
    expect(await put(restored, '/c/1', 'z')).toBe(saved.revision + 1);
    await restored.close();
  });

  test('shows one moment, while writes go on', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    // two keys that always change together: `left` first
    let [left, right] = [await put(store, '/left', '0'), await put(store, '/right', '0')];
    let stop = false;
    const writing = (async () => {
      for (let i = 1; !stop; i++) {
        left = await put(store, '/left', `${i}`, left);
        right = await put(store, '/right', `${i}`, right);
        await put(store, `/fill/${i}`, 'x'.repeat(1000));
      }
    })();
    for (let round = 0; round < 5; round++) {
      const found = new Map<string, string>();
      const saved = await saveSnapshot(join(folder, 'store'), file);
      await readSnapshot(file, ({ key, value, revision: at }) => {
        expect(at).toBeLessThanOrEqual(saved.revision);
        found.set(key, Buffer.from(value ?? []).toString());
      });
      const [l, r] = [Number(found.get('/left')), Number(found.get('/right'))];
      expect([0, 1]).toContain(l - r);
      for (let i = 1; i < r; i++) expect(found.has(`/fill/${i}`)).toBe(true);
    }
    stop = true;
    await writing;
    await store.close();
  });

  test('keeps when objects end', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    await store.commit({ key: '/e/1', value: Buffer.from('x'), expected: zeroRevision, ttlSeconds: 0.3 });
    await saveSnapshot(join(folder, 'store'), file);
    await store.close();
    await restoreSnapshot(file, join(folder, 'other'));
    const restored = openEmbeddedStore(join(folder, 'other'));
    const ended = new Promise((resolve) => {
      restored.watch(
        { prefix: '/e/', after: restored.currentRevision() as Revision },
        { onEvents: ([event]) => resolve(event?.value), onProgress() {}, onEnd() {} },
      );
    });
    expect(await ended).toBeUndefined();
    await restored.close();
  });

  test('can skip versions that were handed out after it was made', async () => {
    await (await filled()).close();
    const saved = await saveSnapshot(join(folder, 'store'), file);
    await restoreSnapshot(file, join(folder, 'other'), { bumpRevision: 1000 });
    const restored = openEmbeddedStore(join(folder, 'other'));
    expect(await put(restored, '/c/1', 'z')).toBe(saved.revision + 1001);
    await restored.close();
  });

  test('is not restored over anything', async () => {
    await (await filled()).close();
    await saveSnapshot(join(folder, 'store'), file);
    const before = readFileSync(join(folder, 'store', 'data.mdb'));
    await expect(restoreSnapshot(file, join(folder, 'store'))).rejects.toThrow('is not empty');
    expect(readFileSync(join(folder, 'store', 'data.mdb')).equals(before)).toBe(true);
  });

  test('may be restored into an empty folder', async () => {
    await (await filled()).close();
    await saveSnapshot(join(folder, 'store'), file);
    mkdirSync(join(folder, 'other'));
    expect((await restoreSnapshot(file, join(folder, 'other'))).objects).toBe(2);
  });

  test('is not made of a folder without a store', async () => {
    await expect(saveSnapshot(join(folder, 'none'), file)).rejects.toThrow(SnapshotError);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a damaged file is refused and leaves nothing behind', () => {
  const flip = (bytes: Buffer, at: number) => {
    bytes[at] = (bytes[at] as number) ^ 0xff;
    return bytes;
  };
  test.each([
    ['one byte of an object is another one', (bytes: Buffer) => flip(bytes, 20_000), 'does not match its hash'],
    ['the hash is another one', (bytes: Buffer) => flip(bytes, bytes.length - 1), 'does not match its hash'],
    ['the end is missing', (bytes: Buffer) => bytes.subarray(0, bytes.length - 50), 'ends too early'],
    ['there is more than a snapshot', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]), 'follows the end'],
    ['it is something else', () => Buffer.from('hello'), 'no snapshot of Keelson'],
    ['it is empty', () => Buffer.alloc(0), 'no snapshot of Keelson'],
    [
      'it is of a newer format',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"format":1', '"format":2'), 'latin1'),
      'newer version (format 2',
    ],
  ])('%s', async (_, damage, message) => {
    await (await filled()).close();
    await saveSnapshot(join(folder, 'store'), file);
    const bad = join(folder, 'bad');
    copyFileSync(file, bad);
    writeFileSync(bad, damage(readFileSync(file)));
    await expect(readSnapshot(bad)).rejects.toThrow(message);
    await expect(restoreSnapshot(bad, join(folder, 'other'))).rejects.toThrow(SnapshotError);
    expect(readdirSync(folder).sort()).toEqual(['a.snapshot', 'bad', 'store']);
  });
});
