// A server that chooses every byte it sends: what breaks HTTP/2 (RFC 9113, RFC 7541) ends the stream or the connection, with
// the code that the rule names, and no part of an answer is taken for the whole.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Bytes, bytesOf, field, frame, word } from '../../testing/http2-bytes.ts';
import { TestEnding } from '../../testing/test-ending.ts';
import { type BackendRequest, isUnprocessed } from '../backend-call.ts';
import { collected } from '../collected-body.ts';
import { Http2Connection } from './http2-connection.ts';

const settings = frame(4, 0, 0);
const setting = (id: number, value: number) =>
  frame(4, 0, 0, Buffer.concat([bytesOf(`\0${String.fromCharCode(id)}`), word(value)]));
const data = (text: Bytes, flags = 0, stream = 1) => frame(0, flags, stream, text);
const headers = (block: Bytes, flags = 4) => frame(1, flags, 1, block);
const end = 1;
const whole = 4 | end;
const ok = '\x88';
const begun = headers(ok);
const repeated = (count: number, ...frames: Buffer[]) =>
  Buffer.concat(Array.from({ length: count }, () => frames).flat());

let server: Server;
const sockets = new Set<Socket>();
/** What the client said, by connection. */
let received: Buffer[] = [];
let reply: (socket: Socket) => void = () => {};

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => reply(socket));
    socket.on('data', (chunk: Buffer) => received.push(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  received = [];
});
afterAll(() => {
  server.close();
});

async function open(): Promise<{ socket: Socket; connection: Http2Connection }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return { socket, connection: new Http2Connection(socket, { onUnusable() {} }) };
}

const request = (more: Partial<BackendRequest> = {}): BackendRequest => ({
  ...{ method: 'GET', path: '/', authority: 'ext:443', headers: {}, body: undefined },
  ...more,
});

interface Outcome {
  /** The answer's status and text, or why there is none. */
  readonly said: string;
  /** `goaway 1` or `reset 1`, where the client complained. */
  readonly complained: string;
}

/** What the client said so far: the code of the frame that ends the connection, or a stream. */
function complaint(): string {
  const bytes = Buffer.concat(received).subarray('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length);
  let outcome = '';
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    if (bytes[at + 3] === 7) return `goaway ${bytes.readUInt32BE(at + 13)}`;
    if (bytes[at + 3] === 3) outcome = `reset ${bytes.readUInt32BE(at + 9)}`;
  }
  return outcome;
}

const farewell = frame(6, 0, 0, 'farewell');

async function outcomeOf(frames: readonly Buffer[], asked = request()): Promise<Outcome> {
  reply = (socket) => socket.write(Buffer.concat(frames));
  const { socket, connection } = await open();
  const answerText = await answerOf(connection, asked);
  // the client's answer to a ping, or its end, comes after all that it says of what came before
  const closed = once(socket, 'close');
  for (const one of sockets) if (!one.destroyed) one.write(farewell);
  const pong = new Promise<void>((resolve) => {
    for (const one of sockets)
      one.on('data', () => {
        if (Buffer.concat(received).includes('farewell')) resolve();
      });
  });
  await Promise.race([closed, pong]);
  socket.destroy();
  return { said: answerText, complained: complaint() };
}

async function answerOf(connection: Http2Connection, request: BackendRequest): Promise<string> {
  try {
    const { status, body } = await connection.ask(request, new TestEnding());
    const bytes = await collected(body, { maxBytes: 64 * 1024 * 1024, ending: new TestEnding() });
    return `${status} ${Buffer.from(bytes).toString()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const protocol = 'goaway 1';
const flowControl = 'goaway 3';
const frameSize = 'goaway 6';
const compression = 'goaway 9';
const calm = 'goaway 11';

test.each<[string, Buffer[], string]>([
  ['begins with something else than its settings', [frame(6, 0, 0, '12345678')], protocol],
  ['begins with an acknowledgement', [frame(4, 1, 0)], protocol],
  ['begins with an answer', [headers(ok, whole)], protocol],
  ['speaks HTTP/1.1', [bytesOf('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nno\r\n')], frameSize],
  ['sends settings of a stream', [settings, frame(4, 0, 1)], protocol],
  ['sends settings of a wrong length', [settings, frame(4, 0, 0, '12345')], frameSize],
  ['acknowledges settings with settings', [settings, frame(4, 1, 0, '123456')], frameSize],
  ['allows pushes', [setting(2, 1)], protocol],
  ['allows pushes twice', [setting(2, 2)], protocol],
  ['has a first window beyond all windows', [setting(4, 2 ** 31)], flowControl],
  ['has frames below the least', [setting(5, 16_383)], protocol],
  ['has frames beyond the longest', [setting(5, 2 ** 24)], protocol],
  [
    'raises a window and the first of all',
    [settings, frame(8, 0, 1, word(2 ** 31 - 1 - 65_535)), setting(4, 65_536)],
    flowControl,
  ],
  ['raises the window of the connection beyond all', [settings, frame(8, 0, 0, word(2 ** 31 - 1))], flowControl],
  ['raises the window of the connection by nothing', [settings, frame(8, 0, 0, word(0))], protocol],
  ['raises a window in five bytes', [settings, frame(8, 0, 1, '12345')], frameSize],
  ['raises a window in three bytes', [settings, frame(8, 0, 0, '123')], frameSize],
  ['raises the window of a stream that is not there', [settings, frame(8, 0, 3, word(1))], protocol],
  ['sends a frame that is too long', [settings, data(Buffer.alloc(16_385))], frameSize],
  ['sends a body of the connection', [settings, data('x', 0, 0)], protocol],
  ['sends a body of a stream that is not there', [settings, data('x', 0, 3)], protocol],
  ['sends a body of its own stream', [settings, data('x', 0, 2)], protocol],
  ['sends headers of the connection', [settings, frame(1, whole, 0, ok)], protocol],
  ['sends headers of a stream that is not there', [settings, frame(1, whole, 5, ok)], protocol],
  ['sends headers of its own stream', [settings, frame(1, whole, 2, ok)], protocol],
  ['pads a body with more than there is', [settings, begun, data('\x05abc', 8)], protocol],
  ['pads a body with all there is', [settings, begun, data('\x04abc', 8)], protocol],
  ['pads without saying how much', [settings, begun, data('', 8)], protocol],
  ['pads headers with more than there is', [settings, headers(`\x09${ok}`, 4 | 8)], protocol],
  ['has a priority that is cut off', [settings, headers('abc', 4 | 32)], frameSize],
  ['has a priority of a wrong length', [settings, frame(2, 0, 1, '1234')], frameSize],
  ['has a priority of the connection', [settings, frame(2, 0, 0, '12345')], protocol],
  ['resets the connection like a stream', [settings, frame(3, 0, 0, word(8))], protocol],
  ['resets a stream that is not there', [settings, frame(3, 0, 9, word(8))], protocol],
  ['resets in three bytes', [settings, frame(3, 0, 1, '123')], frameSize],
  ['pushes', [settings, frame(5, 4, 1, `\0\0\0\x02${ok}`)], protocol],
  ['pings a stream', [settings, frame(6, 0, 1, '12345678')], protocol],
  ['pings in seven bytes', [settings, frame(6, 0, 0, '1234567')], frameSize],
  ['leaves a stream like a connection', [settings, frame(7, 0, 1, Buffer.alloc(8))], protocol],
  ['leaves in seven bytes', [settings, frame(7, 0, 0, Buffer.alloc(7))], frameSize],
  ['goes on with headers that were whole', [settings, begun, frame(9, 4, 1, ok)], protocol],
  ['goes on with headers that never began', [settings, frame(9, 4, 1, ok)], protocol],
  ['goes on with headers of the connection', [settings, headers(ok, 0), frame(9, 4, 0, '')], protocol],
  ['goes on with headers of another stream', [settings, headers(ok, 0), frame(9, 4, 3, '')], protocol],
  ['pings between parts of headers', [settings, headers(ok, 0), frame(6, 0, 0, '12345678')], protocol],
  ['sends what is not known between parts of headers', [settings, headers(ok, 0), frame(77, 0, 1)], protocol],
  ['sends headers between parts of headers', [settings, headers(ok, 0), headers(ok)], protocol],
  ['never ends its headers', [settings, headers(ok, 0), repeated(9000, frame(9, 0, 1))], calm],
  [
    'never ends its headers, in long parts',
    [settings, headers(ok, 0), repeated(5, frame(9, 0, 1, Buffer.alloc(16_000, 0x88)))],
    calm,
  ],
  [
    'sends more headers than there is room for',
    [settings, headers(ok + `\x7f\0\x7f\xa1\x1e${'v'.repeat(4000)}`.slice(3), 4)],
    compression,
  ],
  ['refers to a field that is not there', [settings, headers('\xff\x7f', whole)], compression],
  ['refers to field 0', [settings, headers('\x80', whole)], compression],
  ['names a field by a number that is not there', [settings, headers(`${ok}\x7f\x20\x01b`, whole)], compression],
  ['has a number without end', [settings, headers(`\xff${'\x80'.repeat(20)}\x01`, whole)], compression],
  ['has a number of 40 bits', [settings, headers('\xff\xff\xff\xff\xff\xff\x01', whole)], compression],
  ['has a number that is cut off', [settings, headers(`${ok}\xff`, whole)], compression],
  ['has a name that is cut off', [settings, headers(`${ok}\0\x05ab`, whole)], compression],
  ['has a value that is cut off', [settings, headers(`${ok}\0\x01a\x7f`, whole)], compression],
  ['has a text of gigabytes', [settings, headers(`${ok}\0\x7f\xff\xff\xff\x7f`, whole)], compression],
  ['has a table that is too large', [settings, headers(`\x3f\xe2\x1f${ok}`, whole)], compression],
  ['resizes its table behind a field', [settings, headers(`${ok}\x20`, whole)], compression],
  ['resizes its table between fields', [settings, headers(`${ok}\x20${field('a', 'b')}`, whole)], compression],
  [
    'has a Huffman code of the end of a text',
    [settings, headers(`${ok}\0\x01a\x84\xff\xff\xff\xff`, whole)],
    compression,
  ],
  ['fills a Huffman code with zeros', [settings, headers(`${ok}\0\x01a\x81\x18`, whole)], compression],
  ['fills a Huffman code with a byte of ones', [settings, headers(`${ok}\0\x01a\x82\x1f\xff`, whole)], compression],
  [
    'forgets a field and refers to it',
    [settings, headers(`\x20${ok}\x40${field('a', 'b').slice(1)}\xbe`, whole)],
    compression,
  ],
  ['floods with pings', [settings, repeated(20_100, frame(6, 0, 0, '12345678'))], calm],
  ['floods with answers to pings', [settings, repeated(20_100, frame(6, 1, 0, '12345678'))], calm],
  ['floods with settings', [settings, repeated(20_100, settings)], calm],
  ['floods with windows', [settings, repeated(20_100, frame(8, 0, 1, word(1)))], calm],
  ['floods with priorities', [settings, repeated(20_100, frame(2, 0, 1, '12345'))], calm],
  ['floods with what is not known', [settings, repeated(20_100, frame(99, 0, 0, 'x'))], calm],
  ['floods with empty pieces', [settings, begun, repeated(20_100, data(''))], calm],
  ['floods with padding', [settings, begun, repeated(20_100, data('\x02\0\0', 8))], calm],
  ['floods with resets', [settings, repeated(20_100, frame(3, 0, 1, word(8)))], calm],
])('a server that %s is left', async (_, frames, complained) => {
  const outcome = await outcomeOf(frames);
  expect(outcome.complained).toBe(complained);
  expect(outcome.said).toMatch(/EOF|received from peer/);
});

test.each<[string, Buffer[], string?]>([
  ['raises its window by nothing', [frame(8, 0, 1, word(0))]],
  ['raises its window beyond all windows', [frame(8, 0, 1, word(2 ** 31 - 1))], 'reset 3'],
  ['has a body before its headers', [data('x', end)]],
  ['has no status', [headers(field('a', 'b'), whole)]],
  ['has no header at all', [headers('', whole)]],
  ['has a status of four digits', [headers('\x08\x042000', whole)]],
  ['has a status of no digits', [headers('\x08\x032x0', whole)]],
  ['has a status with a sign', [headers('\x08\x03+20', whole)]],
  ['has an empty status', [headers('\x08\x00', whole)]],
  ['has a status below all', [headers('\x08\x03099', whole)]],
  ['has two statuses', [headers(ok + ok, whole)]],
  ['has a status behind other fields', [headers(field('a', 'b') + ok, whole)]],
  ['has a path', [headers(`${ok}\x84`, whole)]],
  ['has a method', [headers(`\x82${ok}`, whole)]],
  ['has a pseudo field of its own', [headers(ok + field(':mine', 'x'), whole)]],
  ['changes the protocol', [headers('\x08\x03101')]],
  ['ends before it begins', [headers('\x08\x03103', whole)]],
  ['begins without end', [...Array.from({ length: 17 }, () => headers('\x08\x03100')), headers(ok, whole)]],
  ['has a body between hints', [headers('\x08\x03103'), data('x'), headers(ok, whole)]],
  ['has a name in capitals', [headers(ok + field('Etag', 'x'), whole)]],
  ['has a name with a space', [headers(ok + field('a b', 'x'), whole)]],
  ['has an empty name', [headers(ok + field('', 'x'), whole)]],
  ['has a name with a colon', [headers(ok + field('a:b', 'x'), whole)]],
  ['has a line break in a value', [headers(ok + field('a', 'x\r\ny'), whole)]],
  ['has a zero in a value', [headers(ok + field('a', 'x\0y'), whole)]],
  ['has an escape in a value', [headers(ok + field('a', 'x\x1by'), whole)]],
  ['has a space before a value', [headers(ok + field('a', ' x'), whole)]],
  ['has a space behind a value', [headers(ok + field('a', 'x '), whole)]],
  ['speaks of its connection', [headers(ok + field('connection', 'close'), whole)]],
  ['keeps its connection alive', [headers(ok + field('keep-alive', 'timeout=5'), whole)]],
  ['is chunked', [headers(ok + field('transfer-encoding', 'chunked')), data('0\r\n\r\n', end)]],
  ['wants another protocol', [headers(ok + field('upgrade', 'h2c'), whole)]],
  ['has a length that is none', [headers(ok + field('content-length', 'x1')), data('x', end)]],
  ['has a length below zero', [headers(ok + field('content-length', '-1')), data('x', end)]],
  ['has two lengths', [headers(ok + field('content-length', '1') + field('content-length', '2')), data('x', end)]],
  ['has a length of many digits', [headers(ok + field('content-length', '9'.repeat(30))), data('x', end)]],
  ['is longer than it said', [headers(ok + field('content-length', '1')), data('xy', end)]],
  ['is not empty though it said so', [headers(ok + field('content-length', '0')), data('x', end)]],
  ['has a body of 204', [headers('\x89'), data('x', end)]],
  ['has a body of 304', [headers('\x8b'), data('x', end)]],
  ['goes on behind its headers', [begun, headers(field('a', 'b')), data('x', end)]],
  ['has a status in its trailers', [begun, data('x'), headers(ok, whole)]],
  ['has trailers that are none', [begun, data('x'), headers(field('A', 'b'), whole)]],
])('an answer that %s is refused alone', async (_, frames, complained = 'reset 1') => {
  const outcome = await outcomeOf([settings, ...frames]);
  expect(outcome.said).toBe('malformed HTTP response');
  expect(outcome.complained).toBe(complained);
});

test.each<[string, Buffer[], string]>([
  ['is shorter than it said', [headers(ok + field('content-length', '9')), data('x', end)], 'unexpected EOF'],
  ['ends with its headers though it said more', [headers(ok + field('content-length', '9'), whole)], 'unexpected EOF'],
  [
    'ends with trailers though it said more',
    [headers(ok + field('content-length', '9')), data('x'), headers(field('a', 'b'), whole)],
    'unexpected EOF',
  ],
  ['is reset in the middle', [begun, data('x'), frame(3, 0, 1, word(2))], 'INTERNAL_ERROR; received from peer'],
  ['is reset without an error', [begun, data('x'), frame(3, 0, 1, word(0))], 'NO_ERROR; received from peer'],
  ['is reset for its own reason', [frame(3, 0, 1, word(4711))], 'unknown error code 0x1267'],
  ['is refused', [frame(3, 0, 1, word(7))], 'REFUSED_STREAM'],
  ['is left before it began', [frame(7, 0, 0, Buffer.alloc(8))], 'EOF'],
  ['is left with an error', [begun, frame(7, 0, 0, Buffer.concat([word(0), word(2)]))], 'unexpected EOF'],
])('an answer that %s is no whole one', async (_, frames, said) => {
  expect((await outcomeOf([settings, ...frames])).said).toContain(said);
});

test.each<[string, Buffer[], boolean]>([
  ['leaves before it began', [frame(7, 0, 0, Buffer.alloc(8))], true],
  ['refuses', [frame(3, 0, 1, word(7))], true],
  ['leaves behind its headers', [frame(7, 0, 0, Buffer.concat([word(1), word(0)])), frame(3, 0, 1, word(2))], false],
  ['resets', [frame(3, 0, 1, word(8))], false],
  ['breaks the protocol', [frame(6, 0, 1)], false],
])('whether a request may be sent again is known of a server that %s', async (_, frames, mayRepeat) => {
  reply = (socket) => socket.write(Buffer.concat([settings, ...frames]));
  const { connection } = await open();
  const error = await connection.ask(request(), new TestEnding()).catch((why: unknown) => why);
  expect(error).toBeInstanceOf(Error);
  expect(isUnprocessed(error)).toBe(mayRepeat);
});

const head = request({ method: 'HEAD' });

test.each<[string, Buffer[], string, BackendRequest?]>([
  ['resets it when it is whole', [begun, data('x', end), frame(3, 0, 1, word(0))], '200 x'],
  [
    'leaves, and finishes what it began',
    [begun, frame(7, 0, 0, Buffer.concat([word(1), word(0)])), data('x', end)],
    '200 x',
  ],
  ['leaves twice', [repeated(2, frame(7, 0, 0, Buffer.concat([word(1), word(0)]))), headers(ok, whole)], '200 '],
  ['sends hints', [repeated(16, headers('\x08\x03103')), headers(ok, whole)], '200 '],
  ['says the length of what HEAD does not get', [headers(ok + field('content-length', '9'), whole)], '200 ', head],
  [
    'ends an answer to HEAD with an empty piece',
    [headers(ok + field('content-length', '9')), data('', end)],
    '200 ',
    head,
  ],
  ['says the length of what did not change', [headers(`\x8b${field('content-length', '9')}`, whole)], '304 '],
  ['resizes its table twice at the beginning', [headers(`\x20\x3f\xe1\x1f${ok}`, whole)], '200 '],
  ['pads by all it may', [headers(`\x01${ok}\0`, 4 | 8), data(`\x02xy${'\0'.repeat(2)}`, end | 8)], '200 xy'],
  ['has settings that are not known', [setting(77, 5), headers(ok, whole)], '200 '],
  ['sets the highest bit of the stream', [frame(1, whole, 0x8000_0001, ok)], '200 '],
  ['has a tab in a value', [headers(ok + field('a', 'x\ty'), whole)], '200 '],
  [
    'ends its headers in parts of one byte',
    [headers('', 0), frame(9, 0, 1, ok), frame(9, 4, 1, ''), data('', end)],
    '200 ',
  ],
  ['goes on behind the end', [headers(ok, whole), data('x'), headers(ok)], '200 '],
  ['sends two thousand pings', [repeated(2000, frame(6, 0, 0, '12345678')), headers(ok, whole)], '200 '],
])('a server that %s is understood', async (_, frames, said, asked) => {
  const outcome = await outcomeOf([settings, ...frames], asked);
  expect(outcome.said).toBe(said);
  expect(outcome.complained).toMatch(/^(?:|goaway 0)$/);
});

test('an answer to HEAD that has a body is refused', async () => {
  expect((await outcomeOf([settings, begun, data('x', end)], head)).said).toBe('malformed HTTP response');
});

test('clients that come and leave do not fill the memory where the server reads nothing', async () => {
  reply = (socket) => {
    socket.write(settings);
    socket.pause();
  };
  const { socket, connection } = await open();
  const long = request({ headers: { 'x-long': 'v'.repeat(60_000) } });
  let requests = 0;
  while (connection.hasRoom && requests < 2000) {
    const ending = new TestEnding();
    const answer = connection.ask(long, ending);
    requests++;
    ending.end();
    await expect(answer).rejects.toThrow();
  }
  expect(connection.hasRoom).toBe(false);
  expect(requests).toBeLessThan(500);
  socket.destroy();
});

test('a body waits where the server takes none, and is given up with its client', async () => {
  reply = (socket) => socket.write(Buffer.concat([setting(4, 0)]));
  const { socket, connection } = await open();
  const ending = new TestEnding();
  const answer = connection.ask(request({ method: 'POST', body: Buffer.alloc(100_000) }), ending);
  await new Promise((resolve) => setImmediate(resolve));
  ending.end();
  await expect(answer).rejects.toThrow('given up');
  expect(connection.calls).toBe(0);
  socket.destroy();
});
