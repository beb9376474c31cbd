// Clients that keep the server busy, hold what it has, or do not read what they asked for: each is bounded.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApiRequest, Sink } from '../../meta/exchange.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { field, frame, greeting } from '../../testing/http2-bytes.ts';
import { get, post, type RawClient, TestListener } from '../../testing/raw-http2-client.ts';
import { testedHttp2 } from '../../testing/tested-http2.ts';

const calm = 11;
let listener: TestListener;

beforeAll(async () => {
  listener = await new TestListener().listen();
});
afterAll(() => listener.close());

const word = (value: number) => String.fromCharCode(...[24, 16, 8, 0].map((bits) => (value >>> bits) & 255));
const initialWindow = (bytes: number) => frame(4, 0, 0, `\0\x04${word(bytes)}`);
const requestFrame = (stream: number, block = get, flags = 5) => frame(1, flags, stream, block);
const many = (count: number, make: (at: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, at) => make(at)));
const hang = () => new Promise<never>(() => {});

async function greeted(...first: readonly Buffer[]): Promise<RawClient> {
  const client = await listener.open();
  client.send(greeting, ...first);
  await client.until(() => client.of(0, 4).length >= 2);
  // its windows hold from here on
  client.send(frame(4, 1, 0));
  return client;
}

describe('frames that bring nothing end the connection when there are too many', () => {
  test.each<[string, (at: number) => Buffer, number?]>([
    ['pings', () => frame(6, 0, 0, '12345678')],
    ['answers to pings that were not sent', () => frame(6, 1, 0, '12345678')],
    ['settings', () => frame(4, 0, 0)],
    ['acknowledged settings', () => frame(4, 1, 0)],
    ['one frame of many settings', () => frame(4, 0, 0, `\0\x04${word(5)}`.repeat(2000)), 10],
    ['windows of the connection', () => frame(8, 0, 0, word(1))],
    ['windows of a stream', () => frame(8, 0, 1, word(1))],
    ['windows of streams that are over', () => frame(8, 0, 3, word(1))],
    ['priorities', (at) => frame(2, 0, 2 * at + 1, '\0\0\0\0\0')],
    ['farewells', () => frame(7, 0, 0, word(0) + word(0))],
    ['frames of no known kind', () => frame(99, 0, 0, 'x')],
    ['data without anything in it', () => frame(0, 0, 1)],
    ['data that is all padding', () => frame(0, 8, 1, '\x03\0\0\0')],
    ['requests beyond the limit', (at) => requestFrame(2 * at + 5), 20_000],
    ['requests that make no sense', (at) => requestFrame(2 * at + 5, '\x82'), 20_000],
    ['resets of streams that are over', () => frame(3, 0, 3, word(8))],
  ])('%s', async (_, make, count = 20_000) => {
    listener.handler = (request) => (request.method === 'GET' ? hang() : { status: 200, headers: {} });
    const client = await greeted(
      requestFrame(1, post, 4),
      requestFrame(3, `${field(':method', 'PUT')}\x87\x84${field(':authority', 'x')}`),
    );
    listener.handler = hang;
    await client.until(() => client.isEnded(3));
    client.send(many(count, make));
    await client.closed();
    expect(client.code(0)).toBe(calm);
  });

  test('but not when answers are read meanwhile', async () => {
    listener.handler = () => ({ status: 200, headers: {}, body: 'x'.repeat(20_000) });
    const client = await greeted();
    for (let round = 0; round < 300; round++) {
      const id = 2 * round + 1;
      client.send(
        requestFrame(id),
        many(10, () => frame(8, 0, 0, word(5000))),
      );
      await client.until(() => client.isEnded(id));
    }
    expect(client.code(0)).toBeUndefined();
  });
});

describe('headers that are not whole', () => {
  const begun = (stream: number, block = get) => frame(1, 1, stream, block);

  test('may have 16 further frames, and no more', async () => {
    // Node's library takes 8, and ends the connection with its own code
    const [further, code] = testedHttp2() === 'node' ? [8, 2] : [16, calm];
    listener.handler = () => ({ status: 200, headers: {}, body: 'ok' });
    const client = await greeted();
    client.send(
      begun(1),
      many(further - 1, () => frame(9, 0, 1)),
      frame(9, 4, 1),
    );
    await client.until(() => client.isEnded(1));
    client.send(
      begun(3),
      many(further + 1, () => frame(9, 0, 3)),
    );
    await client.closed();
    expect(client.code(0)).toBe(code);
  });

  test('end the connection after 10 seconds, each block for itself', async () => {
    const clock = new FakeClock();
    using slow = await new TestListener({ clock }).listen();
    const client = await slow.open();
    client.send(greeting, begun(1));
    await client.until(() => client.of(0, 4).length === 2);
    clock.advance(9000);
    client.send(frame(9, 4, 1), begun(3));
    await client.until(() => client.isEnded(1));
    clock.advance(9000);
    client.send(frame(9, 4, 3), begun(5));
    await client.until(() => client.isEnded(3));
    clock.advance(10_001);
    await client.closed();
    expect(client.code(0)).toBe(calm);
  });

  test('are read first where they came while the server was busy', async () => {
    const clock = new FakeClock();
    using busy = await new TestListener({ clock }).listen();
    const client = await busy.open();
    client.send(greeting, begun(1));
    await client.until(() => client.of(0, 4).length === 2);
    // what follows has come when the server finds that the time is over
    const sent = new Promise<void>((resolve) => client.socket.write(frame(9, 4, 1), () => resolve()));
    clock.advance(10_001);
    await sent;
    await client.until(() => client.isEnded(1));
    await client.settled();
    expect(client.code(0)).toBeUndefined();
  });
});

describe('what a client does not take', () => {
  /** Writes as a list does: until it is told to wait. */
  const endless = (written: { bytes: number }, sinks: Sink[] = []) => ({
    status: 200,
    headers: {},
    body: async (sink: Sink) => {
      sinks.push(sink);
      for (; !sink.isGone && written.bytes < 50_000_000; written.bytes += 10_000)
        if (!sink.write(Buffer.alloc(10_000))) await sink.drained();
    },
  });

  test.each([
    ['a window of nothing', 0, 40_000],
    ['a window of one byte', 1, 40_000],
  ])('with %s is not made', async (_, window, most) => {
    const written = { bytes: 0 };
    listener.handler = (request) => (request.header('a') ? { status: 200, headers: {}, body: '' } : endless(written));
    const client = await greeted(initialWindow(window));
    client.send(requestFrame(1));
    await client.until(() => client.of(1, 1).length === 1);
    // what has no body needs no window
    client.send(requestFrame(3, get + field('a', 'b')));
    await client.until(() => client.isEnded(3));
    await client.settled();
    expect(written.bytes).toBeLessThan(most);
    expect(client.body(1)).toHaveLength(window);
  });

  test('holds up that stream only', async () => {
    const written = { bytes: 0 };
    listener.handler = (request) =>
      request.header('a') ? { status: 200, headers: {}, body: 'y'.repeat(100_000) } : endless(written);
    const client = await greeted(frame(8, 0, 0, word(1_000_000)));
    client.send(requestFrame(1), requestFrame(3));
    await client.until(() => client.body(1).length === 65_535 && client.body(3).length === 65_535);
    client.send(requestFrame(5, get + field('a', 'b')), frame(8, 0, 5, word(100_000)));
    await client.until(() => client.isEnded(5));
    expect([client.body(5).length, client.body(1).length]).toEqual([100_000, 65_535]);
  });

  test('because it does not read is not made', async () => {
    const written = { bytes: 0 };
    listener.handler = () => endless(written);
    const client = await greeted(initialWindow(2 ** 31 - 1), frame(8, 0, 0, word(2 ** 30)));
    client.socket.pause();
    client.send(requestFrame(1), requestFrame(3));
    let before = -1;
    // it stands still when the buffers of the system are full
    for (let still = 0; still < 10; before = written.bytes) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      still = before === written.bytes ? still + 1 : 0;
    }
    expect(written.bytes).toBeLessThan(30_000_000);
    client.socket.destroy();
  });

  test('because its window became smaller while the answer waited for its turn is sent once', async () => {
    listener.handler = () => ({ status: 200, headers: {}, body: Buffer.alloc(100_000) });
    const client = await greeted(initialWindow(100_000));
    client.send(requestFrame(1));
    await client.until(() => client.body(1).length === 65_535);
    client.send(initialWindow(0), frame(8, 0, 0, word(200_000)));
    await client.settled();
    await client.settled();
    expect(client.body(1)).toHaveLength(65_535);
    client.send(initialWindow(100_000));
    await client.until(() => client.isEnded(1));
    expect(client.body(1)).toHaveLength(100_000);
  });

  test('is given up beyond so many bytes in all, that of which nothing was taken for longest first', async () => {
    using small = await new TestListener({ unreadBytes: 500_000 }).listen();
    small.handler = () => ({ status: 200, headers: {}, body: Buffer.alloc(200_000) });
    const reader = await small.open();
    reader.send(greeting, initialWindow(0), requestFrame(1), requestFrame(3));
    await reader.until(() => reader.of(3, 1).length === 1);
    // it takes a part of the first
    reader.send(frame(8, 0, 1, word(2000)));
    await reader.until(() => reader.body(1).length === 2000);
    reader.send(requestFrame(5));
    await reader.until(() => reader.of(5, 1).length === 1);
    await reader.settled();
    expect([1, 3, 5].map((id) => reader.code(id))).toEqual([undefined, 8, undefined]);
  });

  test('is given up when nothing of it was taken for a minute, while a watch is kept', async () => {
    const clock = new FakeClock();
    using slow = await new TestListener({ clock }).listen();
    const watch = async (sink: Sink) => {
      sink.onStop(() => {});
      sink.write(Buffer.alloc(1000));
      await hang();
    };
    slow.handler = (request) => ({ status: 200, headers: {}, body: request.header('a') ? watch : Buffer.alloc(1000) });
    const client = await slow.open();
    client.send(greeting, initialWindow(0), requestFrame(1), requestFrame(3, get + field('a', 'b')));
    await client.until(() => client.of(1, 1).length + client.of(3, 1).length === 2);
    clock.advance(60_001);
    await client.until(() => client.code(1) !== undefined);
    await client.settled();
    expect([client.code(1), client.code(3)]).toEqual([8, undefined]);
  });

  test('is let go of when it resets the stream', async () => {
    const [written, sinks] = [{ bytes: 0 }, [] as Sink[]];
    listener.handler = () => endless(written, sinks);
    const client = await greeted();
    client.send(requestFrame(1));
    await client.until(() => client.body(1).length === 65_535);
    client.send(frame(3, 0, 1, word(8)));
    await client.settled();
    expect(sinks.map((sink) => sink.isGone)).toEqual([true]);
    await sinks[0]?.drained();
    expect(written.bytes).toBeLessThan(200_000);
  });
});

describe('a body that is not read', () => {
  test('is taken no further than its window', async () => {
    listener.handler = hang;
    const client = await greeted();
    client.send(
      requestFrame(1, post, 4),
      many(8, () => frame(0, 0, 1, Buffer.alloc(16_384))),
    );
    await client.settled();
    expect(client.of(1, 8)).toEqual([]);
    expect(client.code(1)).toBeUndefined();
  });

  test('does not hold up its answer, and is thrown away', async () => {
    listener.handler = () => ({ status: 200, headers: {}, body: 'early' });
    const client = await greeted();
    client.send(requestFrame(1, post, 4));
    await client.until(() => client.isEnded(1));
    for (let sent = 0; sent < 30; sent++) {
      client.send(many(4, () => frame(0, 0, 1, Buffer.alloc(16_384))));
      await client.until(() => client.of(1, 8).length > sent);
    }
    client.send(frame(0, 1, 1));
    await client.settled();
    expect([client.code(1), client.code(0)]).toEqual([undefined, undefined]);
  });

  test('piece by piece comes at the pace of its reader', async () => {
    const pieces: number[] = [];
    let goOn = () => {};
    const read = async (request: ApiRequest) => {
      for await (const { length } of request.bodyChunks?.() ?? []) {
        pieces.push(length);
        if (pieces.length === 1)
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
      }
      return { status: 200, headers: {}, body: String(pieces.reduce((a, b) => a + b, 0)) };
    };
    listener.handler = read;
    const client = await greeted();
    client.send(requestFrame(1, post, 4));
    await client.settled();
    client.send(many(8, () => frame(0, 0, 1, Buffer.alloc(16_384))));
    await client.settled();
    expect([pieces.length, client.of(1, 8).length]).toEqual([1, 0]);
    goOn();
    await client.until(() => client.of(1, 8).length > 0);
    client.send(frame(0, 1, 1, 'end'));
    await client.until(() => client.isEnded(1));
    expect(client.body(1).toString()).toBe(String(8 * 16_384 + 3));
  });
});

test('small headers that refer to a large one again and again are refused, and the connection goes on', async () => {
  listener.handler = () => ({ status: 200, headers: {}, body: 'ok' });
  const client = await greeted();
  const large = `\x40\x01a\x7f\xa1\x1e${'v'.repeat(4000)}`;
  client.send(requestFrame(1, get + large + '\xbe'.repeat(12_000)), requestFrame(3, `${get}\xbe`));
  await client.until(() => client.isEnded(3) && (client.isEnded(1) || client.code(1) !== undefined));
  if (testedHttp2() === 'node') expect(client.code(1)).toBe(calm);
  else expect(client.of(1, 1)[0]?.payload.toString('latin1')).toContain('431');
  expect(client.body(3).toString()).toBe('ok');
});

test('requests that are sent and taken back in one breath are not begun with', async () => {
  let served = 0;
  listener.handler = () => {
    served++;
    return { status: 200, headers: {}, body: 'ok' };
  };
  const client = await greeted();
  client.send(many(100, (at) => Buffer.concat([requestFrame(2 * at + 1), frame(3, 0, 2 * at + 1, word(8))])));
  client.send(requestFrame(201));
  await client.until(() => client.isEnded(201));
  expect(served).toBe(1);
});

test('1,000 requests with bodies that were sent before the limit of streams was known are refused, and the connection goes on', async () => {
  using stopped = await new TestListener({ clock: new FakeClock() }).listen();
  stopped.handler = async (request) => ({ status: 200, headers: {}, body: await request.readBody(100) });
  const client = await stopped.open();
  const ids = Array.from({ length: 1000 }, (_, at) => 2 * at + 1);
  const trailers = field('a', 'b');
  client.send(
    greeting,
    ...ids.map((id) => requestFrame(id, post, 4)),
    ...ids.map((id) => frame(0, 0, id, 'body')),
    ...ids.map((id) => frame(1, 5, id, trailers)),
  );
  await client.until(() => ids.every((id) => client.isEnded(id) || client.code(id) !== undefined));
  await client.settled();
  const answered = ids.filter((id) => client.isEnded(id));
  expect(answered).toEqual(ids.slice(0, 100));
  expect(client.body(199).toString()).toBe('body');
  expect(new Set(ids.slice(100).map((id) => client.code(id)))).toEqual(new Set([7]));
  expect(client.code(0)).toBeUndefined();
});

test('what a connection has written and its socket has not sent is unread: one that reads nothing is ended where there is no memory', {
  skip: testedHttp2() === 'node',
}, async () => {
  using small = await new TestListener({ unreadBytes: 300_000 }).listen();
  small.handler = (request) =>
    request.header('a')
      ? { status: 200, headers: {}, body: 'ok' }
      : {
          status: 200,
          headers: {},
          body: async (sink) => {
            while (!sink.isGone) if (!sink.write(Buffer.alloc(10_000))) await sink.drained();
          },
        };
  const client = await small.open();
  client.send(greeting, initialWindow(2 ** 31 - 1), frame(8, 0, 0, word(2 ** 30)));
  await client.until(() => client.of(0, 4).length >= 2);
  client.socket.pause();
  client.send(requestFrame(1));
  await vi.waitFor(() => expect(small.sessions[0]?.isClosing).toBe(true), { timeout: 10_000 });
  const other = await small.open();
  other.send(greeting, requestFrame(1, get + field('a', 'b')));
  await other.until(() => other.isEnded(1));
});

test('an error of a request that is served in a later tick ends its connection, and is logged', async () => {
  using failing = await new TestListener().listen();
  let served = 0;
  failing.handler = () => {
    served++;
    for (const start = performance.now(); performance.now() - start < 3; );
    if (served === 40) throw new Error('a bug');
    return { status: 200, headers: {}, body: 'ok' };
  };
  const client = await failing.open();
  client.send(
    greeting,
    many(60, (at) => requestFrame(2 * at + 1)),
  );
  await client.closed();
  expect(client.code(0)).toBe(2);
  expect(failing.errors.map(String)).toEqual(['Error: a bug']);
  expect(served).toBe(40);
});

test('long answers to one client share the connection', async () => {
  listener.handler = (request) => ({
    status: 200,
    headers: {},
    body: Buffer.alloc(request.header('a') ? 100 : 3_000_000),
  });
  const client = await greeted(initialWindow(2 ** 24), frame(8, 0, 0, word(2 ** 24)));
  client.send(requestFrame(1), requestFrame(3), requestFrame(5, get + field('a', 'b')));
  await client.until(() => [1, 3, 5].every((id) => client.isEnded(id)));
  const order = client.frames.filter(({ type }) => type === 0).map(({ stream }) => stream);
  expect(order.indexOf(5)).toBeLessThan(10);
  const longest =
    order
      .join('')
      .match(/1+|3+/g)
      ?.map((run) => run.length) ?? [];
  expect(Math.max(...longest)).toBeLessThan(10);
  expect([client.body(1).length, client.body(3).length]).toEqual([3_000_000, 3_000_000]);
});
