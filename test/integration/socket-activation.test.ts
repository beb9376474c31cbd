// Sockets of systemd: the test holds a listening socket and passes it to the command, so that a restart refuses no connection.

import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectSocket, createServer as createUnixServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TempFolder } from '../interop/temp-folder.ts';
import { configMap, configMaps } from './api.ts';
import { CommandServer, type CommandSetup, type Identity } from './command-server.ts';
import { eventually } from './eventually.ts';
import { ListeningDescriptor } from './listening-descriptor.ts';

const passed = (names: readonly string[]) => ({
  LISTEN_PID: 'self',
  LISTEN_FDS: String(names.length),
  LISTEN_FDNAMES: names.join(':'),
});

interface Outcome {
  readonly status: number;
  readonly body: string;
}

/** One request on a new connection; rejects where the connection is refused or cut. */
function call(port: number, identity: Identity, method: string, path: string, body?: object): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port, ...identity, method, path, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on('error', reject);
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe.each([1, 2])('a server of %i threads that gets its socket from systemd', (threads) => {
  test('refuses no connection and cuts no request while it is restarted twice', async () => {
    using folder = new TempFolder();
    using socket = new ListeningDescriptor();
    const setup: CommandSetup = {
      folder: folder.path,
      args: [`--threads=${threads}`, '--secure-port=0'],
      env: passed(['api']),
      descriptors: [socket.fd],
    };
    await using first = await CommandServer.start(setup);
    expect(first.port).toBe(socket.port);
    const { identity } = first;
    let isOver = false;
    let calls = 0;
    const statuses = new Map<number, number>();
    const acknowledged: string[] = [];
    const client = async (at: number) => {
      for (let round = 0; !isOver; round++) {
        const name = `restart-${at}-${round}`;
        const isWrite = round % 2 === 0;
        const answer = isWrite
          ? await call(socket.port, identity, 'POST', configMaps, configMap(name))
          : await call(socket.port, identity, 'GET', `${configMaps}/restart-${at}-${round - 1}`);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 201) acknowledged.push(name);
        calls++;
      }
    };
    const clients = Promise.all(Array.from({ length: 6 }, (_, at) => client(at)));
    const more = async (count: number) => {
      const until = calls + count;
      await eventually(async () => expect(calls).toBeGreaterThan(until));
    };
    await more(20);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    await using second = await CommandServer.start(setup);
    await more(20);
    second.signal('SIGTERM');
    // clients wait for the next one meanwhile
    await using third = await second.ended.then(() => CommandServer.start(setup));
    await more(20);
    isOver = true;
    await clients;
    expect([...statuses.keys()].sort()).toEqual([200, 201]);
    const list = JSON.parse((await call(socket.port, identity, 'GET', configMaps)).body);
    const names = new Set(list.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    third.signal('SIGTERM');
    expect(await third.ended).toBe(0);
  });
});

test('several sockets of systemd: each is served, by each thread', async () => {
  using folder = new TempFolder();
  using one = new ListeningDescriptor();
  using two = new ListeningDescriptor();
  await using server = await CommandServer.start({
    folder: folder.path,
    args: ['--threads=2', '--v=1'],
    env: passed(['api', 'internal']),
    descriptors: [one.fd, two.fd],
  });
  const { identity } = server;
  for (let round = 0; round < 10; round++)
    for (const { port } of [one, two]) expect((await call(port, identity, 'GET', '/readyz')).status).toBe(200);
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('sockets that were passed to another process are not used, and a warning names both processes', async () => {
  using folder = new TempFolder();
  using socket = new ListeningDescriptor();
  await using server = await CommandServer.start({
    folder: folder.path,
    args: ['--secure-port=0'],
    env: { ...passed(['api']), LISTEN_PID: '1' },
    descriptors: [socket.fd],
  });
  expect(server.port).not.toBe(socket.port);
  expect(server.errors).toMatch(/LISTEN_PID is \\*"1\\*" and this process is \d+/);
});

describe('what is passed instead of a listening socket is refused by its number and name', () => {
  /** Exits before it is ready. */
  async function failure(setup: Omit<CommandSetup, 'folder'>): Promise<string> {
    using folder = new TempFolder();
    await using server = new CommandServer({ folder: folder.path, ...setup });
    expect(await server.ended).toBe(1);
    return server.errors;
  }

  test('a file', async () => {
    const file = openSync(import.meta.filename, 'r');
    const errors = await failure({ env: passed(['data']), descriptors: [file] });
    closeSync(file);
    expect(errors).toBe('keelson: LISTEN_FDS: descriptor 3 (data) is not a socket\n');
  });

  test('a descriptor that is not open', async () => {
    using socket = new ListeningDescriptor();
    const errors = await failure({ env: passed(['api', 'more']), descriptors: [socket.fd] });
    expect(errors).toMatch(/^keelson: LISTEN_FDS: descriptor 4 \(more\) is not (open|a socket)\n$/);
  });

  test('a connection', async () => {
    using socket = new ListeningDescriptor();
    const connection = connectSocket(socket.port, '127.0.0.1');
    await once(connection, 'connect');
    const { fd } = (connection as unknown as { _handle: { fd: number } })._handle;
    const errors = await failure({ env: passed(['api', 'client']), descriptors: [socket.fd, fd] });
    connection.destroy();
    expect(errors).toBe('keelson: descriptor 4 (client) is not a listening TCP socket\n');
  });

  test('a socket of the file system', async () => {
    using folder = new TempFolder();
    const server = createUnixServer().listen(join(folder.path, 'socket'));
    await once(server, 'listening');
    const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
    const errors = await failure({ env: passed(['local']), descriptors: [fd] });
    server.close();
    expect(errors).toBe('keelson: descriptor 3 (local) is not a listening TCP socket\n');
  });
});
