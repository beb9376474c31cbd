// Servers of aggregated APIs that misbehave: only their own requests suffer, and none outlives its client.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectNoWait } from '../../src/testing/processor-time.ts';
import { type Api, apiOf } from './api.ts';
import { Backend, type Behaviour, json, type Outgoing, register } from './backend.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';

const group = 'ext.example';
const at = (name: string) => `/apis/${group}/v1/things/${name}`;

/** Bytes that the endless answer has written so far. */
let written = 0;

function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (!response.destroyed) {
      written += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
  };
  more();
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 20);
  response.on('close', () => clearInterval(timer));
}

let loseConnections = () => {};

const behave: Behaviour = (request, outgoing: Outgoing, { url }) => {
  const response = outgoing as ServerResponse;
  if (url.includes('/hang')) return;
  if (url.includes('/endless')) endless(response);
  else if (url.includes('/drip')) drip(response);
  else if (url.includes('/short')) {
    response.writeHead(200, { 'content-length': 100 });
    response.write('only this');
    setTimeout(loseConnections, 20);
  } else if (url.includes('/midway')) {
    response.write('a part');
    setTimeout(loseConnections, 20);
  } else if (url.includes('/close')) (request as IncomingMessage).socket?.destroy();
  else json(outgoing, { kind: 'Thing' });
};

/** Writes to the connection what is no HTTP. */
const rawly =
  (text: () => string): Behaviour =>
  (request, response, { url }) => {
    const { socket } = request as IncomingMessage;
    if (url.includes('/raw')) socket.write(text());
    else json(response, { kind: 'Thing' });
  };

describe.each(['h2', 'http/1.1'] as const)('a backend that speaks %s', (protocol) => {
  let server: Server;
  let backend: Backend;
  let api: Api;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    backend = await Backend.open(behave, { protocol });
    loseConnections = () => {
      for (const socket of backend.sockets) socket.destroy();
    };
    server = await startTestServer();
    api = await register(server, backend, { group });
    session = connect(server.url, credentialsOf(server.kubeconfig));
    session.on('error', () => {});
  });
  afterAll(async () => {
    session.destroy();
    await server.close();
    await backend[Symbol.asyncDispose]();
  });

  const ended = () =>
    new Promise<void>((resolve) => {
      backend.onClosed = resolve;
    });
  const open = (name: string): ClientHttp2Stream => session.request({ ':path': at(name) }).on('error', () => {});
  const isWell = async () => {
    expect((await api.get('/api/v1/namespaces/default')).status).toBe(200);
    expect((await api.get(at('fine'))).body).toEqual({ kind: 'Thing' });
  };

  test('and hangs is given up at the deadline of the request, there too', async () => {
    const closed = ended();
    const asked = api.get(`${at('hang')}?timeout=300ms`);
    await isWell();
    expect((await asked).status).toBe(504);
    await closed;
  });

  test('and hangs is left as soon as the client leaves', async () => {
    const closed = ended();
    const before = backend.seen.length;
    const stream = open('hang');
    await eventually(async () => expect(backend.seen.length).toBeGreaterThan(before));
    stream.close();
    await closed;
    await isWell();
  });

  test('and never ends is slowed to the pace of the client, and left with it', async () => {
    written = 0;
    const closed = ended();
    const stream = open('endless');
    await new Promise((resolve) => stream.once('response', resolve));
    let last = -1;
    await eventually(async () => {
      const before = last;
      last = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([written, before]).toEqual([last, last]);
    });
    expect(written).toBeLessThan(8 * 1024 * 1024);
    await isWell();
    stream.close();
    await closed;
  });

  test('and drips is cut at the deadline', async () => {
    const closed = ended();
    const stream = open('drip?timeout=2s');
    let text = '';
    stream.on('data', (part: Buffer) => {
      text += part.toString();
    });
    await closed;
    await new Promise((resolve) => (stream.closed ? resolve(undefined) : stream.once('close', resolve)));
    expect(text.length).toBeGreaterThan(1);
    await isWell();
  });

  test('and closes the connection is unavailable for that request', async () => {
    expect(await api.get(at('close'))).toMatchObject({ status: 503 });
    await isWell();
  });

  test('and breaks off is never taken for one that has said everything', async () => {
    expect((await api.get(at('short'))).status).toBe(503);
    await expect(server.fetch(at('midway')).then((response) => response.text())).rejects.toThrow();
    await isWell();
  });
});

test.each([
  ['garbage', () => '\u0000\u0001garbage\r\n\r\n'],
  ['headers without end', () => `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}`],
  ['a status that is none', () => 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['a length that is none', () => 'HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n'],
])('%s in place of an answer is told as such', async (_, text) => {
  await using backend = await Backend.open(rawly(text), { protocol: 'http/1.1' });
  await using server = await startTestServer({ listen: false });
  const api = await register(server, backend, { group });
  expect([502, 503]).toContain((await api.get(at('raw'))).status);
  expect((await api.get(at('fine'))).body).toEqual({ kind: 'Thing' });
});

test('requests over a connection that broke while it was idle are asked again', async () => {
  await using backend = await Backend.open(behave);
  await using server = await startTestServer({ listen: false });
  const api = await register(server, backend, { group });
  for (let i = 0; i < 5; i++) {
    expect((await api.get(at('fine'))).status).toBe(200);
    for (const socket of backend.sockets) socket.destroy();
  }
});

test('a server that is closed does not wait for a backend that hangs', async () => {
  await using backend = await Backend.open(behave);
  const server = await startTestServer({ listen: false });
  const api = apiOf(server);
  await register(server, backend, { group });
  const asked = api.get(at('hang'));
  await eventually(async () => expect(backend.seen.some(({ url }) => url.includes('/hang'))).toBe(true));
  await expectNoWait(3000, () => server.close());
  for (const socket of backend.sockets) socket.destroy();
  expect((await asked).status).toBe(503);
});
