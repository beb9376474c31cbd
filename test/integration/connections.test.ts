// Connections that are of no use are closed, and one client's connections leave room for others.

import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { frame, greeting } from '../../src/testing/http2-bytes.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { expectLess, unhinderedMs } from '../../src/testing/processor-time.ts';
import { configMap, configMaps } from './api.ts';
import { eventually, turns } from './eventually.ts';
import { frameTypes, get, RawConnection, reset } from './raw-http2.ts';
import { secureCall } from './secure-call.ts';

const seconds = 1000;
const farewells = { none: 0, calm: 11 } as const;

const closed = (connection: RawConnection) => eventually(async () => expect(connection.isClosed).toBe(true));
const answered = (connection: RawConnection) =>
  eventually(async () => expect(connection.has(frameTypes.headers)).toBe(true));

async function stillOpen(connection: RawConnection): Promise<void> {
  await turns();
  expect([connection.isClosed, connection.farewell]).toEqual([false, undefined]);
}

describe('a connection of HTTP/2', () => {
  const clock = new FakeClock(Date.now());
  const begin = () => startTestServer({ clock });

  test('without a preface is closed', async () => {
    await using server = await begin();
    using connection = await RawConnection.open(server);
    // the server is done with the handshake a moment after the client
    await turns();
    clock.advance(9 * seconds);
    await turns();
    expect(connection.isClosed).toBe(false);
    clock.advance(2 * seconds);
    clock.advance(6 * seconds);
    await closed(connection);
  });

  test('without a request is told and closed, whatever else is sent', async () => {
    await using server = await begin();
    using connection = await RawConnection.open(server);
    connection.send(greeting);
    await eventually(async () => expect(connection.has(frameTypes.settings)).toBe(true));
    await turns();
    for (let at = 0; at < 80; at += 20) {
      clock.advance(20 * seconds);
      connection.send(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
      await stillOpen(connection);
    }
    clock.advance(11 * seconds);
    await eventually(async () => expect(connection.farewell).toBe(farewells.none));
    clock.advance(6 * seconds);
    await closed(connection);
  });

  test('is kept open by a watch, and closed some time after the last request', async () => {
    await using server = await begin();
    using watching = await RawConnection.open(server);
    using asking = await RawConnection.open(server);
    watching.send(greeting, get(1, `${configMaps}?watch=true&timeoutSeconds=3000`));
    asking.send(greeting, get(1, '/livez'));
    await Promise.all([answered(watching), answered(asking)]);
    await turns();
    clock.advance(80 * seconds);
    asking.send(get(3, '/livez'));
    await eventually(async () =>
      expect(asking.frames.filter(({ type }) => type === frameTypes.headers)).toHaveLength(2),
    );
    await turns();
    clock.advance(80 * seconds);
    await stillOpen(asking);
    clock.advance(11 * seconds);
    await eventually(async () => expect(asking.farewell).toBe(farewells.none));
    for (let minute = 0; minute < 10; minute++) clock.advance(60 * seconds);
    await closed(asking);
    await stillOpen(watching);
  });

  test('is closed after the farewell of its client, though that stays', async () => {
    await using server = await begin();
    using connection = await RawConnection.open(server);
    connection.send(greeting, get(1, '/livez'));
    await answered(connection);
    connection.send(frame(frameTypes.goaway, 0, 0, Buffer.alloc(8)));
    await turns();
    clock.advance(6 * seconds);
    await closed(connection);
  });

  test('is not kept open by a body that never comes', async () => {
    await using server = await begin();
    using connection = await RawConnection.open(server);
    // no resource has this path: the answer does not wait for the body
    connection.send(greeting, get(1, '/nothing/here', { isWhole: false }));
    await answered(connection);
    await turns();
    for (let i = 0; i < 3; i++) {
      clock.advance(33 * seconds);
      await turns();
    }
    clock.advance(91 * seconds);
    clock.advance(6 * seconds);
    await closed(connection);
  });

  test('has a limited number of streams', async () => {
    await using server = await startTestServer({ http2MaxStreamsPerConnection: 3 });
    using connection = await RawConnection.open(server);
    connection.send(greeting, ...[1, 3, 5, 7].map((id) => get(id, `${configMaps}?watch=true`)));
    await eventually(async () => expect(connection.has(frameTypes.reset)).toBe(true));
    const refused = connection.frames.filter(({ type }) => type === frameTypes.reset);
    expect(refused.map(({ stream }) => stream)).toEqual([7]);
  });
});

describe('a connection of HTTP/1.1', () => {
  const clock = new FakeClock(Date.now());

  test('without a request is closed', async () => {
    await using server = await startTestServer({ clock });
    using silent = await RawConnection.open(server, 'http/1.1');
    using slow = await RawConnection.open(server, 'http/1.1');
    slow.send('GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow');
    await turns();
    clock.advance(31 * seconds);
    await turns();
    expect([silent.isClosed, slow.isClosed]).toEqual([false, false]);
    clock.advance(2 * seconds);
    await Promise.all([closed(silent), closed(slow)]);
  });

  test('is closed some time after its last request, and kept open by a watch', async () => {
    await using server = await startTestServer({ clock });
    using asking = await RawConnection.open(server, 'http/1.1');
    using watching = await RawConnection.open(server, 'http/1.1');
    asking.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    watching.send(`GET ${configMaps}?watch=true&timeoutSeconds=3000 HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (const one of [asking, watching]) await eventually(async () => expect(one.text).toContain('200 OK'));
    await turns();
    clock.advance(89 * seconds);
    await turns();
    expect(asking.isClosed).toBe(false);
    for (let minute = 0; minute < 10; minute++) clock.advance(60 * seconds);
    await closed(asking);
    await turns();
    expect(watching.isClosed).toBe(false);
  });
});

describe('connections', () => {
  test('whose handshake takes too long are closed', async () => {
    const clock = new FakeClock(Date.now());
    await using server = await startTestServer({ clock });
    const socket = connectTcp(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const end = once(socket.resume(), 'close');
    // the server hears of a connection a moment after the client
    await eventually(async () => {
      clock.advance(33 * seconds);
      expect(socket.destroyed || socket.readableEnded).toBe(true);
    });
    await end;
  });

  test('beyond the limit are closed at once, and the others go on', async () => {
    await using server = await startTestServer({ maxConnections: 3 });
    const open = await Promise.all([1, 2, 3].map(() => RawConnection.open(server)));
    try {
      await expect(RawConnection.open(server)).rejects.toThrow();
      open[0]?.send(greeting, get(1, '/livez'));
      await answered(open[0] as RawConnection);
      open[1]?.socket.destroy();
      await eventually(() => secureCall(server, 'GET', '/livez'));
    } finally {
      for (const one of open) one.socket.destroy();
    }
  });
});

/** How long others wait for an answer while something goes on. */
async function longestWait(server: Server, during: () => Promise<void>): Promise<number> {
  using other = await RawConnection.open(server);
  other.send(greeting);
  let id = 1;
  let longest = 0;
  let isOver = false;
  const headers = () => other.frames.filter(({ type }) => type === frameTypes.headers).length;
  const probing = (async () => {
    while (!isOver) {
      const [start, before] = [unhinderedMs(), headers()];
      other.send(get(id, '/livez'));
      id += 2;
      while (headers() === before) await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, unhinderedMs() - start);
    }
  })();
  await during();
  isOver = true;
  await probing;
  return longest;
}

describe('requests that are taken back', () => {
  const ids = Array.from({ length: 5000 }, (_, i) => 2 * i + 1);
  const path = '/api/v1/configmaps';

  async function filled(clock: FakeClock): Promise<Server> {
    const server = await startTestServer({ clock });
    const create = (i: number) =>
      server.fetch(configMaps, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(configMap(`c-${i}`, { a: 'x'.repeat(1000) })),
      });
    await Promise.all(Array.from({ length: 500 }, (_, i) => create(i)));
    return server;
  }

  test.each([
    ['at once', ids.map((id) => [get(id, path), reset(id)])],
    ['at once, as if nothing was wrong', ids.map((id) => [get(id, path), reset(id, 0)])],
    [
      'a hundred at a time',
      ids
        .flatMap((_, i) => (i % 100 === 0 ? [ids.slice(i, i + 100)] : []))
        .map((some) => [...some.map((id) => get(id, path)), ...some.map((id) => reset(id))]),
    ],
  ])('%s again and again keep others waiting for a moment only', async (_, parts) => {
    const bytes = Buffer.concat(parts.flat());
    const clock = new FakeClock(Date.now());
    await using server = await filled(clock);
    const attack = async (attacker: RawConnection) => {
      attacker.send(greeting, bytes);
      // the server slows it down before it ends it
      await eventually(async () => {
        clock.advance(100);
        expect(attacker.isClosed).toBe(true);
      });
    };
    await expectLess(150, async () => {
      using connection = await RawConnection.open(server);
      const longest = await longestWait(server, () => attack(connection));
      expect(connection.farewell).toBe(farewells.calm);
      return longest;
    });
  });

  test('more often than is believable slow the connection down, and end it where that goes on', async () => {
    const clock = new FakeClock(Date.now());
    await using server = await startTestServer({ clock });
    using connection = await RawConnection.open(server);
    connection.send(greeting);
    const start = clock.now();
    for (let at = 0; at < ids.length && !connection.isClosed; at += 100) {
      connection.send(...ids.slice(at, at + 100).flatMap((id) => [get(id, path), reset(id)]));
      for (let step = 0; step < 10; step++) {
        clock.advance(50);
        await turns();
      }
    }
    await closed(connection);
    expect(connection.farewell).toBe(farewells.calm);
    expect(clock.now() - start).toBeGreaterThan(9 * seconds);
  });

  test('now and then do no harm', async () => {
    await using server = await startTestServer();
    using connection = await RawConnection.open(server);
    connection.send(greeting, ...ids.slice(0, 100).flatMap((id) => [get(id, path), reset(id)]));
    connection.send(get(2001, '/livez'));
    await answered(connection);
    await stillOpen(connection);
  });
});
