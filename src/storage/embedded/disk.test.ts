// The disk below the embedded store: it fills up, it is given back, it is reused.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Revision, zeroRevision } from '../../meta/revision.ts';
import { type Store, StoreUnavailableError } from '../store.ts';
import { reservedBytes } from './data-room.ts';
import { openEmbeddedStore } from './embedded-store.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-disk-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function put(store: Store, key: string, size: number, expected: Revision = zeroRevision): Promise<Revision> {
  const result = await store.commit({ key, value: Buffer.alloc(size, 'x'), expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

/** A small disk of its own, where this user may mount one. */
function mountSmallDisk(path: string): boolean {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the embedded store', () => {
  test('serves reads while the disk is full, and writes again when there is space', async (context) => {
    const disk = join(folder, 'disk');
    if (!mountSmallDisk(disk)) return context.skip('needs the right to mount a small disk');
    vi.spyOn(console, 'error');
    try {
      const store = openEmbeddedStore(join(disk, 'store'));
      const made: string[] = [];
      let failure: unknown;
      for (let i = 0; failure === undefined; i++) {
        await put(store, `/a/${i}`, 40_000).then(
          () => made.push(`/a/${i}`),
          (error: unknown) => {
            failure = error;
          },
        );
      }
      expect(failure).toBeInstanceOf(StoreUnavailableError);
      expect((failure as Error).message).toMatch(/could not be made durable: .*the disk is full/);
      expect(console.error).not.toHaveBeenCalled();
      const before = await store.currentRevision();
      await expect(put(store, '/a/more', 40_000)).rejects.toThrow(StoreUnavailableError);
      expect((await store.list({ prefix: '/a/' })).entries.map(({ key }) => key)).toEqual(made.sort());
      execFileSync('mount', ['-o', 'remount,size=16m', disk]);
      expect(await put(store, '/a/again', 40_000)).toBeGreaterThan(before);
      await store.close();
      const reopened = openEmbeddedStore(join(disk, 'store'));
      expect((await reopened.list({ prefix: '/a/' })).entries).toHaveLength(made.length + 1);
      await reopened.close();
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  test('grows far beyond its first size without a restart', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 32 }, (_, i) => put(store, `/a/${round}-${i}`, 200_000)));
    }
    expect(statSync(join(folder, 'store', 'data.mdb')).size).toBeGreaterThan(60_000_000);
    expect((await store.list({ prefix: '/a/', limit: 5, countRemaining: true })).remaining).toBe(315);
    expect((await store.get('/a/9-31'))?.value).toHaveLength(200_000);
    await store.close();
  });

  test('uses the space of forgotten history again', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    const sizes: number[] = [];
    let at = zeroRevision;
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 25; i++) at = await put(store, '/a/1', 20_000, at);
      await store.compact(at);
      sizes.push(statSync(join(folder, 'store', 'data.mdb')).size);
    }
    // 6 MB were written; two rounds' worth of room is enough for ever, next to what is kept ready
    expect(sizes.at(-1)).toBeLessThan(2_000_000 + 2 * reservedBytes);
    expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[4] as number) * 1.1);
    await store.close();
  });

  test('keeps writing while a long history is compacted', async () => {
    const store = openEmbeddedStore(join(folder, 'store'));
    let at = zeroRevision;
    for (let i = 0; i < 40; i++) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => put(store, `/h/${i}-${n}`, 1000)));
    }
    for (let i = 0; i < 300; i++) at = await put(store, '/a/1', 1000, at);
    let isOver = false;
    const compacted = store.compact(await store.currentRevision()).finally(() => {
      isOver = true;
    });
    let written = 0;
    for (; !isOver; written++) at = await put(store, '/a/1', 1000, at);
    await compacted;
    // one between any two steps, of which there are many
    expect(written).toBeGreaterThan(5);
    await store.close();
  });
});
