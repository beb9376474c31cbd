import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ApiError } from '../../meta/status.ts';
import { collect } from './body.ts';

/** The status of a body that is refused. */
async function refusal(body: Promise<Uint8Array>): Promise<number | undefined> {
  const error: unknown = await body.catch((reason: unknown) => reason);
  return error instanceof ApiError ? error.toStatus().code : undefined;
}

test('chunks are joined, and nothing is an empty body', async () => {
  const stream = new PassThrough();
  const body = collect(stream, undefined, 100);
  stream.write('one ');
  stream.end('two');
  expect(Buffer.from(await body).toString()).toBe('one two');
  const empty = new PassThrough();
  const nothing = collect(empty, undefined, 100);
  empty.end();
  expect(await nothing).toHaveLength(0);
});

test('too much is a 413, whether it was announced or not', async () => {
  expect(await refusal(collect(new PassThrough(), '101', 100))).toBe(413);
  const stream = new PassThrough();
  const body = collect(stream, undefined, 100);
  stream.write('x'.repeat(60));
  stream.end('x'.repeat(60));
  expect(await refusal(body)).toBe(413);
});

test('less than was announced, or a stream that breaks, is a 400', async () => {
  const short = new PassThrough();
  const body = collect(short, '10', 100);
  short.end('short');
  expect(await refusal(body)).toBe(400);
  const broken = new PassThrough();
  broken.on('error', () => {});
  const cut = collect(broken, undefined, 100);
  broken.write('begun');
  broken.destroy(new Error('reset'));
  expect(await refusal(cut)).toBe(400);
});

test('a stream that was closed before the body was read is a 400, at once', async () => {
  const closed = new PassThrough();
  closed.destroy();
  await once(closed, 'close');
  expect(await refusal(collect(closed, undefined, 100))).toBe(400);
});

test('a body byte by byte holds no more than its bytes', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const held = () => {
    for (let round = 0; round < 3; round++) collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const stream = new PassThrough();
  const body = collect(stream, undefined, 1000);
  const before = held();
  for (let at = 0; at < 300; at++) {
    // one byte of all that was read from the socket
    stream.write(Buffer.alloc(64 * 1024, 'x').subarray(0, 1));
    await new Promise(setImmediate);
  }
  expect(held() - before).toBeLessThan(1024 * 1024);
  stream.end();
  expect(Buffer.from(await body).toString()).toBe('x'.repeat(300));
});
