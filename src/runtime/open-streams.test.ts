import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TransientMap } from '../base/transient-map.ts';
import { keepStreamsTransient, stateOf } from './open-streams.ts';

test('this Node keeps the streams of a session where they can be kept in another way', async () => {
  const server = createServer((_, out) => out.end('answer'));
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    keepStreamsTransient(session, false);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const answers = Array.from({ length: 200 }, async () => {
    const stream = client.request({ ':path': '/' });
    let text = '';
    for await (const chunk of stream) text += chunk;
    return text;
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['answer']));
  const [session] = sessions as [ServerHttp2Session];
  expect(stateOf(session)?.streams).toBeInstanceOf(TransientMap);
  const closed = once(session, 'close');
  client.close();
  await closed;
  expect(stateOf(session)?.streams).toHaveProperty('size', 0);
  server.close();
});

test('a session without such a state is left alone', () => {
  const session = { [Symbol('other')]: 1 } as unknown as ServerHttp2Session;
  keepStreamsTransient(session, false);
  expect(stateOf(session)).toBeUndefined();
});

test('a plain runtime leaves the streams where Node keeps them', () => {
  const state = Symbol('state');
  const streams = new Map();
  const session = { [state]: { streams } } as unknown as ServerHttp2Session;
  keepStreamsTransient(session, true);
  expect(stateOf(session)?.streams).toBe(streams);
});
