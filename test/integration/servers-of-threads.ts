// In runs with KEELSON_THREADS, tests get this for `src/testing/index.ts`. A server has that many threads, and every request
// with a body moves to the lane: one thread writes, and another one reads.
//
// One thread serves where a test passes what threads cannot share (functions, a log, a clock, a store), and where it has
// hands on the server's own thread: faults, the journal, snapshots, the clock.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveOptions, type ServerOptions } from '../../src/config/options.ts';
import { openTestServer, type TestServer, type TestServerOptions } from '../../src/testing/test-server.ts';

export { Client, RequestError } from '../../src/client/client.ts';
export { FakeClock } from '../../src/testing/fake-clock.ts';
export type { KindOf } from '../../src/testing/typed-client.ts';
export type { TestServer };

const program = pathToFileURL(join(import.meta.dirname, '../../dist/serving-thread.cjs'));
const threads = Number(process.env['KEELSON_THREADS']);
const folders: string[] = [];

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { listen: _listen, manifests: _manifests, settle: _settle, ...rest } = options;
  if (rest.store !== undefined || rest.log !== undefined) return openTestServer(options, {});
  const shared = { dataDir: newFolder(), ...rest, store: 'embedded', threads, largeRequestBytes: 1 } as const;
  if (!canShare(shared)) return openTestServer(options, {});
  return openTestServer({ ...options, ...shared }, { threads: { program } });
}

function canShare(options: ServerOptions): boolean {
  return resolveOptions({ ...options, threads: 'auto' }).threads.options !== undefined;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-threads-'));
  folders.push(folder);
  return folder;
}
