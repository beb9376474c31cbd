import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataRoom, giveUpRoom, reservedBytes } from './data-room.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-room-'));
  path = join(folder, 'data.mdb');
  writeFileSync(path, Buffer.alloc(8192, 'u'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sizeOf = () => statSync(path).size;
const change = { bytes: 100_000, reclaims: false };

describe('space in the data file', () => {
  test('is there before a transaction begins, and what is kept for deletions besides', async () => {
    const room = new DataRoom(folder, () => 8192);
    expect(await room.take(change)).toBe(true);
    expect(sizeOf()).toBeGreaterThanOrEqual(8192 + change.bytes + reservedBytes);
  });

  test('lasts for several transactions, and is computed again from their writes', async () => {
    let used = 8192;
    const room = new DataRoom(folder, () => used);
    await room.take(change);
    const size = sizeOf();
    for (let i = 0; i < 100; i++) {
      used += 1000;
      expect(await room.take(change)).toBe(true);
    }
    expect(sizeOf()).toBe(size);
  });

  test('takes the place of the file in which older versions kept it', () => {
    writeFileSync(join(folder, 'reserve'), 'x');
    new DataRoom(folder, () => 8192);
    expect(existsSync(join(folder, 'reserve'))).toBe(false);
  });

  test('is given up behind the pages in use only', () => {
    writeFileSync(path, Buffer.alloc(20_000));
    expect(giveUpRoom(folder, 8192, 8192)).toBe(true);
    expect(sizeOf()).toBe(11_808);
    expect(giveUpRoom(folder, 8192, 8192)).toBe(false);
    expect(sizeOf()).toBe(11_808);
  });

  test('there is none to give up where there is no file', () => {
    rmSync(path);
    expect(giveUpRoom(folder, 0, 1)).toBe(false);
  });
});
