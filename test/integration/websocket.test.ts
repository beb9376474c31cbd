// Watches over a WebSocket: the handshake, one message an event, and clients that misbehave.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptKey, encodeFrame, opcodes } from '../../src/codec/websocket.ts';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { type Credentials, credentialsOf } from './credentials.ts';

let server: Server;
let api: Api;
let admin: Credentials;
beforeAll(async () => {
  server = await startTestServer({ controllers: [] });
  api = apiOf(server);
  admin = credentialsOf(server.kubeconfig);
});
afterAll(() => server.close());

interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** As much of a client as these tests need: bytes in order, frames out of them. */
class Connection {
  readonly #socket: TLSSocket;
  #bytes = Buffer.alloc(0);
  isOver = false;
  #wake = () => {};

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isOver = true;
      this.#wake();
    });
  }

  static async open(url: string, credentials: object): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: ['http/1.1'], ...credentials });
    await once(socket, 'secureConnect');
    return new Connection(socket);
  }

  send(bytes: Buffer | string): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Everything up to and including the first empty line. */
  async head(): Promise<string> {
    await this.#until(() => this.#bytes.includes('\r\n\r\n'));
    return this.#take(this.#bytes.indexOf('\r\n\r\n') + 4).toString();
  }

  async rest(): Promise<string> {
    await this.#until(() => this.isOver);
    return this.#take(this.#bytes.length).toString();
  }

  /** The next frame; undefined when the connection ends instead. */
  async next(): Promise<Message | undefined> {
    await this.#until(() => this.#bytes.length >= 2 || this.isOver);
    if (this.#bytes.length < 2) return undefined;
    const short = this.#bytes[1] as number;
    const size = short < 126 ? 2 : short === 126 ? 4 : 10;
    await this.#until(() => this.#bytes.length >= size);
    const length =
      short < 126 ? short : short === 126 ? this.#bytes.readUInt16BE(2) : Number(this.#bytes.readBigUInt64BE(2));
    await this.#until(() => this.#bytes.length >= size + length);
    const frame = this.#take(size + length);
    return { opcode: (frame[0] as number) & 15, payload: frame.subarray(size) };
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

const key = randomBytes(16).toString('base64');

function handshake(path: string, headers: Record<string, string> = {}): string {
  const all = {
    Host: 'x',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': key,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** A frame as clients send it. */
function fromClient(opcode: number, payload = Buffer.alloc(0)): Buffer {
  const frame = encodeFrame(opcode as never, payload);
  const head = Buffer.from(frame.subarray(0, frame.length - payload.length));
  head[1] = (head[1] as number) | 0x80;
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

async function openWatch(
  query: string,
  headers: Record<string, string> = {},
): Promise<{ head: string; connection: Connection }> {
  const connection = await Connection.open(server.url, admin);
  connection.send(handshake(`${configMaps}?watch=true&${query}`, headers));
  return { head: await connection.head(), connection };
}

const newest = async () => (await api.get(configMaps)).body.metadata.resourceVersion as string;
const closeCode = (message: Message | undefined) =>
  message?.opcode === opcodes.close ? message.payload.readUInt16BE(0) : undefined;

describe('a watch over a WebSocket', () => {
  test('shakes hands and sends one text message an event', async () => {
    const { head, connection } = await openWatch(`resourceVersion=${await newest()}`);
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head).toContain(`Sec-WebSocket-Accept: ${acceptKey(key)}\r\n`);
    expect(head).not.toContain('Sec-WebSocket-Protocol');
    await api.post(configMaps, configMap('socket', { text: 'x'.repeat(100_000) }));
    await api.delete(`${configMaps}/socket`);
    const messages = [await connection.next(), await connection.next()];
    expect(messages.map((message) => message?.opcode)).toEqual([opcodes.text, opcodes.text]);
    const events = messages.map((message) => JSON.parse(message?.payload.toString() ?? ''));
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'socket'],
      ['DELETED', 'socket'],
    ]);
    connection.close();
  });

  test('sends binary messages to those who want protobuf', async () => {
    const { connection } = await openWatch(`resourceVersion=${await newest()}`, {
      Accept: 'application/vnd.kubernetes.protobuf',
    });
    await api.post(configMaps, configMap('binary'));
    const message = await connection.next();
    expect(message?.opcode).toBe(opcodes.binary);
    // field 1 of the event: its type
    expect(message?.payload.subarray(0, 7).toString('latin1')).toBe('\n\u0005ADDED');
    connection.close();
    await api.delete(`${configMaps}/binary`);
  });

  test('chooses the first protocol that is offered, but repeats no token', async () => {
    const { head, connection } = await openWatch('resourceVersion=0', {
      'Sec-WebSocket-Protocol': 'base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io',
    });
    expect(head).toContain('Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n');
    expect(head).not.toContain('c2VjcmV0');
    connection.close();
  });

  test('answers pings, ignores messages, and closes when asked to', async () => {
    const { connection } = await openWatch(`resourceVersion=${await newest()}`);
    connection.send(
      Buffer.concat([fromClient(opcodes.text, Buffer.from('hello')), fromClient(opcodes.ping, Buffer.from('there'))]),
    );
    const pong = await connection.next();
    expect([pong?.opcode, pong?.payload.toString()]).toEqual([opcodes.pong, 'there']);
    connection.send(fromClient(opcodes.close, Buffer.from([3, 232])));
    expect(closeCode(await connection.next())).toBe(1000);
    expect(await connection.next()).toBeUndefined();
  });

  test('closes when its time is up', async () => {
    const { connection } = await openWatch(`resourceVersion=${await newest()}&timeoutSeconds=1`);
    expect(closeCode(await connection.next())).toBe(1000);
    connection.close();
  });

  test.each([
    ['a frame that is too large', fromClient(opcodes.binary, Buffer.alloc(65_537)), 1009],
    ['a frame without a mask', encodeFrame(opcodes.text, Buffer.from('x')), 1002],
  ])('closes on %s', async (_, bytes, code) => {
    const { connection } = await openWatch(`resourceVersion=${await newest()}`);
    connection.send(bytes);
    expect(closeCode(await connection.next())).toBe(code);
    connection.close();
  });

  test('that is refused is refused over HTTP', async () => {
    const connection = await Connection.open(server.url, admin);
    connection.send(handshake(`${configMaps}?watch=true&labelSelector=a%20b`));
    expect(await connection.head()).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(await connection.rest())).toMatchObject({ kind: 'Status', code: 400 });
    const stranger = await Connection.open(server.url, { ca: admin.ca });
    stranger.send(handshake(`${configMaps}?watch=true`));
    expect(await stranger.head()).toMatch(/^HTTP\/1\.1 40[13] /);
    stranger.close();
  });

  test('that is no watch is answered over HTTP', async () => {
    const connection = await Connection.open(server.url, admin);
    connection.send(handshake(`${configMaps}?limit=1`));
    expect(await connection.head()).toMatch(/^HTTP\/1\.1 200 /);
    expect(JSON.parse(await connection.rest())).toMatchObject({ kind: 'ConfigMapList' });
  });

  test.each([
    ['', 400],
    ['{}', 400],
  ])('that is a POST of %j is answered over HTTP', async (body, status) => {
    const connection = await Connection.open(server.url, admin);
    const lines = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Content-Type: application/json'];
    connection.send(
      `POST ${configMaps} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await connection.head()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(await connection.rest())).toMatchObject({ kind: 'Status', code: status });
  });

  test('with a bad key goes on as a plain stream', async () => {
    const connection = await Connection.open(server.url, admin);
    connection.send(handshake(`${configMaps}?watch=true&timeoutSeconds=1`, { 'Sec-WebSocket-Key': 'short' }));
    expect(await connection.head()).toMatch(/^HTTP\/1\.1 200 /);
    connection.close();
  });

  test('ends when the server does', async () => {
    const own = await startTestServer({ controllers: [] });
    const connection = await Connection.open(own.url, credentialsOf(own.kubeconfig));
    connection.send(handshake(`${configMaps}?watch=true`));
    await connection.head();
    const closing = own.close();
    let last: Message | undefined;
    for (let next = await connection.next(); next !== undefined; next = await connection.next()) last = next;
    expect(closeCode(last)).toBe(1000);
    await closing;
  });
});
