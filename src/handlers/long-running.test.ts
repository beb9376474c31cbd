import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { ApiResponse, Sink } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import { OpenConnections } from './long-running.ts';

const info = { group: '', version: 'v1', resource: 'pods', subresource: 'exec' } as RequestInfo;
const shown = { group: '', version: 'v1', resource: 'pods', subresource: 'exec', verb: 'CONNECT', scope: 'resource' };
const sink = {} as Sink;

test('a tunnel counts until the client is gone', async () => {
  const open = new OpenConnections();
  const answer = open.counted(info, { status: 101, headers: {}, tunnel: () => undefined });
  expect(open.all).toEqual([]);
  const client = new PassThrough();
  answer.tunnel?.(client, new Uint8Array());
  expect(open.all).toEqual([{ ...shown, count: 1 }]);
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.destroy();
  await closed;
  expect(open.all).toEqual([{ ...shown, count: 0 }]);
  answer.tunnel?.(client, new Uint8Array());
  expect(open.all).toEqual([{ ...shown, count: 0 }]);
});

test('a body counts while it is sent, however that ends', async () => {
  const open = new OpenConnections();
  let fail: ((error: Error) => void) | undefined;
  const body = () =>
    new Promise<void>((_, reject) => {
      fail = reject;
    });
  const { body: counted } = open.counted(info, { status: 200, headers: {}, body });
  const sent = (counted as NonNullable<Extract<ApiResponse['body'], (sink: Sink) => unknown>>)(sink);
  expect(open.all).toEqual([{ ...shown, count: 1 }]);
  fail?.(new Error('cut off'));
  await expect(sent).rejects.toThrow('cut off');
  expect(open.all).toEqual([{ ...shown, count: 0 }]);
});

test('an answer that is there at once is no connection', () => {
  const answer: ApiResponse = { status: 200, headers: {}, body: 'done' };
  expect(new OpenConnections().counted(info, answer)).toBe(answer);
});
