// Node's own client against our server: whatever headers and bodies are sent, they arrive, both ways, at any pace.

import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../meta/exchange.ts';
import { TestListener } from '../../testing/raw-http2-client.ts';

let listener: TestListener;
let session: ClientHttp2Session;

beforeAll(async () => {
  listener = await new TestListener().listen();
  session = connect(`http://127.0.0.1:${listener.port}`);
});
afterAll(() => {
  session.destroy();
  listener.close();
});

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function ask(headers: Record<string, string | string[]>, pieces: readonly Buffer[] = []): Promise<Reply> {
  const stream = session.request(headers, { endStream: pieces.length === 0 });
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  const answered = once(stream, 'response');
  const ended = once(stream, 'end');
  for (const piece of pieces) stream.write(piece);
  if (pieces.length > 0) stream.end();
  const [found] = (await answered) as [IncomingHttpHeaders];
  await ended;
  return { headers: found, body: Buffer.concat(parts) };
}

test('headers of any form arrive as they were sent, both ways, however often they change', async () => {
  const value = fc.string({ unit: 'grapheme-ascii', maxLength: 300 }).map((text) => text.trim());
  const headers = fc.dictionary(fc.stringMatching(/^x-[a-z0-9]{1,20}$/), value, { maxKeys: 20 });
  await fc.assert(
    fc.asyncProperty(headers, headers, async (sent, answered) => {
      let seen: ApiRequest | undefined;
      listener.handler = (request) => {
        seen = request;
        return { status: 203, headers: { ...answered }, body: 'x' };
      };
      const reply = await ask({ ':path': '/some?query=1', ...sent });
      expect(Object.fromEntries(seen?.headers() ?? [])).toEqual(sent);
      expect([seen?.method, seen?.path, seen?.rawQuery]).toEqual(['GET', '/some', 'query=1']);
      expect(reply.headers).toMatchObject({ ':status': 203, 'content-length': '1', ...answered });
      expect(reply.headers['date']).toMatch(/GMT$/);
    }),
    { numRuns: 150 },
  );
});

test('headers that need several frames arrive whole', async () => {
  const long = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`x-long-${at}`, 'v'.repeat(4000 + at)]));
  let seen: ApiRequest | undefined;
  listener.handler = (request) => {
    seen = request;
    return { status: 200, headers: { ...long, 'set-cookie': ['a=1', 'b=2'] } };
  };
  const { headers } = await ask({ ':path': '/', ...long });
  expect(Object.fromEntries(seen?.headers() ?? [])).toEqual(long);
  expect(headers).toMatchObject({ ...long, 'set-cookie': ['a=1', 'b=2'] });
});

test('bodies of any length and in any pieces arrive whole, both ways', async () => {
  const pieces = fc.array(fc.nat({ max: 90_000 }), { minLength: 1, maxLength: 6 });
  const echo = async (request: ApiRequest): Promise<ApiResponse> => {
    const body = await request.readBody(10_000_000);
    if (request.path === '/whole') return { status: 200, headers: {}, body };
    return {
      status: 200,
      headers: {},
      body: async (sink) => {
        for (let at = 0; at < body.length; at += 30_000)
          if (!sink.write(body.subarray(at, at + 30_000))) await sink.drained();
      },
    };
  };
  listener.handler = echo;
  await fc.assert(
    fc.asyncProperty(pieces, fc.constantFrom('/whole', '/streamed'), async (lengths, path) => {
      const sent = lengths.map((length, at) => Buffer.alloc(length, `abc${at}`));
      const replies = await Promise.all([1, 2, 3].map(() => ask({ ':path': path, ':method': 'POST' }, sent)));
      for (const { body } of replies) expect(body.equals(Buffer.concat(sent))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ['HEAD', 200, '12'],
  ['HEAD', 404, '12'],
  ['HEAD', 304, undefined],
  ['GET', 204, undefined],
  ['GET', 304, undefined],
])('an answer to %s with %i has no body, and a HEAD is told its length', async (method, status, length) => {
  listener.handler = () => ({ status, headers: { 'content-type': 'text/plain' }, body: 'none of this' });
  const { headers, body } = await ask({ ':path': '/', ':method': method });
  expect([headers[':status'], headers['content-type'], body.length]).toEqual([status, 'text/plain', 0]);
  expect(headers['content-length']).toBe(length);
});

test('an answer of a text has its length in bytes', async () => {
  const text = 'größer 你好 😀'.repeat(2000);
  listener.handler = () => ({ status: 200, headers: {}, body: text });
  const { headers, body } = await ask({ ':path': '/' });
  expect([headers['content-length'], body.toString()]).toEqual([String(Buffer.byteLength(text)), text]);
});

test('what no header may have does not get out', async () => {
  listener.handler = () => ({
    status: 200,
    headers: { 'x-a': 'a\r\nb: cĊd', Connection: 'close', 'X-Upper': 'x', 'transfer-encoding': 'chunked' },
  });
  const { headers } = await ask({ ':path': '/' });
  expect(headers).toMatchObject({ 'x-a': 'a??b: c?d', 'x-upper': 'x' });
  expect(Object.keys(headers).filter((name) => /connection|transfer/.test(name))).toEqual([]);
});

test('an answer that fails amid its body is broken off', async () => {
  listener.handler = () => ({
    status: 200,
    headers: {},
    body: async (sink) => {
      sink.write('part');
      await new Promise(setImmediate);
      throw new Error('broken');
    },
  });
  const stream = session.request({ ':path': '/' });
  const [error] = (await once(stream.resume(), 'error')) as [Error & { code: string }];
  expect([stream.rstCode, error.code]).toEqual([2, 'ERR_HTTP2_STREAM_ERROR']);
  expect(listener.errors.splice(0)).toMatchObject([{ message: 'broken' }]);
});

test('a server that drops a request, or cuts an answer, resets its stream', async () => {
  listener.handler = (request) =>
    request.path === '/dropped'
      ? { status: 200, headers: {}, isDropped: true }
      : {
          status: 200,
          headers: {},
          body: (sink) => {
            sink.write('part');
            setImmediate(() => sink.cut());
            return undefined;
          },
        };
  const codes = await Promise.all(
    ['/dropped', '/cut'].map(async (path) => {
      const stream = session.request({ ':path': path });
      stream.on('error', () => {});
      await new Promise((resolve) => stream.resume().once('close', resolve));
      return stream.rstCode;
    }),
  );
  expect(codes).toEqual([2, 8]);
});

test('a client that waits for 100 Continue gets it when its body is first read, and not before', async () => {
  const order: string[] = [];
  listener.handler = async (request) => {
    await new Promise(setImmediate);
    order.push('read');
    const pieces: Uint8Array[] = [];
    if (request.path === '/pieces') for await (const piece of request.bodyChunks?.() ?? []) pieces.push(piece);
    else pieces.push(await request.readBody(100));
    return { status: 200, headers: {}, body: Buffer.concat(pieces) };
  };
  for (const path of ['/whole', '/pieces']) {
    const stream = session.request({ ':path': path, ':method': 'POST', expect: '100-continue' });
    stream.on('continue', () => {
      order.push('continue');
      stream.end('the body');
    });
    expect((await stream.toArray()).join('')).toBe('the body');
  }
  expect(order).toEqual(['read', 'continue', 'read', 'continue']);
});

test('a client gets no 100 Continue for a body that is not read', async () => {
  listener.handler = (request) =>
    request.path === '/large'
      ? request.readBody(10).then(
          () => ({ status: 200, headers: {} }),
          () => ({ status: 413, headers: {} }),
        )
      : { status: 403, headers: {} };
  const statuses: unknown[] = [];
  for (const path of ['/', '/large']) {
    const stream = session.request({ ':path': path, ':method': 'PUT', 'content-length': '11', expect: '100-continue' });
    stream.on('continue', () => statuses.push(100));
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    statuses.push(headers[':status']);
    stream.close();
    await once(stream, 'close');
  }
  expect(statuses).toEqual([403, 413]);
});
