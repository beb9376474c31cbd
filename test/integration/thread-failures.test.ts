// A thread that throws, or that runs out of memory, ends alone: it is started again, each time after a longer delay, and clients on other
// threads notice nothing.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TempFolder } from '../interop/temp-folder.ts';
import { eventually } from './eventually.ts';
import { secureCall } from './secure-call.ts';
import { type Client, collection, program, type Stored, type Threads, withThreads } from './several-threads.ts';

let files: TempFolder;
/** The program of a thread that fails when it is asked to. */
let failing: URL;

beforeAll(() => {
  files = new TempFolder();
  const path = join(files.path, 'failing.cjs');
  writeFileSync(
    path,
    `const { parentPort } = require('node:worker_threads');
    const kept = [];
    parentPort.on('message', (fault) => {
      if (fault === 'exception') setImmediate(() => { throw new Error('thrown by a test'); });
      else if (fault === 'memory') for (;;) kept.push(Array.from({ length: 1000 }, (_, at) => ({ at })));
    });
    require(${JSON.stringify(fileURLToPath(program))});`,
  );
  failing = pathToFileURL(path);
});
afterAll(() => files[Symbol.dispose]());

const newest = ({ workers }: Threads) => workers.at(-1) as Worker;
const isReady = async ({ server }: Threads) => (await secureCall(server, 'GET', '/readyz')).status === 200;

/** A client on each thread writes until the end; which names were acknowledged. */
async function underLoad(threads: Threads, during: () => Promise<void>): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  let isOver = false;
  const writers = Array.from({ length: 9 }, async (_, id) => {
    let client = threads.connect();
    for (let round = 0; !isOver; round++) {
      if (client.isClosed) client = threads.connect();
      const name = `c${id}-${round}`;
      const answer = await client.call('POST', collection, { metadata: { name } }).catch(() => undefined);
      if (answer?.status === 201) acknowledged.push(name);
      // a connection that broke says nothing; every answer is a truthful one
      else if (answer !== undefined) expect([answer.status, answer.body.reason]).toEqual([500, 'InternalError']);
    }
  });
  await eventually(async () => expect(acknowledged.length).toBeGreaterThan(20));
  await during();
  isOver = true;
  await Promise.all(writers);
  return acknowledged;
}

async function storedNames(client: Client): Promise<ReadonlySet<string>> {
  const { body } = await client.call('GET', collection);
  return new Set(body.items.map(({ metadata }: Stored) => metadata.name));
}

test.each(['exception', 'memory'])('a thread that ends by %s under load loses nothing that was acknowledged', (fault) =>
  withThreads(
    3,
    async (threads) => {
      const acknowledged = await underLoad(threads, async () => {
        newest(threads).postMessage(fault);
        await eventually(async () => expect(threads.workers).toHaveLength(3));
        await eventually(async () => expect(await isReady(threads)).toBe(true));
      });
      const stored = await storedNames(threads.connect());
      expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
      const ends = threads.lines.filter(({ message }) => message === 'a serving thread ended; it is started again');
      const words = fault === 'memory' ? 'memory' : 'thrown by a test';
      expect(ends.map(({ fields }) => String(fields['err']))).toEqual([expect.stringContaining(words)]);
    },
    {},
    { program: failing, maxHeapMb: 160 },
  ),
);

test('a thread that ends again and again is started after a delay that doubles; the server is not ready meanwhile', () =>
  withThreads(
    2,
    async (threads) => {
      const ends: number[] = [];
      const starts: number[] = [];
      for (let failure = 0; failure < 3; failure++) {
        const worker = newest(threads);
        worker.once('exit', () => ends.push(performance.now()));
        worker.postMessage('exception');
        await eventually(async () => expect((await secureCall(threads.server, 'GET', '/readyz')).status).toBe(500));
        await eventually(async () => expect(threads.workers).toHaveLength(failure + 2));
        starts.push(performance.now());
        await eventually(async () => expect(await isReady(threads)).toBe(true));
      }
      const delays = starts.map((start, at) => start - (ends[at] ?? 0));
      for (const [at, delay] of delays.entries()) expect(delay).toBeGreaterThanOrEqual(490 * 2 ** at);
    },
    {},
    { program: failing },
  ));
