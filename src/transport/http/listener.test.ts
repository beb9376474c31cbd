import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createIdentity } from '../../pki/identity.ts';
import { Listener } from './listener.ts';

test('of too many handshakes under way the one that takes longest is given up', async () => {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  const listener = await Listener.open({
    handler: () => ({ status: 200, headers: {}, body: 'yes' }),
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    limits: { handshakes: 2 },
    onStreamError: (error) => {
      throw error;
    },
  });
  const silent = async () => {
    const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket.resume();
  };
  const sockets: Socket[] = [await silent(), await silent()];
  try {
    const first = once(sockets[0] as Socket, 'close');
    const honest = connectTls({ port: listener.port, host: '127.0.0.1', ca });
    sockets.push(honest);
    await Promise.all([once(honest, 'secureConnect'), first]);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await listener.close(0);
  }
});

test('a connection whose client is told to make another one still gets its answer', async () => {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  const listener = await Listener.open({
    handler: () => ({ status: 200, headers: {}, body: 'yes' }),
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    goawayChance: 1,
    onStreamError: (error) => {
      throw error;
    },
  });
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca });
  try {
    const farewell = once(session, 'goaway');
    const closed = once(session, 'close');
    const stream = session.request({ ':path': '/' });
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    stream.resume();
    expect(headers[':status']).toBe(200);
    expect((await farewell)[0]).toBe(0);
    await closed;
  } finally {
    session.destroy();
    await listener.close(0);
  }
});

test('requests that have come but were not begun with are answered before the server closes', async () => {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  let closed: Promise<void> | undefined;
  const listener: Listener = await Listener.open({
    handler: () => {
      closed ??= listener.close(10_000);
      // longer than the requests of a connection may take together in one turn of the event loop
      for (const start = performance.now(); performance.now() - start < 5; );
      return { status: 200, headers: {}, body: 'yes' };
    },
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    onStreamError: (error) => {
      throw error;
    },
  });
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca });
  await once(session, 'remoteSettings');
  const answers = Array.from({ length: 40 }, async () => {
    const stream = session.request({ ':path': '/' }).resume();
    const statuses: unknown[] = [];
    stream.on('response', (headers) => statuses.push(headers[':status']));
    await once(stream, 'close');
    return statuses;
  });
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, () => [200]));
  await closed;
  session.destroy();
});
