// Watches whose clients do not read, next to writes of large objects: they share the bytes of an event, and a write
// costs about as much as without them.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectLess, processorMs } from '../../src/testing/processor-time.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { Attacker } from './attacker.ts';
import { credentialsOf } from './credentials.ts';

let folder: TempFolder;
let server: Server;
let api: Api;
beforeAll(async () => {
  folder = new TempFolder();
  writeFileSync(join(folder.path, 'tokens'), 'token,watcher,watcher-uid,system:masters\n');
  server = await startTestServer({ tokenAuthFile: join(folder.path, 'tokens') });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

const mebibyte = 1024 * 1024;
const text = 'x'.repeat(900_000);
let written = 0;

async function write(): Promise<void> {
  const { status } = await api.post(configMaps, configMap(`large-${++written}`, { text }));
  expect(status).toBe(201);
}

/** Each has its own selector that selects what is written. */
const pathOf = (index: number, revision: string) =>
  `${configMaps}?watch=1&resourceVersion=${revision}&labelSelector=absent!%3Dv${index}`;

async function revisionNow(): Promise<string> {
  const { body } = await api.get(`${configMaps}?limit=1`);
  return body.metadata.resourceVersion;
}

const processMemory = () => process.memoryUsage().rss / mebibyte;

async function openOverHttp1(path: string): Promise<TLSSocket> {
  const { ca } = credentialsOf(server.kubeconfig);
  const port = Number(new URL(server.url).port);
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(String(head)).toContain('HTTP/1.1 200');
  return socket;
}

test('300 watches with different selectors cost a write little processor time over HTTP/2', async () => {
  await write();
  const least = async () => {
    const begun = processorMs();
    await write();
    return processorMs() - begun;
  };
  const bare = Math.max(10, Math.min(await least(), await least(), await least()));
  const clients = Array.from({ length: 10 }, () => new Attacker(server, 'token'));
  try {
    const revision = await revisionNow();
    const opened = clients.flatMap((client, at) =>
      Array.from({ length: 30 }, (_, index) => client.stall(pathOf(at * 30 + index, revision))),
    );
    expect(new Set(await Promise.all(opened))).toEqual(new Set([200]));
    await write();
    await expectLess(10 * bare, least);
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
});

test('150 watches with different selectors hold no copy each over HTTP/1.1', async () => {
  const revision = await revisionNow();
  const sockets = await Promise.all(Array.from({ length: 150 }, (_, index) => openOverHttp1(pathOf(index, revision))));
  try {
    const before = processMemory();
    for (let index = 0; index < 4; index++) await write();
    // a copy of one event for each watch would be 129 MiB, one of each event 515 MiB
    expect(processMemory() - before).toBeLessThan(120);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a watch over HTTP/1.1 that is read late gets each event whole and in order', async () => {
  const socket = await openOverHttp1(pathOf(0, await revisionNow()));
  try {
    const first = written + 1;
    for (let index = 0; index < 4; index++) await write();
    let received = '';
    socket.on('data', (part: Buffer) => {
      received += part.toString('latin1');
    });
    socket.resume();
    await expect.poll(() => received.split('"type":"ADDED"').length).toBe(5);
    await expect.poll(() => received.endsWith('}}\n\r\n')).toBe(true);
    const events = withoutChunkSizes(received).trim().split('\n');
    const objects = events.map(
      (line) => (JSON.parse(line) as { object: { metadata: { name: string }; data: object } }).object,
    );
    expect(objects.map(({ metadata }) => metadata.name)).toEqual([0, 1, 2, 3].map((index) => `large-${first + index}`));
    for (const { data } of objects) expect(data).toEqual({ text });
  } finally {
    socket.destroy();
  }
});

/** The body of an answer that was sent in chunks. */
function withoutChunkSizes(received: string): string {
  let body = '';
  for (let at = 0; at < received.length; ) {
    const end = received.indexOf('\r\n', at);
    const size = Number.parseInt(received.slice(at, end), 16);
    body += received.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return body;
}

test('200 watches that begin with large objects and are not read hold no copy each', async () => {
  const clients = Array.from({ length: 10 }, () => new Attacker(server, 'token'));
  try {
    const before = processMemory();
    const opened = clients.flatMap((client, at) =>
      Array.from({ length: 20 }, (_, index) => client.stall(pathOf(at * 20 + index, '0'))),
    );
    expect(new Set(await Promise.all(opened))).toEqual(new Set([200]));
    // a copy of one object for each watch would be 171 MiB
    expect(processMemory() - before).toBeLessThan(120);
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
});
