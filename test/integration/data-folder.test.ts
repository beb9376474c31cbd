// Who may look into a data folder: its owner. The umask does not decide that, and neither does who made the folder.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function made(name: string, mode: number): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

/** Starts the command under a umask, and stops it as soon as it is ready. */
async function serveOnce(dataDir: string, umask: string): Promise<string> {
  const words = [
    '-c',
    `umask ${umask}; exec "$0" "$@"`,
    process.execPath,
    bin,
    '--data-dir',
    dataDir,
    '--secure-port=0',
  ];
  const child = spawn('sh', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.on('data', (part: Buffer) => {
    errors += String(part);
  });
  child.stdout.on('data', (part: Buffer) => {
    if (String(part).includes('get namespaces')) child.kill('SIGTERM');
  });
  expect(await closed).toEqual([0, null]);
  return errors;
}

describe.skipIf(process.platform === 'win32')('a data folder', () => {
  test.each(['000', '022', '077'])('is closed to others, and so are its secrets, under the umask %s', async (umask) => {
    const dataDir = join(folder, 'deep', 'data');
    await serveOnce(dataDir, umask);
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => join(dataDir, name));
    const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0;
    expect(files.filter((path) => isOpen(path) && !path.endsWith('.crt'))).toEqual([]);
    expect(modeOf(dataDir)).toBe('700');
    for (const name of ['store/data.mdb', 'store/lock.mdb', 'kubeconfig', 'pki/ca.key', 'pki/admin.key'])
      expect({ name, mode: modeOf(join(dataDir, name)) }).toEqual({ name, mode: '600' });
  });

  test.each([0o770, 0o707, 0o720, 0o777])('that others may write to (%o) is refused in one line', (mode) => {
    const dataDir = made('data', mode);
    for (const args of [['serve'], ['snapshot', 'restore', join(folder, 'none')]]) {
      const { status, stderr } = spawnSync(process.execPath, [bin, ...args, '--data-dir', dataDir], {
        timeout: 20_000,
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^keelson: others may write to the data folder [^\n]*\n$/);
    }
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test.each(['store', 'pki'])('whose %s others may write to is refused', async (part) => {
    const dataDir = made('data', 0o700);
    made(`data/${part}`, 0o770);
    await expect(createServer({ store: 'embedded', dataDir })).rejects.toThrow('others may write to the data folder');
  });

  test('that others may read is closed, with a warning', async () => {
    const dataDir = made('data', 0o755);
    const warnings: string[] = [];
    const log = { info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) };
    await (await createServer({ store: 'embedded', dataDir, log })).close();
    expect(warnings).toEqual([expect.stringContaining(`others could read the data folder ${dataDir} (mode 755)`)]);
    expect(modeOf(dataDir)).toBe('700');
  });

  test('from before is closed file by file', async () => {
    const dataDir = join(folder, 'data');
    await using first = await createServer({ store: 'embedded', dataDir });
    await first.listen();
    await first.close();
    const secrets = ['store/data.mdb', 'store/lock.mdb', 'kubeconfig', 'pki/ca.key'];
    for (const name of secrets) chmodSync(join(dataDir, name), 0o644);
    await (await createServer({ store: 'embedded', dataDir })).close();
    expect(secrets.map((name) => modeOf(join(dataDir, name)))).toEqual(secrets.map(() => '600'));
  });
});
