import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressed } from '../codec/compression.ts';
import type { ApiResponse, BodyStream, Exchange } from '../meta/exchange.ts';
import { type Chunks, hashOf } from './chunks.ts';
import { answerDocument } from './documents.ts';

const headers: Readonly<Record<string, string>> = { 'accept-encoding': 'gzip' };
const request = { method: 'GET', header: (name: string) => headers[name] } as unknown as Exchange['request'];

async function answer(chunks: Chunks): Promise<ApiResponse> {
  const hash = await hashOf(chunks);
  const body = async () => chunks;
  return compressed(
    request,
    await answerDocument({ request } as Exchange, { hash, contentType: 'application/json', body }),
  );
}

async function sent({ body }: ApiResponse): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  await (body as BodyStream)({ write: (part: Uint8Array) => parts.push(part) > 0, isGone: false } as never);
  return parts;
}

test.each([[1], [3]])('a document of %i pieces is compressed once for all clients', async (count) => {
  const chunks = Array.from({ length: count }, (_, n) => Buffer.alloc(200_000, `piece ${n}`));
  const first = await answer(chunks);
  expect(first.headers['content-encoding']).toBe('gzip');
  const [bytes] = await sent(first);
  expect(gunzipSync(bytes as Uint8Array).equals(Buffer.concat(chunks))).toBe(true);
  expect((await sent(await answer(chunks)))[0]).toBe(bytes);
});

test('a short document is sent as it is', async () => {
  const { body, headers } = await answer([Buffer.from('{}')]);
  expect([String(body), headers['content-encoding']]).toEqual(['{}', undefined]);
});
