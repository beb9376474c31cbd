import { once } from 'node:events';
import { connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ConnectionDoor, takeConnections } from './connection-door.ts';

const open: (Server | Socket | ConnectionDoor)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.close();
});

/** A server that gives all of its connections away, and the address of it. */
async function passAll(door: ConnectionDoor) {
  const server = createServer({ pauseOnConnect: true }, (socket) => door.give(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server, door);
  return () => {
    const client = connect((server.address() as { port: number }).port, '127.0.0.1');
    client.on('error', () => {});
    open.push(client);
    return client;
  };
}

async function answer(client: Socket, text: string): Promise<string> {
  client.write(text);
  return String((await once(client, 'data'))[0]);
}

test.skipIf(process.platform === 'win32')(
  'connections get to the other end one after the other, with what their clients have sent already',
  async () => {
    const door = await ConnectionDoor.open();
    const client = await passAll(door);
    // before the thread is there
    const early = Array.from({ length: 5 }, client);
    const answers = early.map((one, at) => answer(one, `early ${at}`));
    await expect.poll(() => door.connections).toBe(5);
    let taken = 0;
    await takeConnections(door.path, (handle) => {
      const socket = new Socket({ handle, readable: true, writable: true } as object);
      open.push(socket);
      socket.on('data', (data) => socket.write(`got ${data}`));
      taken++;
      door.taken();
    });
    expect(await Promise.all(answers)).toEqual(early.map((_, at) => `got early ${at}`));
    await door.emptied();
    expect(taken).toBe(5);
    expect(await answer(client(), 'late')).toBe('got late');
    expect(door.connections).toBe(6);
  },
);

test('connections that the thread did not get are cut when it ends', async () => {
  const door = await ConnectionDoor.open();
  const client = await passAll(door);
  const lost = client();
  await expect.poll(() => door.connections).toBe(1);
  const emptied = door.emptied();
  door.close();
  await emptied;
  if (!lost.destroyed) await once(lost, 'close');
  expect(lost.destroyed).toBe(true);
});
