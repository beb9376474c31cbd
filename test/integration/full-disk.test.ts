// A disk that fills up under a running server, is full when a server starts, and is given room again.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

/** A disk of 8 MiB; the test is skipped where this user may not mount one. */
function smallDisk(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'keelson-full-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  onTestFinished(() => void vi.restoreAllMocks());
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    context.skip('needs the right to mount a small disk');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

const enlarge = (disk: string) => execFileSync('mount', ['-o', 'remount,size=24m', disk]);
const open = (disk: string) => createServer({ store: 'embedded', dataDir: disk, controllers: [] });
const large = { text: 'x'.repeat(50_000) };

/** Creates objects until one is refused, and then smaller ones until there is no room for anything. */
async function fill(server: Server, prefix = 'a') {
  const api = apiOf(server);
  let made = 0;
  let answer = await api.post(configMaps, configMap(`${prefix}-0`, large));
  while (answer.status === 201) answer = await api.post(configMaps, configMap(`${prefix}-${++made}`, large));
  for (let i = 0; (await api.post(configMaps, configMap(`s-${i}`))).status === 201; i++);
  return { api, made, refusal: answer };
}

describe('a full disk', () => {
  test('refuses writes with a Status that says so, serves reads, and all recovers', async (context) => {
    const disk = smallDisk(context);
    await using server = await open(disk);
    expect((await apiOf(server).get('/readyz')).status).toBe(200);
    const { api, made, refusal } = await fill(server);
    expect(refusal).toMatchObject({ status: 503, body: { kind: 'Status', reason: 'ServiceUnavailable' } });
    expect(refusal.body.message).toContain('the disk is full');
    expect((await api.get(`${configMaps}?limit=500`)).body.items.length).toBeGreaterThanOrEqual(made);
    expect((await api.get('/livez')).status).toBe(200);
    enlarge(disk);
    expect((await api.post(configMaps, configMap('again', large))).status).toBe(201);
    expect((await api.get('/readyz')).status).toBe(200);
  });

  test('harms no memory of the process, however many write at once', async (context) => {
    const disk = smallDisk(context);
    const printed = vi.spyOn(console, 'error');
    await using server = await open(disk);
    const api = apiOf(server);
    for (let round = 0; round < 2; round++) {
      const names = Array.from({ length: 170 }, (_, i) => `r-${round}-${i}`);
      const answers = await Promise.all(names.map((name) => api.post(configMaps, configMap(name, large))));
      expect(new Set(answers.map(({ status }) => status))).toContain(503);
      await Promise.all(names.map((name) => api.delete(`${configMaps}/${name}`)));
    }
    expect((await api.get(`${configMaps}?limit=1`)).status).toBe(200);
    // LMDB's binding prints each write that fails; none may be tried
    expect(printed).not.toHaveBeenCalled();
  });

  test('is named by /readyz', async (context) => {
    const disk = smallDisk(context);
    await using server = await open(disk);
    await fill(server);
    const answer = await server.fetch('/readyz');
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain('[-]disk-space failed');
    expect((await server.fetch('/readyz/disk-space')).status).toBe(500);
    expect((await server.fetch('/readyz?exclude=disk-space')).status).toBe(200);
  });

  test('takes deletes of every object there is, also of those that finalizers hold', async (context) => {
    const disk = smallDisk(context);
    await using server = await open(disk);
    const api = apiOf(server);
    await api.post(configMaps, configMap('held', {}, { finalizers: ['example.com/held'] }));
    const { made } = await fill(server);
    expect((await api.delete(`${configMaps}/held`)).status).toBe(200);
    expect((await api.get(`${configMaps}/held`)).body.metadata.deletionTimestamp).toBeDefined();
    const released = await api.patch('merge', `${configMaps}/held`, { metadata: { finalizers: null } });
    expect(released.status).toBe(200);
    for (let i = 0; i < made; i++) expect((await api.delete(`${configMaps}/a-${i}`)).status).toBe(200);
    expect((await api.delete(configMaps)).status).toBe(200);
    expect((await api.get(configMaps)).body.items).toEqual([]);
  });

  test('does not keep a server from starting, from reading and from deleting', async (context) => {
    const disk = smallDisk(context);
    const made = 3;
    {
      await using first = await open(disk);
      await first.listen();
      const early = apiOf(first);
      for (let i = 0; i < made; i++)
        expect((await early.post(configMaps, configMap(`a-${i}`, large))).status).toBe(201);
      // what others write takes the rest of the disk, and then the server what it kept ready
      execFileSync('sh', ['-c', `head -c 16777216 /dev/zero >${disk}/other 2>/dev/null || true`]);
      await fill(first, 'more');
    }
    await using server = await open(disk);
    await server.listen();
    const api = apiOf(server);
    expect(await (await server.fetch('/readyz')).text()).toContain('[-]disk-space failed');
    expect((await api.get(`${configMaps}/a-0`)).status).toBe(200);
    expect((await api.post(configMaps, configMap('later', large))).status).toBe(503);
    for (let i = 0; i < made; i++) expect((await api.delete(`${configMaps}/a-${i}`)).status).toBe(200);
    rmSync(join(disk, 'other'));
    await eventually(async () => expect((await api.post(configMaps, configMap('later', large))).status).toBe(201));
    expect((await server.fetch('/readyz')).status).toBe(200);
  });
});
