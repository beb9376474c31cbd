import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from './folder-lock.ts';
import { FolderLockedError } from './folder-locked-error.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that listens where a holder would, and does nothing else. */
async function holdElsewhere() {
  const script = `require('net').createServer(() => {}).listen(${JSON.stringify(join(folder, 'lock-0123.sock'))}, () => console.log('held'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe('folder lock', () => {
  test('is held by one at a time and free again after release', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError);
    await expect(lockFolder(folder)).rejects.toThrow(`process ${process.pid} on `);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
    await (await lockFolder(folder)).release();
  });

  test('is free as soon as its holder was killed, and what was left over is cleared away', async () => {
    const child = await holdElsewhere();
    await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(readdirSync(folder)).toEqual(['lock-0123.sock']);
    const lock = await lockFolder(folder);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain('lock-0123.sock');
    await lock.release();
  });

  test.skipIf(process.platform === 'win32')('is held even while its holder does not run', async () => {
    const child = await holdElsewhere();
    child.kill('SIGSTOP');
    await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError);
    child.kill('SIGKILL');
    await once(child, 'close');
  });

  test('is held for a process that is too busy to see the holder in time', async () => {
    const child = await holdElsewhere();
    let work: NodeJS.Immediate;
    const beBusy = () => {
      for (const start = performance.now(); performance.now() - start < 600; );
      work = setImmediate(beBusy);
    };
    work = setImmediate(beBusy);
    try {
      await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError);
    } finally {
      clearImmediate(work);
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  test('is given to one of two that ask at once', async () => {
    for (let round = 0; round < 10; round++) {
      const attempts = await Promise.allSettled([lockFolder(folder), lockFolder(folder)]);
      const got = attempts.filter((one) => one.status === 'fulfilled');
      expect(got).toHaveLength(1);
      for (const { value } of got) await value.release();
    }
  });

  test('works in folders whose path is too long for a socket', async () => {
    const deep = join(folder, 'd'.repeat(120), 'e'.repeat(120));
    mkdirSync(deep, { recursive: true });
    const lock = await lockFolder(deep);
    await expect(lockFolder(deep)).rejects.toThrow(FolderLockedError);
    await lock.release();
  });
});
