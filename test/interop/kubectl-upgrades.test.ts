// What kubectl has for paths of its own choice, with a group that another server serves: `kubectl proxy` passes upgrades on,
// as exec needs them, and `kubectl get --raw` everything else.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Backend, json, register } from '../integration/backend.ts';
import { describeWith, kubectl } from './peers.ts';
import { workbench } from './workbench.ts';

const group = 'ext.example';
const things = `/apis/${group}/v1/namespaces/default/things`;

/** Says hello, then whatever it hears. */
function speak(incoming: IncomingMessage, socket: Duplex): void {
  if (incoming.url?.includes('/refuse')) {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 8\r\nConnection: close\r\n\r\nnot here');
    return;
  }
  const accepted = incoming.headers['sec-websocket-protocol']?.split(',')[0];
  const protocol = accepted === undefined ? '' : `Sec-WebSocket-Protocol: ${accepted}\r\n`;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\n${protocol}\r\nhello `,
  );
  socket.pipe(socket);
}

describeWith(kubectl, 'kubectl with a group that another server serves', () => {
  const bench = workbench(kubectl);
  let backend: Backend;
  beforeAll(async () => {
    backend = await Backend.open(
      (_, response, { url }) => json(response, url.includes('/things') ? { kind: 'Thing', url } : {}),
      {
        onUpgrade: speak,
      },
    );
    await register(bench.server, backend, { group });
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  test.each([
    [
      'websocket',
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n',
    ],
    ['SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io\r\n'],
  ])('passes an upgrade to %s on, both ways', async (protocol, more) => {
    const { start } = await bench.namespace();
    await using proxy = start`proxy --port=0`;
    await proxy.printed(/Starting to serve on 127\.0\.0\.1:\d+/);
    const socket = connect(Number(/:(\d+)/.exec(proxy.stdout)?.[1]), '127.0.0.1');
    socket.write(
      `POST ${things}/a/exec?command=date&stdout=true HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`,
    );
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.endsWith('hello ')) socket.write('and back');
      if (text.endsWith('and back')) break;
    }
    expect(text).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(text).toMatch(new RegExp(`^upgrade: ${protocol}\r$`, 'im'));
    // the others ask at the same time
    const path = `${things}/a/exec?command=date&stdout=true`;
    const asked = backend.seen.find(({ url, headers }) => url === path && headers.upgrade === protocol);
    const { method, headers } = asked as NonNullable<typeof asked>;
    expect(method).toBe('POST');
    expect(headers).toMatchObject({ upgrade: protocol, connection: 'Upgrade', 'x-remote-user': 'keelson-admin' });
  });

  test('shows why an upgrade is refused', async () => {
    const { start } = await bench.namespace();
    await using proxy = start`proxy --port=0`;
    await proxy.printed(/Starting to serve on/);
    const socket = connect(Number(/:(\d+)/.exec(proxy.stdout)?.[1]), '127.0.0.1');
    socket.write(
      `GET ${things}/refuse/exec HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (part) => {
      text += String(part);
    });
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(text).toContain('not here');
  });

  test('asks for its own path choice', async () => {
    const { run } = await bench.namespace();
    const { stdout } = await run`get --raw ${`${things}/a?x=1`}`;
    expect(JSON.parse(stdout)).toEqual({ kind: 'Thing', url: `${things}/a?x=1` });
  });
});
