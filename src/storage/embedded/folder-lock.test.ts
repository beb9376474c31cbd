import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderLockedError, lockFolder } from './folder-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('folder lock', () => {
  test('is held by one at a time and free again after release', () => {
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(FolderLockedError);
    expect(() => lockFolder(folder)).toThrow(String(process.pid));
    lock.release();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    lockFolder(folder).release();
  });

  test('is taken over from a process that is gone', () => {
    writeFileSync(join(folder, 'lock'), '999999999 1\n');
    const lock = lockFolder(folder);
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    lock.release();
  });

  test.skipIf(process.platform !== 'linux')('is taken over when the process id belongs to somebody else by now', () => {
    writeFileSync(join(folder, 'lock'), `${process.pid} 1\n`);
    lockFolder(folder).release();
  });

  test('leaves nothing behind but the lock itself', () => {
    const lock = lockFolder(folder);
    expect(existsSync(join(folder, `lock.${process.pid}`))).toBe(false);
    lock.release();
  });
});
