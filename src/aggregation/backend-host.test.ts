import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import type { BackendRequest } from './backend-call.ts';
import { BackendHost } from './backend-host.ts';

const refused = 7;
const ending = { hasEnded: false, onEnd() {}, offEnd() {} };
const request = (method: string, body?: BackendRequest['body']): BackendRequest => ({
  ...{ method, path: '/', authority: 'ext:443', headers: {}, body },
});

let server: Http2Server | undefined;
let host: BackendHost | undefined;
afterEach(() => {
  host?.retire();
  server?.close();
});

/** A server that does as it is told with each request, and how often it was asked. */
async function opened(behave: (stream: ServerHttp2Stream, count: number) => void): Promise<() => number> {
  let count = 0;
  const made = createServer();
  server = made;
  made.on('stream', (stream) => {
    stream.on('error', () => {});
    behave(stream, ++count);
  });
  made.on('session', (session) => session.on('error', () => {}));
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  const dial = async () => {
    const socket = connect((made.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return Object.assign(socket, { alpnProtocol: 'h2' }) as unknown as TLSSocket;
  };
  host = new BackendHost(dial, () => {});
  return () => count;
}

const statusOf = async (request: BackendRequest) => {
  const { status, body } = await (host as BackendHost).ask(request, ending);
  body.cancel();
  return status;
};
const end = (stream: ServerHttp2Stream) => stream.respond({ ':status': 200 }, { endStream: true });

test.each(['GET', 'POST', 'PATCH', 'DELETE'])('%s is sent again where the server refused it', async (method) => {
  const count = await opened((stream, number) => (number < 3 ? stream.close(refused) : end(stream)));
  expect(await statusOf(request(method, method === 'GET' ? undefined : Buffer.from('{}')))).toBe(200);
  expect(count()).toBe(3);
});

test('a server that always refuses receives five requests', async () => {
  const count = await opened((stream) => stream.close(refused));
  await expect(statusOf(request('GET'))).rejects.toThrow('REFUSED_STREAM');
  expect(count()).toBe(5);
});

test('a body that was read from a client is not sent again', async () => {
  const count = await opened((stream) => stream.close(refused));
  const body = (async function* () {
    yield Buffer.from('{}');
  })();
  await expect(statusOf(request('POST', body))).rejects.toThrow('REFUSED_STREAM');
  expect(count()).toBe(1);
});

const broken = (stream: ServerHttp2Stream) => stream.session?.destroy();

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is not sent again where the connection broke', async (method) => {
  const count = await opened((stream, number) => (number === 2 ? broken(stream) : end(stream)));
  await statusOf(request('GET'));
  await expect(statusOf(request(method, Buffer.from('{}')))).rejects.toThrow('EOF');
  expect(count()).toBe(2);
});

test('GET is sent again, once, where a connection broke that was kept', async () => {
  const count = await opened((stream, number) => (number > 1 ? broken(stream) : end(stream)));
  await statusOf(request('GET'));
  await expect(statusOf(request('GET'))).rejects.toThrow('EOF');
  expect(count()).toBe(3);
});

test('GET is not sent again where the connection was new', async () => {
  const count = await opened(broken);
  await expect(statusOf(request('GET'))).rejects.toThrow('EOF');
  expect(count()).toBe(1);
});
