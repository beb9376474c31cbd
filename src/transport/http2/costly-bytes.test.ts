// Few bytes that cost the server much: each costs about as much as it does the client.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeaderBlock } from '../../http2/header-block.ts';
import { frame, greeting } from '../../testing/http2-bytes.ts';
import { get, post, type RawClient, TestListener } from '../../testing/raw-http2-client.ts';
import { RequestBody } from './request-body.ts';

let listener: TestListener;

beforeAll(async () => {
  listener = await new TestListener().listen();
});
afterAll(() => listener.close());

async function greeted(): Promise<RawClient> {
  const client = await listener.open();
  client.send(greeting);
  return client;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes outside of the heap that are still held after the garbage was collected. */
function heldBytes(): number {
  // the first time, what was used a moment ago may survive
  for (let round = 0; round < 3; round++) collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe('a body byte by byte', () => {
  const chunks = 500;
  const chunkBytes = 64 * 1024;

  /** One byte of each of many chunks, of which the rest is of no use. */
  function addBytes(body: RequestBody): void {
    for (let sent = 0; sent < chunks; sent++) {
      const chunk = Buffer.alloc(chunkBytes, sent);
      body.takes(1);
      body.add(chunk.subarray(10, 11), 1);
    }
  }

  const expected = Buffer.from(Array.from({ length: chunks }, (_, at) => at));
  const newBody = () => new RequestBody({ widen: () => {} }, undefined);

  test('holds no more than its bytes until it is read', async () => {
    const body = newBody();
    const before = heldBytes();
    addBytes(body);
    expect(heldBytes() - before).toBeLessThan(10 * chunkBytes);
    body.finish();
    expect(Buffer.from(await body.collect(10_000)).equals(expected)).toBe(true);
  });

  test('holds no more than its bytes while it is read', async () => {
    const body = newBody();
    const whole = body.collect(10_000);
    const before = heldBytes();
    addBytes(body);
    expect(heldBytes() - before).toBeLessThan(10 * chunkBytes);
    body.finish();
    expect(Buffer.from(await whole).equals(expected)).toBe(true);
  });

  test('holds no more than its bytes while it is passed on', async () => {
    const body = newBody();
    const pieces = body.pieces();
    const before = heldBytes();
    addBytes(body);
    expect(heldBytes() - before).toBeLessThan(10 * chunkBytes);
    body.finish();
    const read: Uint8Array[] = [];
    for await (const piece of pieces) read.push(piece);
    expect(Buffer.concat(read).equals(expected)).toBe(true);
    expect(read.length).toBeLessThan(5);
  });

  test('keeps its order where pieces are small and large in turns', async () => {
    const body = newBody();
    const sent: Buffer[] = [];
    for (let at = 0; at < 40; at++) {
      const piece = Buffer.alloc([1, 5000, 4095, 7, 4096][at % 5] as number, at);
      sent.push(piece);
      body.add(piece, piece.length);
    }
    body.finish();
    expect(Buffer.from(await body.collect(1_000_000)).equals(Buffer.concat(sent))).toBe(true);
  });

  test('is refused at its limit', async () => {
    const body = newBody();
    const whole = body.collect(chunks - 1);
    addBytes(body);
    await expect(whole).rejects.toThrow('Request entity too large');
  });
});

test('headers in many frames hold no more than their bytes', () => {
  const block = new HeaderBlock(100_000);
  const before = heldBytes();
  block.begin(1, Buffer.alloc(65_536, 0).subarray(10, 11), false);
  for (let sent = 1; sent < 17; sent++) block.add(Buffer.alloc(65_536, sent).subarray(10, 11));
  expect(heldBytes() - before).toBeLessThan(4 * 65_536);
  expect(block.heldBytes).toBeLessThan(100);
  expect([...block.take()]).toEqual(Array.from({ length: 17 }, (_, at) => at));
  expect([block.heldBytes, block.isOpen]).toEqual([0, false]);
});

test('trailers that refer to a large field again and again are looked at once', async () => {
  listener.handler = async (request) => {
    await request.readBody(100);
    return { status: 200, headers: {}, body: 'ok' };
  };
  const client = await greeted();
  const large = `\x40\x01a\x7f\xa1\x1e${'v'.repeat(4000)}`;
  client.send(frame(1, 5, 1, get + large), frame(1, 4, 3, post));
  await client.until(() => client.isEnded(1));
  const before = process.cpuUsage();
  client.send(frame(1, 1, 3, '\xbe'.repeat(16_384)));
  for (let part = 0; part < 6; part++) client.send(frame(9, part === 5 ? 4 : 0, 3, '\xbe'.repeat(16_384)));
  await client.until(() => client.isEnded(3));
  const { user, system } = process.cpuUsage(before);
  expect(client.body(3).toString()).toBe('ok');
  // looked at each time, they took 4.7 s; other work of this process counts too
  expect(user + system).toBeLessThan(1_500_000);
});
