import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { get } from 'node:https';
import { connect, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import type { Handler } from '../../meta/exchange.ts';
import { ApiError } from '../../meta/status.ts';
import { createIdentity } from '../../pki/identity.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { field, frame, greeting } from '../../testing/http2-bytes.ts';
import { expectShortTurns } from '../../testing/processor-time.ts';
import { get as getRequest, RawClient } from '../../testing/raw-http2-client.ts';
import type { ConnectionLimits } from './connection-limits.ts';
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

test('a connection with GOAWAY still gets its answer', async () => {
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

test('a warning keeps its bytes next to a text', async () => {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  const listener = await Listener.open({
    handler: () => ({ status: 200, headers: { warning: ['299 - "caf\u00c3\u00a9"'] }, body: 'yes, caf\u00e9' }),
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    onStreamError: (error) => {
      throw error;
    },
  });
  try {
    const sent = get({ host: '127.0.0.1', port: listener.port, ca, agent: false });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.headers['warning']).toBe('299 - "caf\u00c3\u00a9"');
    expect(await answer.setEncoding('utf8').toArray()).toEqual(['yes, caf\u00e9']);
  } finally {
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

describe('a client whose connection is open but silent when the server closes', () => {
  /** Accepted by the server, and not secured. */
  async function acceptedBy(listener: Listener): Promise<Socket> {
    const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
    await Promise.all([once(socket, 'connect'), once(listener.servers[0] as Server, 'connection')]);
    return socket;
  }

  async function open() {
    const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
    const listener = await Listener.open({
      handler: () => ({ status: 200, headers: {}, body: 'yes' }),
      clock: systemClock,
      identity: { ...serving, named: [], clientCa: [ca] },
      ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
      onStreamError: (error) => {
        throw error;
      },
    });
    return { ca, listener };
  }

  test('is answered over HTTP/1.1, and its connection ends', async () => {
    const { ca, listener } = await open();
    const socket = await acceptedBy(listener);
    const closed = listener.close(10_000);
    const secured = connectTls({ socket, ca, host: '127.0.0.1' });
    secured.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const text = (await secured.setEncoding('utf8').toArray()).join('');
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n(.*\r\n)*connection: close\r\n(.*\r\n)*\r\nyes$/i);
    await closed;
  });

  test('is answered over HTTP/2, and receives GOAWAY', async () => {
    const { ca, listener } = await open();
    const socket = await acceptedBy(listener);
    const closed = listener.close(10_000);
    const createConnection = () => connectTls({ socket, ca, host: '127.0.0.1', ALPNProtocols: ['h2'] });
    const session = connectHttp2('https://127.0.0.1', { createConnection });
    const farewell = once(session, 'goaway');
    const stream = session.request({ ':path': '/' }).resume();
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    expect(headers[':status']).toBe(200);
    expect((await farewell)[0]).toBe(0);
    await closed;
    session.destroy();
  });

  test('is not waited for when it stays silent', async () => {
    const { listener } = await open();
    const socket = await acceptedBy(listener);
    const cut = once(socket.resume(), 'close');
    await listener.close(10_000);
    await cut;
  });
});

test.each(['own', 'node'] as const)(
  '%s HTTP/2: an answer with connection: close ends the connection by GOAWAY',
  async (http2) => {
    const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
    const listener = await Listener.open({
      handler: () => ({ status: 429, headers: { connection: 'close' }, body: 'later' }),
      clock: systemClock,
      identity: { ...serving, named: [], clientCa: [ca] },
      ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0, http2 },
      onStreamError: (error) => {
        throw error;
      },
    });
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca });
    const [farewell, closed] = [once(session, 'goaway'), once(session, 'close')];
    const stream = session.request({ ':path': '/' });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect([headers[':status'], headers['connection']]).toEqual([429, undefined]);
    expect(await stream.setEncoding('utf8').toArray()).toEqual(['later']);
    expect((await farewell)[0]).toBe(0);
    await closed;
    await listener.close(0);
  },
);

test('of clients without credentials the one that holds most memory is ended, and those with credentials never', async () => {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  const listener = await Listener.open({
    handler: (request) => {
      if (request.header('authorization') !== undefined) request.markAuthenticated?.();
      return { status: 200, headers: {}, body: 'yes' };
    },
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    limits: { strangerBytes: 150_000 },
    onStreamError: (error) => {
      throw error;
    },
  });
  const open = async () => {
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] });
    await once(socket, 'secureConnect');
    const client = new RawClient(socket);
    client.send(greeting);
    return client;
  };
  const clients = await Promise.all([open(), open(), open(), open()]);
  const [known, honest, large, larger] = clients as [RawClient, RawClient, RawClient, RawClient];
  const hold = (client: RawClient, frames: number) =>
    client.send(
      frame(1, 0, 3, getRequest),
      ...Array.from({ length: frames }, () => frame(9, 0, 3, Buffer.alloc(15_000))),
    );
  try {
    known.send(frame(1, 5, 1, getRequest + field('authorization', 'x')));
    await known.until(() => known.isEnded(1));
    hold(known, 6);
    hold(large, 3);
    hold(larger, 5);
    await larger.closed();
    honest.send(frame(1, 5, 1, getRequest));
    await honest.until(() => honest.isEnded(1));
    expect([larger.code(0), known.code(0), honest.code(0), large.code(0)]).toEqual([
      11,
      undefined,
      undefined,
      undefined,
    ]);
  } finally {
    for (const { socket } of clients) socket.destroy();
    await listener.close(0);
  }
});

test.each(['h2', 'http/1.1'])('a client of TLS 1.2 cannot ask for another handshake over %s', async (protocol) => {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  const listener = await Listener.open({
    handler: () => ({ status: 200, headers: {}, body: 'yes' }),
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    onStreamError: (error) => {
      throw error;
    },
  });
  const limits = { maxVersion: 'TLSv1.2', ALPNProtocols: [protocol] } as const;
  const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca, ...limits });
  try {
    await once(socket, 'secureConnect');
    const outcome = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.on('close', () => resolve(new Error('closed')));
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
    });
    expect(String(outcome)).toMatch(/no.renegotiation/i);
  } finally {
    socket.destroy();
    await listener.close(0);
  }
});

describe('over HTTP/1.1', () => {
  async function openListener(
    handler: Handler,
    { clock = systemClock, limits = {} }: { clock?: Clock; limits?: Partial<ConnectionLimits> } = {},
  ): Promise<{ listener: Listener; ca: string }> {
    const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
    const listener = await Listener.open({
      ...{ handler, clock, limits },
      identity: { ...serving, named: [], clientCa: [ca] },
      ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
      onStreamError: (error) => {
        throw error;
      },
    });
    return { listener, ca };
  }

  async function openClient({ listener, ca }: { listener: Listener; ca: string }) {
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca }).on('error', () => undefined);
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    await once(socket, 'secureConnect');
    return { socket, statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)) };
  }

  const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  test('requests that are sent ahead are served one after the other', async () => {
    let underWay = 0;
    let most = 0;
    const paths: string[] = [];
    const opened = await openListener(async ({ path }) => {
      most = Math.max(most, ++underWay);
      paths.push(path);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return { status: 200, headers: {}, body: path };
    });
    const { socket, statuses } = await openClient(opened);
    try {
      const sentPaths = Array.from({ length: 200 }, (_, i) => `/${i}`);
      socket.write(sentPaths.map(line).join(''));
      await vi.waitFor(() => expect(statuses()).toHaveLength(200), { timeout: 20_000 });
      expect(most).toBe(1);
      expect(paths).toEqual(sentPaths);
      socket.write(line('/again'));
      await vi.waitFor(() => expect(statuses()).toHaveLength(201), { timeout: 20_000 });
    } finally {
      socket.destroy();
      await opened.listener.close(0);
    }
  });

  test('an answer that is never read is given up, by its bytes with all others and after a minute', async () => {
    const clock = new FakeClock();
    const answer = () => ({ status: 200, headers: {}, body: Buffer.alloc(20_000_000) });
    const opened = await openListener(answer, { clock, limits: { unreadBytes: 30_000_000 } });
    const [first, second] = [await openClient(opened), await openClient(opened)];
    const closed = [first, second].map(({ socket }) => {
      socket.pause();
      return new Promise((resolve) => socket.once('close', resolve));
    });
    try {
      first.socket.write(line('/'));
      // whose answer begins has made it
      first.socket.once('readable', () => second.socket.write(line('/')));
      second.socket.once('readable', () => first.socket.resume());
      await closed[0];
      expect(second.socket.destroyed).toBe(false);
      clock.advance(60_001);
      second.socket.resume();
      await closed[1];
    } finally {
      for (const { socket } of [first, second]) socket.destroy();
      await opened.listener.close(0);
    }
  });

  test('the server stops reading a watch whose client sends pings and does not read the answers', async () => {
    const watch = { status: 101, headers: {}, upgrade: 'websocket' as const, body: () => new Promise<void>(() => {}) };
    const opened = await openListener(() => watch);
    const { socket } = await openClient(opened);
    try {
      const upgradeHeaders = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${upgradeHeaders}Sec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`);
      await once(socket, 'data');
      socket.pause();
      const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]);
      const pings = Buffer.concat(Array.from({ length: 500 }, () => ping));
      const isTaken = () =>
        new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(false), 1000);
          socket.write(pings, () => {
            clearTimeout(timer);
            resolve(true);
          });
        });
      let taken = 0;
      while (taken < 60_000_000 && (await isTaken())) taken += pings.length;
      expect(taken).toBeLessThan(50_000_000);
    } finally {
      socket.destroy();
      await opened.listener.close(0);
    }
  });

  test('those that wait do not hold up the end of the server, and are not begun with behind the last answer', async () => {
    const paths: string[] = [];
    let release = () => undefined as unknown;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const opened = await openListener(async ({ path }) => {
      paths.push(path);
      if (path === '/first') await held;
      return { status: 200, headers: {}, body: path };
    });
    const [gone, staying] = [await openClient(opened), await openClient(opened)];
    gone.socket.write(line('/first') + line('/lost'));
    staying.socket.write(line('/first') + line('/second') + line('/third'));
    await vi.waitFor(() => expect(paths).toHaveLength(2));
    gone.socket.destroy();
    const closed = opened.listener.close(1_000_000);
    release();
    await closed;
    expect(paths).toEqual(['/first', '/first']);
    expect(staying.statuses()).toEqual([200]);
  });

  test('a client that sends thousands of requests ahead is cut off, while others are served', async () => {
    const opened = await openListener(() => new Promise(() => undefined));
    try {
      await expectShortTurns(150, async () => {
        const { socket } = await openClient(opened);
        const isClosed = new Promise((resolve) => socket.once('close', resolve));
        socket.write(line('/').repeat(5000));
        await isClosed;
      });
    } finally {
      await opened.listener.close(0);
    }
  });

  test('a body in tiny pieces is cut off, while others are served', async () => {
    let outcome: unknown;
    const opened = await openListener(async (request) => {
      outcome = await request.readBody(3 * 1024 * 1024).catch((error: unknown) => error);
      return { status: 400, headers: {} };
    });
    const crumbs = Buffer.from('1\r\nx\r\n'.repeat(300_000));
    const post = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    try {
      await expectShortTurns(150, async () => {
        const { socket } = await openClient(opened);
        const isClosed = new Promise((resolve) => socket.once('close', resolve));
        socket.write(post);
        socket.write(crumbs);
        await isClosed;
      });
      expect(outcome).toBeInstanceOf(ApiError);
      const { socket, statuses } = await openClient(opened);
      socket.write(`${post}${'20\r\n0123456789abcdef0123456789abcdef\r\n'.repeat(10_000)}0\r\n\r\n`);
      await vi.waitFor(() => expect(statuses()).toEqual([400]), { timeout: 20_000 });
      expect(outcome).toHaveLength(320_000);
      socket.destroy();
    } finally {
      await opened.listener.close(0);
    }
  });
});
