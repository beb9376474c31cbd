import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer as createNetServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frame } from '../../testing/http2-bytes.ts';
import { TestEnding } from '../../testing/test-ending.ts';
import type { BackendAnswer, BackendRequest } from '../backend-call.ts';
import { collected } from '../collected-body.ts';
import { Http2Connection } from './http2-connection.ts';

const request = (path: string, more: Partial<BackendRequest> = {}): BackendRequest => ({
  ...{ method: 'GET', path, authority: 'ext:443', headers: {}, body: undefined },
  ...more,
});

const bytesOf = async ({ body }: BackendAnswer, maxBytes = 64 * 1024 * 1024) =>
  Buffer.from(await collected(body, { maxBytes, ending: new TestEnding() }));

async function open(port: number, onUnusable = () => {}): Promise<{ socket: Socket; connection: Http2Connection }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return { socket, connection: new Http2Connection(socket, { onUnusable }) };
}

const port = (server: Http2Server | Server) => (server.address() as AddressInfo).port;

describe('with a server of Node', () => {
  let server: Http2Server;
  let socket: Socket;
  let connection: Http2Connection;
  let onStream: (stream: ServerHttp2Stream, headers: Record<string, string | string[] | undefined>) => void;

  beforeAll(async () => {
    server = createServer({ settings: { maxConcurrentStreams: 50 }, maxSendHeaderBlockLength: 60_000 });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      onStream(stream, headers as Record<string, string>);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ socket, connection } = await open(port(server)));
  });

  afterAll(() => {
    socket.destroy();
    server.close();
  });

  const ask = (request: BackendRequest) => connection.ask(request, new TestEnding());

  test('headers of any form arrive as they were sent, both ways, however often they change', async () => {
    const value = fc.string({ unit: 'grapheme-ascii', maxLength: 300 }).map((text) => text.trim());
    const headers = fc.dictionary(fc.stringMatching(/^x-[a-z0-9]{1,20}$/), value, { maxKeys: 20 });
    await fc.assert(
      fc.asyncProperty(headers, async (sent) => {
        let seen: Record<string, unknown> = {};
        onStream = (stream, received) => {
          seen = received;
          stream.respond({ ':status': 203, ...sent }, { endStream: true });
        };
        const answer = await ask(request('/headers', { headers: sent }));
        expect(seen).toMatchObject({ ':path': '/headers', ':method': 'GET', ':authority': 'ext:443', ...sent });
        expect(answer.status).toBe(203);
        expect(answer.headers).toMatchObject(sent);
        await bytesOf(answer);
      }),
      { numRuns: 150 },
    );
  });

  test('headers that need several frames arrive whole', async () => {
    const long = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`x-long-${at}`, 'v'.repeat(4000 + at)]));
    let seen: Record<string, unknown> = {};
    onStream = (stream, received) => {
      seen = received;
      stream.respond({ ':status': 200, ...long }, { endStream: true });
    };
    const answer = await ask(request('/', { headers: long }));
    expect(seen).toMatchObject(long);
    expect(answer.headers).toMatchObject(long);
  });

  test('large bodies pass both ways at once, at the pace of the slower end', async () => {
    const sent = Buffer.alloc(3_000_000, 'abcdefg');
    onStream = (stream) => {
      stream.respond();
      stream.pipe(stream);
    };
    const pieces = async function* () {
      for (let at = 0; at < sent.length; at += 70_001) yield sent.subarray(at, at + 70_001);
    };
    const answers = await Promise.all(
      [pieces(), sent].map((body) => ask(request('/echo', { method: 'POST', body })).then((one) => bytesOf(one))),
    );
    for (const answer of answers) expect(answer.equals(sent)).toBe(true);
  });

  test('a reader that pauses holds the server back, and gets the rest when it goes on', async () => {
    let written = 0;
    onStream = (stream, headers) => {
      stream.respond();
      if (headers[':path'] === '/other') return;
      const more = () => {
        while (written < 2_000_000) {
          written += 10_000;
          if (!stream.write(Buffer.alloc(10_000))) {
            stream.once('drain', more);
            return;
          }
        }
        stream.end();
      };
      more();
    };
    const { body } = await ask(request('/'));
    let size = 0;
    const whole = new Promise<number>((resolve, reject) => {
      const onPiece = ({ length }: Uint8Array) => {
        size += length;
      };
      body.read({ onPiece, onEnd: () => resolve(size), onError: reject });
    });
    body.pause();
    (await ask(request('/other'))).body.cancel();
    expect(size).toBeLessThan(300_000);
    body.resume();
    expect(await whole).toBe(2_000_000);
  });

  test('a request that is given up ends at the server too, before and after its answer began', async () => {
    const closed: Promise<unknown>[] = [];
    onStream = (stream) => {
      closed.push(once(stream, 'close').then(() => stream.rstCode));
      if (closed.length === 2) stream.respond();
    };
    const ending = new TestEnding();
    const first = connection.ask(request('/hang'), ending);
    const second = await ask(request('/begin'));
    ending.end();
    await expect(first).rejects.toThrow('given up');
    second.body.cancel();
    expect(await Promise.all(closed)).toEqual([8, 8]);
    expect(connection.calls).toBe(0);
  });

  test('a server that resets a stream fails that request alone', async () => {
    onStream = (stream, headers) => {
      if (headers[':path'] === '/reset') stream.close(7);
      else stream.end('fine');
    };
    const answers = [ask(request('/reset')), ask(request('/'))] as const;
    await expect(answers[0]).rejects.toThrow('stream error: stream ID');
    expect((await bytesOf(await answers[1])).toString()).toBe('fine');
  });

  test('no more requests are sent at once than the server allows', async () => {
    onStream = (stream) => stream.respond({ ':status': 200 }, { endStream: true });
    expect(connection.hasRoom).toBe(true);
    const held = Array.from({ length: 50 }, () => ask(request('/')));
    expect(connection.hasRoom).toBe(false);
    for (const answer of await Promise.all(held)) await bytesOf(answer);
    expect(connection.hasRoom).toBe(true);
  });
});

const settings = frame(4, 0, 0);
/** A status of 200 by its number. */
const ok = '\x88';
const huge = Buffer.alloc(16_384);
const bomb = `\x40\x01a\x7f\xa1\x1e${'v'.repeat(4000)}${'\xbe'.repeat(100)}`;

describe('with a server by the byte', () => {
  let server: Server;
  let reply: (socket: Socket) => void = () => {};
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    server = createNetServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => reply(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** Asks a server that answers with these bytes; the answer's text, or why there is none. */
  async function answerTo(...bytes: readonly Buffer[]): Promise<string> {
    reply = (socket) => socket.write(Buffer.concat([settings, ...bytes]));
    const { socket, connection } = await open(port(server));
    try {
      const answer = await connection.ask(request('/'), new TestEnding());
      return `${answer.status} ${(await bytesOf(answer)).toString()}`;
    } catch (error) {
      return (error as Error).message;
    } finally {
      socket.destroy();
    }
  }

  test.each([
    ['an answer in two frames', [frame(1, 4, 1, ok), frame(0, 1, 1, 'text')], '200 text'],
    ['padding', [frame(1, 4 | 8, 1, `\x02${ok}\0\0`), frame(0, 1 | 8, 1, '\x03text\0\0\0')], '200 text'],
    ['trailers', [frame(1, 4, 1, ok), frame(0, 0, 1, 'text'), frame(1, 5, 1, '\x00\x01a\x01b')], '200 text'],
    ['an early hint', [frame(1, 4, 1, '\x08\x03103'), frame(1, 4, 1, ok), frame(0, 1, 1, 'x')], '200 x'],
    ['kinds of frames that are not known', [frame(77, 255, 1, 'x'), frame(77, 0, 0), frame(1, 5, 1, ok)], '200 '],
  ])('%s is understood', async (_, frames, expected) => {
    expect(await answerTo(...frames)).toBe(expected);
  });

  test.each([
    ['a frame that is longer than allowed', [frame(0, 0, 1, Buffer.alloc(16_385))], 'EOF'],
    ['a stream that was not asked for', [frame(1, 5, 7, ok)], 'EOF'],
    ['a stream of the server', [frame(1, 5, 2, ok)], 'EOF'],
    ['a push', [frame(5, 4, 1, `\0\0\0\x02${ok}`)], 'EOF'],
    ['a field that was never told', [frame(1, 5, 1, '\xff\x7f')], 'EOF'],
    ['a table without end', [frame(1, 5, 1, `\x3f\xff\xff\xff\x7f${ok}`)], 'EOF'],
    ['a number without end', [frame(1, 5, 1, `\x7f${'\xff'.repeat(50)}`)], 'EOF'],
    ['a text that ends too early', [frame(1, 5, 1, `${ok}\x00\x01a\x7f`)], 'EOF'],
    ['a Huffman code that is none', [frame(1, 5, 1, `${ok}\x00\x84\xff\xff\xff\xff`)], 'EOF'],
    ['headers that grow while they are read', [frame(1, 5, 1, ok + bomb)], 'EOF'],
    ['headers that are never whole', Array.from({ length: 9000 }, (_, at) => frame(at ? 9 : 1, 0, 1)), 'EOF'],
    ['headers between parts of others', [frame(1, 0, 1, ok), frame(0, 0, 1, 'x')], 'EOF'],
    ['padding that is longer than its frame', [frame(1, 4, 1, ok), frame(0, 9, 1, '\xffx')], 'unexpected EOF'],
    ['settings of no length', [frame(4, 0, 0, 'abc')], 'EOF'],
    ['a window without end', [frame(8, 0, 0, '\x7f\xff\xff\xff')], 'EOF'],
    ['a body before its headers', [frame(0, 1, 1, 'x')], 'malformed HTTP response'],
    ['no status', [frame(1, 5, 1, '\x00\x01a\x01b')], 'malformed HTTP response'],
    ['a status that is none', [frame(1, 5, 1, '\x08\x032x0')], 'malformed HTTP response'],
    ['a line break in a value', [frame(1, 5, 1, `${ok}\x00\x01a\x03b\r\n`)], 'malformed HTTP response'],
    ['a name with a space', [frame(1, 5, 1, `${ok}\x00\x03a b\x01c`)], 'malformed HTTP response'],
    ['a reset in the middle', [frame(1, 4, 1, ok), frame(3, 0, 1, '\0\0\0\x02')], 'INTERNAL_ERROR; received from peer'],
    ['less than it said', [frame(1, 4, 1, `${ok}\x0f\x0d\x019`), frame(0, 1, 1, 'x')], 'unexpected EOF'],
    ['more than it said', [frame(1, 4, 1, `${ok}\x0f\x0d\x011`), frame(0, 1, 1, 'xyz')], 'malformed HTTP response'],
    ['a farewell', [frame(7, 0, 0, '\0\0\0\0\0\0\0\0')], 'EOF'],
  ])('%s is refused', async (_, frames, expected) => {
    expect(await answerTo(...frames)).toContain(expected);
  });

  test('a server that sends more than it may is left', async () => {
    reply = (socket) =>
      socket.write(
        Buffer.concat([settings, frame(1, 4, 1, ok), ...Array.from({ length: 9 }, () => frame(0, 0, 1, huge))]),
      );
    let left = () => {};
    const isLeft = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { connection } = await open(port(server), left);
    const { body } = await connection.ask(request('/'), new TestEnding());
    await isLeft;
    expect(body.takeWhole()).toBeUndefined();
    await expect(bytesOf({ body, status: 200, headers: {} })).rejects.toThrow('unexpected EOF');
  });

  test('a server that asks without reading the answers is left', async () => {
    const pings = Buffer.concat(Array.from({ length: 50_000 }, () => frame(6, 0, 0, '12345678')));
    reply = (socket) => {
      socket.pause();
      const flood = () => {
        while (!socket.destroyed && socket.write(pings));
        if (!socket.destroyed) socket.once('drain', flood);
      };
      socket.write(settings);
      flood();
    };
    const { connection } = await open(port(server));
    await expect(connection.ask(request('/'), new TestEnding())).rejects.toThrow('EOF');
  });
});
