// Acknowledged means on disk: kill -9 in the middle of a thousand creates, restart, look for every one. And again and
// again under load, with watchers: `npm run test:crash` does the same for longer.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { crashTest } from '../crash/run.ts';
import { etcdHint, hasEtcd } from '../etcd-process.ts';
import { configMap, configMaps } from './api.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const running: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(folder: string): Promise<{ child: ChildProcess; session: ClientHttp2Session }> {
  const child = spawn(
    process.execPath,
    [bin, '--data-dir', folder, '--secure-port', '0', '--controllers=-root-ca-cert-publisher'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  running.push(child);
  let output = '';
  // one listener all the time: parts that come close together must not fall between two
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (part: Buffer) => {
      output += String(part);
      if (output.includes('get namespaces')) resolve();
    });
  });
  const url = /https:\/\/\S+/.exec(output)?.[0] as string;
  const pki = (file: string) => readFileSync(join(folder, 'pki', file));
  const session = connect(url, { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') });
  session.on('error', () => {});
  return { child, session };
}

/** The status and body of an answer; undefined when the connection broke first. */
function call(
  session: ClientHttp2Session,
  path: string,
  body?: object,
): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    if (session.destroyed) return resolve(undefined);
    const headers = { ':path': path, ':method': body ? 'POST' : 'GET', 'content-type': 'application/json' };
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (found) => {
      status = Number(found[':status']);
    });
    stream.on('data', (part: string) => {
      text += part;
    });
    let ended = false;
    stream.on('end', () => {
      ended = true;
    });
    stream.on('error', () => {});
    stream.on('close', () =>
      resolve(ended && status !== 0 && stream.rstCode === 0 ? { status, body: text } : undefined),
    );
    if (body) stream.end(JSON.stringify(body));
  });
}

interface Listed {
  readonly items: { readonly metadata: { readonly name: string; readonly resourceVersion: string } }[];
}

describe('kill -9', () => {
  test('in the middle of 1,000 creates loses nothing that was acknowledged, and shows nothing half-written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-crash-'));
    folders.push(folder);
    const first = await start(folder);
    // listened for from the start: it may be over before the writers have noticed
    const killed = once(first.child, 'close');
    const acknowledged = new Map<string, string>();
    let next = 0;
    const writer = async () => {
      while (next < 1000 && !first.session.destroyed) {
        const name = `crash-${next++}`;
        const answer = await call(first.session, configMaps, configMap(name, { value: name.repeat(50) }));
        if (answer?.status !== 201) continue;
        acknowledged.set(name, (JSON.parse(answer.body) as Listed['items'][number]).metadata.resourceVersion);
        if (acknowledged.size === 400) first.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 16 }, writer));
    await killed;
    expect(acknowledged.size).toBeGreaterThanOrEqual(400);
    expect(acknowledged.size).toBeLessThan(1000);

    const second = await start(folder);
    const listed = JSON.parse((await call(second.session, configMaps))?.body ?? '') as Listed & {
      metadata: { resourceVersion: string };
    };
    const found = new Map(listed.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    expect([...acknowledged].filter(([name, version]) => found.get(name) !== version)).toEqual([]);
    for (const item of listed.items as unknown as { metadata: { name: string }; data: { value: string } }[]) {
      expect(item.data.value).toBe(item.metadata.name.repeat(50));
    }
    const newest = Math.max(...[...acknowledged.values()].map(Number));
    expect(Number(listed.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
    const more = await call(second.session, configMaps, configMap('after-crash'));
    expect(Number((JSON.parse(more?.body ?? '') as Listed['items'][number]).metadata.resourceVersion)).toBeGreaterThan(
      newest,
    );
    second.session.destroy();
    second.child.kill('SIGTERM');
    await once(second.child, 'close');
  });
});

const seconds = Number(process.env['KEELSON_CRASH_SECONDS'] ?? '4');
const stores = (process.env['KEELSON_CRASH_STORES'] ?? 'embedded,etcd').split(',');

describe('kill -9 again and again, under load', () => {
  const cases = (['embedded', 'etcd'] as const).flatMap((store) => [1, 3].map((threads) => ({ store, threads })));
  for (const { store, threads } of cases) {
    const skipped = !stores.includes(store) || (store === 'etcd' && !hasEtcd);
    test.skipIf(skipped)(
      `loses nothing, goes nowhere back, and sends watches every event once: ${store === 'etcd' ? etcdHint : store}, threads: ${threads}`,
      { timeout: 120_000 + seconds * 2000 },
      async () => {
        const report = await crashTest({ store, threads, durationMs: seconds * 1000 });
        if (seconds > 10)
          process.stdout.write(`${store}: ${JSON.stringify({ ...report, problems: report.problems.length })}\n`);
        expect(report.problems).toEqual([]);
        expect(report.crashes).toBeGreaterThanOrEqual(2);
        expect(report.acknowledged).toBeGreaterThan(20);
        expect(report.events).toBeGreaterThanOrEqual(report.acknowledged);
      },
    );
  }
});
