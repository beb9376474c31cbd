// Node's implementation of HTTP/2 behind the listener, over TLS.

import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { resolveOptions } from '../../config/options.ts';
import type { ApiRequest, Handler } from '../../meta/exchange.ts';
import { createIdentity } from '../../pki/identity.ts';
import { Listener } from '../http/listener.ts';

interface Answered {
  readonly ':status': number;
  readonly 'x-a'?: string;
}

async function open(handler: Handler): Promise<{ listener: Listener; session: ClientHttp2Session }> {
  const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
  const listener = await Listener.open({
    handler,
    clock: systemClock,
    identity: { ...serving, named: [], clientCa: [ca] },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    http2: 'node',
    onStreamError: (error) => {
      throw error;
    },
  });
  return { listener, session: connect(`https://127.0.0.1:${listener.port}`, { ca }) };
}

test('requests are answered, and the peer is the client', async () => {
  const seen: ApiRequest[] = [];
  const { listener, session } = await open(async (request) => {
    seen.push(request);
    return { status: 201, headers: { 'x-a': 'b' }, body: await request.readBody(100) };
  });
  const stream = session.request({ ':path': '/a?b=c', ':method': 'POST', accept: 'x' });
  stream.end('body');
  const [headers] = (await once(stream, 'response')) as [Answered];
  const [body] = (await once(stream, 'data')) as [Buffer];
  expect([headers[':status'], headers['x-a'], String(body)]).toEqual([201, 'b', 'body']);
  const [request] = seen;
  expect([request?.path, request?.rawQuery, request?.header('accept')]).toEqual(['/a', 'b=c', 'x']);
  expect(request?.peer.address).toMatch(/127\.0\.0\.1$/);
  session.close();
  await listener.close(1000);
});

test('a client that asks whether to send its body is answered when a handler reads it', async () => {
  const { listener, session } = await open(async (request) => {
    if (request.path === '/refused') return { status: 403, headers: {} };
    return { status: 200, headers: {}, body: await request.readBody(100) };
  });
  const ask = async (path: string) => {
    const stream = session.request({ ':path': path, ':method': 'POST', expect: '100-continue' });
    const seen: string[] = [];
    stream.on('continue', () => {
      seen.push('continue');
      stream.end('body');
    });
    const [headers] = (await once(stream, 'response')) as [Answered];
    seen.push(String(headers[':status']));
    stream.resume().destroy();
    return seen;
  };
  expect(await ask('/read')).toEqual(['continue', '200']);
  expect(await ask('/refused')).toEqual(['403']);
  session.close();
  await listener.close(1000);
});

test('the end of the listener ends watches, lets answers finish and closes connections with GOAWAY', async () => {
  let answer = () => {};
  const { listener, session } = await open((request) => {
    if (request.path === '/slow')
      return new Promise((resolve) => {
        answer = () => resolve({ status: 200, headers: {}, body: 'x'.repeat(300_000) });
      });
    return {
      status: 200,
      headers: {},
      body: (sink) => {
        sink.write('begun');
        sink.onStop(() => sink.end());
        return undefined;
      },
    };
  });
  const watch = session.request({ ':path': '/watch' });
  await once(watch, 'data');
  const slow = session.request({ ':path': '/slow' });
  const farewell = once(session, 'goaway');
  await new Promise((resolve) => session.ping(resolve));
  const closed = listener.close(5000);
  const ended = once(watch.resume(), 'end');
  expect((await farewell)[0]).toBe(0);
  await ended;
  answer();
  let bytes = 0;
  for await (const piece of slow) bytes += (piece as Buffer).length;
  expect(bytes).toBe(300_000);
  await closed;
  expect(session.closed).toBe(true);
});

test('the option names the implementation', () => {
  expect(resolveOptions().serving.http2).toBe(process.env['KEELSON_PLAIN_RUNTIME'] === '1' ? 'node' : 'own');
  expect(resolveOptions({ http2: 'node' }).serving.http2).toBe('node');
  expect(() => resolveOptions({ http2: 'other' as 'own' })).toThrow('http2: "other" is not one of own, node');
});
