// A disk that fills up under a running server, and is given room again.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';

function mountSmallDisk(path: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a full disk: writes fail with a Status that says so, reads go on, and all recovers', async (context) => {
  const disk = mkdtempSync(join(tmpdir(), 'keelson-full-'));
  if (!mountSmallDisk(disk)) return context.skip('needs the right to mount a small disk');
  try {
    await using server = await createServer({ store: 'embedded', dataDir: disk, controllers: [] });
    const api = apiOf(server);
    let made = 0;
    let answer = await api.post(configMaps, configMap('a-0', { text: 'x'.repeat(50_000) }));
    while (answer.status === 201) {
      made++;
      answer = await api.post(configMaps, configMap(`a-${made}`, { text: 'x'.repeat(50_000) }));
    }
    expect(answer).toMatchObject({ status: 503, body: { kind: 'Status', reason: 'ServiceUnavailable' } });
    expect(answer.body.message).toContain('the disk is full');
    expect((await api.get(configMaps)).body.items).toHaveLength(made);
    expect((await api.get('/readyz')).status).toBe(200);
    execFileSync('mount', ['-o', 'remount,size=16m', disk]);
    expect((await api.post(configMaps, configMap('again', { text: 'x'.repeat(50_000) }))).status).toBe(201);
  } finally {
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
});
