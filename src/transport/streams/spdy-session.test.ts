import { constants, createDeflate } from 'node:zlib';
import { expect, test } from 'vitest';
import type { BytePipe } from './byte-pipe.ts';
import { spdyDictionary } from './spdy-dictionary.ts';
import { SpdySession, type SpdyStream } from './spdy-session.ts';

/** A client, as far as a test needs one. */
class Client {
  readonly #deflate = createDeflate({ dictionary: spdyDictionary });
  readonly sent: Buffer[] = [];
  isEnded = false;
  readonly pipe: BytePipe = {
    onData: () => {},
    onEnd: () => {},
    write: (chunk) => {
      this.sent.push(Buffer.from(chunk));
    },
    end: () => {
      this.isEnded = true;
    },
  };

  async open(id: number, headers: Record<string, string>): Promise<Buffer> {
    const text = (value: string) => Buffer.concat([number(value.length), Buffer.from(value)]);
    const block = Buffer.concat([
      number(Object.keys(headers).length),
      ...Object.entries(headers).flatMap(([name, value]) => [text(name), text(value)]),
    ]);
    const pieces: Buffer[] = [];
    this.#deflate.removeAllListeners('data').on('data', (piece: Buffer) => pieces.push(piece));
    this.#deflate.write(block);
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    const compressed = Buffer.concat(pieces);
    return control(1, Buffer.concat([number(id), number(0), Buffer.alloc(2), compressed]));
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function control(type: number, payload: Buffer, version = 0x8003): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

const data = (id: number, text: string, flags = 0) =>
  Buffer.concat([number(id), Buffer.from([flags, 0, 0, text.length]), Buffer.from(text)]);

function start() {
  const client = new Client();
  const streams: SpdyStream[] = [];
  const log: string[] = [];
  new SpdySession(client.pipe, {
    onClose: () => log.push('closed'),
    onStream(stream) {
      streams.push(stream);
      stream.onData = (chunk) => log.push(`${stream.id} ${chunk}`);
      stream.onEnd = () => log.push(`${stream.id} ended`);
    },
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
  return { client, streams, log, settle };
}

test('the dictionary is that of SPDY/3', () => {
  expect(spdyDictionary).toHaveLength(1423);
});

test('streams: headers and data of several arrive in order, however the bytes are cut', async () => {
  const { client, streams, log } = start();
  const bytes = Buffer.concat([
    await client.open(1, { streamtype: 'error', port: '80' }),
    await client.open(3, { StreamType: 'data', port: '80' }),
    data(3, 'hello'),
    data(3, '', 1),
  ]);
  for (const byte of bytes) client.pipe.onData(Buffer.from([byte]));
  await expect.poll(() => log).toEqual(['3 hello', '3 ended']);
  expect(streams.map(({ id, headers }) => [id, headers['streamtype']])).toEqual([
    [1, 'error'],
    [3, 'data'],
  ]);
  streams[1]?.write(Buffer.from('answer'));
  streams[1]?.end();
  expect(client.sent.slice(-2).map((frame) => [frame.readUInt32BE(0), frame[4], frame.subarray(8).toString()])).toEqual(
    [
      [3, 0, 'answer'],
      [3, 1, ''],
    ],
  );
});

test('a header block of more than one piece of the decompressor is read as a whole', async () => {
  const { client, streams } = start();
  const text = 'x'.repeat(40_000);
  client.pipe.onData(await client.open(1, { streamtype: 'data', text }));
  await expect.poll(() => streams.map(({ headers }) => headers['text'])).toEqual([text]);
});

test('pings are answered, a farewell ends the session', async () => {
  const { client, log, settle } = start();
  client.pipe.onData(control(6, number(7)));
  await settle();
  expect(client.sent).toEqual([control(6, number(7))]);
  client.pipe.onData(control(7, Buffer.alloc(8)));
  await settle();
  expect([client.isEnded, log]).toEqual([true, ['closed']]);
});

test.each([
  ['a frame that is too large', Buffer.from('80030001000fffff'.replace('0fffff', 'ffffff'), 'hex')],
  ['headers that are not compressed', control(1, Buffer.concat([Buffer.alloc(10), Buffer.from('plain text')]))],
  ['a stream without headers', control(1, Buffer.alloc(4))],
])('%s ends the session', async (_title, bytes) => {
  const { client, log, settle } = start();
  client.pipe.onData(bytes);
  await settle();
  expect([client.isEnded, log]).toEqual([true, ['closed']]);
});
