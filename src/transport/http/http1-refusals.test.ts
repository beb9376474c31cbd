import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import type { Handler } from '../../meta/exchange.ts';
import { createIdentity } from '../../pki/identity.ts';
import { Listener } from './listener.ts';

const { ca, serving } = createIdentity(['127.0.0.1'], Date.now());
let listener: Listener;

/** Says what it was asked for; an answer to `/slow` begins, and goes on until the client is gone. */
const handler: Handler = ({ path, rawQuery }) =>
  path === '/slow'
    ? { status: 200, headers: {}, body: (sink) => void sink.write('begun') }
    : { status: 200, headers: {}, body: `${path} ${rawQuery}` };

beforeAll(async () => {
  listener = await Listener.open({
    ...{ handler, clock: systemClock, identity: { ...serving, named: [], clientCa: [ca] } },
    ...{ minVersion: 'TLSv1.2', ciphers: undefined, host: '127.0.0.1', port: 0 },
    onStreamError: (error) => {
      throw error;
    },
  });
});
afterAll(() => listener.close(0));

/** All that the server says to some bytes until it ends the connection. */
async function told(bytes: string, then?: { readonly after: string; readonly bytes: string }): Promise<string> {
  const socket = connect({ port: listener.port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  let text = '';
  let isSent = false;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (then === undefined || isSent || !text.includes(then.after)) return;
    isSent = true;
    socket.write(then.bytes);
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

const parts = (answer: string) => ({ line: answer.split('\r\n')[0], body: answer.split('\r\n\r\n')[1] });

describe('a message of HTTP/1.1 is refused', () => {
  const missing = '400 Bad Request: missing required Host header';
  const malformed = '400 Bad Request: malformed Host header';
  const version = '505 HTTP Version Not Supported: unsupported protocol version';
  const encoding = 'Unsupported transfer encoding';

  test.each([
    ['without a host', 'GET / HTTP/1.1\r\n\r\n', '400 Bad Request', missing],
    ['with two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', '400 Bad Request', '400 Bad Request'],
    ['with a space in the host', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', '400 Bad Request', malformed],
    ['with a path in the host', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', '400 Bad Request', malformed],
    ['of a version without headers', 'GET /\r\n\r\n', '400 Bad Request', '400 Bad Request'],
    ['of the next version', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', '505 HTTP Version Not Supported', version],
    ['with a broken escape in its path', 'GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n', '400 Bad Request', '400 Bad Request'],
    ['that is none', 'no message\r\n\r\n', '400 Bad Request', '400 Bad Request'],
    [
      'whose body has an encoding inside of its pieces',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      '501 Not Implemented',
      encoding,
    ],
    [
      'whose body has a length and pieces',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 Bad Request',
      '400 Bad Request',
    ],
    [
      'that asks for another protocol without a host',
      'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      '400 Bad Request',
      missing,
    ],
    [
      'with headers that are too long',
      `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(1_100_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      '431 Request Header Fields Too Large',
    ],
  ])('%s', async (_, bytes, line, body) => {
    expect(parts(await told(bytes))).toEqual({ line: `HTTP/1.1 ${line}`, body });
  });

  test('behind one that was answered', async () => {
    const answers = await told('GET /a HTTP/1.1\r\nHost: a\r\n\r\n', { after: '/a', bytes: 'no message\r\n\r\n' });
    expect(answers).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n\/a HTTP\/1\.1 400 Bad Request\r\n.*400 Bad Request$/s);
  });

  test('in silence behind one whose answer is under way', async () => {
    const answers = await told('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n', {
      after: 'begun',
      bytes: 'no message\r\n\r\n',
    });
    expect(answers).toMatch(/^HTTP\/1\.1 200 OK\r\n.*begun\r\n$/s);
  });
});

describe('a message of HTTP/1.1 is served', () => {
  const last = 'Connection: close\r\n\r\n';

  test.each([
    ['that names the server in front of its path', `GET https://b:1/c?d HTTP/1.1\r\nHost: a\r\n${last}`, '/c d'],
    ['that names nothing but the server', `GET https://b?d HTTP/1.1\r\nHost: a\r\n${last}`, '/ d'],
    ['of an older version without a host', `GET /c HTTP/1.0\r\n\r\n`, '/c '],
    ['with a broken escape in its query', `GET /c?%zz HTTP/1.1\r\nHost: a\r\n${last}`, '/c %zz'],
    ['that asks for a tunnel, which it does not get', `CONNECT b:1 HTTP/1.1\r\nHost: b:1\r\n\r\n`, 'b:1 '],
  ])('%s', async (_, bytes, body) => {
    expect(parts(await told(bytes))).toEqual({ line: 'HTTP/1.1 200 OK', body });
  });
});
