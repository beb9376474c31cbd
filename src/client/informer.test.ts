import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../meta/object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Client, type ClientAnswer, RequestError, type Transport } from './client.ts';
import { Informer } from './informer.ts';

const object = (name: string, resourceVersion: string): ApiObject => ({
  kind: 'X',
  apiVersion: 'v1',
  metadata: { name, resourceVersion },
});
const list = (version: string, ...items: ApiObject[]): ClientAnswer => ({
  status: 200,
  body: { metadata: { resourceVersion: version }, items },
});
const line = (type: string, what: object) => JSON.stringify({ type, object: what });

/** A server that answers from a script: each list and each stream in turn; the last stream stays open. */
function scripted(lists: (ClientAnswer | Error)[], streams: string[][]) {
  const requests: string[] = [];
  const transport: Transport = {
    async send({ path }) {
      requests.push(path);
      const answer = lists.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('nothing left');
      return answer;
    },
    async *lines(path, signal) {
      requests.push(path);
      yield* streams.shift() ?? [];
      if (streams.length === 0)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  return { client: new Client(transport), asked: requests };
}

function follow(client: Client, clock = new FakeClock()) {
  const seen: string[] = [];
  const errors: unknown[] = [];
  const informer = new Informer({
    client,
    clock,
    path: '/xs',
    onChange: ({ metadata }) => seen.push(`+${metadata.name}`),
    onDelete: ({ metadata }) => seen.push(`-${metadata.name}`),
    onError: (error) => errors.push(error),
  });
  informer.start();
  return { informer, seen, errors, clock };
}

const settle = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('informer', () => {
  test('shows what is listed, then what changes, and goes on from there when the stream ends', async () => {
    const { client, asked } = scripted(
      [list('5', object('a', '3'))],
      [[line('ADDED', object('b', '6')), line('DELETED', object('a', '7'))], [line('BOOKMARK', object('', '9'))], []],
    );
    const { informer, seen, errors } = follow(client);
    await settle();
    expect(seen).toEqual(['+a', '+b', '-a']);
    expect(asked.map((path) => /resourceVersion=(\d+)/.exec(path)?.[1])).toEqual([undefined, '5', '7', '9']);
    expect(errors).toEqual([]);
    await informer.close();
  });

  test('lists again when the history was compacted', async () => {
    const { client } = scripted(
      [list('5', object('a', '3')), list('50', object('c', '40'))],
      [[line('ERROR', { code: 410, metadata: {} })], []],
    );
    const { informer, seen, errors } = follow(client);
    await settle();
    expect([seen, errors]).toEqual([['+a', '+c'], []]);
    await informer.close();
  });

  test('reports an error and tries again after a pause', async () => {
    const { client } = scripted(
      [new RequestError('GET /xs', 500, { message: 'down' }), list('5', object('a', '3'))],
      [[]],
    );
    const { informer, seen, errors, clock } = follow(client);
    await settle();
    expect([seen, errors.map(String)]).toEqual([[], ['Error: GET /xs: 500 down']]);
    clock.advance(1000);
    await settle();
    expect(seen).toEqual(['+a']);
    await informer.close();
  });
});
