// Requests that hide another one from the servers behind this one: those of aggregated APIs, agents of nodes, pods and services,
// which believe what comes over this server's connections. Whatever a client sends, they see its own request, or none.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { Backend, type Incoming, json, type Outgoing, register } from './backend.ts';
import { credentialsOf } from './credentials.ts';

const group = 'ext.example';
const routes = [
  ['an aggregated API', `/apis/${group}/v1/things`, `/apis/${group}/v1/things`],
  ['a node', '/api/v1/nodes/n1/proxy/things', '/things'],
  ['a pod', '/api/v1/namespaces/default/pods/https:p1:/proxy/things', '/things'],
  ['a service', '/api/v1/namespaces/default/services/https:s1:web/proxy/things', '/things'],
] as const;

/** Pods are nowhere on this machine; connections to this one are led to the server of this test, and to no other machine. */
const podAddress = '192.0.2.77';

function leadPodsHere(): void {
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const options = [args[0]].flat()[0] as { host?: string };
    if (options.host === podAddress) options.host = '127.0.0.1';
    return connect.apply(this, args);
  });
}

/** A pod that says where it is, and a service in front of it. */
async function addPod(port: number): Promise<void> {
  const core = '/api/v1/namespaces/default';
  const containers = [{ name: 'main', image: 'main:1', ports: [{ containerPort: port }] }];
  const podIPs = [{ ip: podAddress }];
  const client = apiOf(server);
  const made = [
    await client.post(`${core}/pods`, { metadata: { name: 'p1' }, spec: { containers } }),
    await client.patch('merge', `${core}/pods/p1/status`, { status: { podIP: podAddress, podIPs } }),
    await client.post(`${core}/services`, {
      metadata: { name: 's1' },
      spec: { ports: [{ name: 'web', port: 443, targetPort: port }] },
    }),
    await client.post(`${core}/endpoints`, {
      metadata: { name: 's1' },
      subsets: [
        {
          addresses: [{ ip: podAddress, targetRef: { kind: 'Pod', name: 'p1', namespace: 'default' } }],
          ports: [{ name: 'web', port }],
        },
      ],
    }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 200, 201, 201]);
}

let server: Server;
let api: Api;
let backend: Backend;
/** What came as the body of each request. */
const bodies = new Map<string, string>();
/** What came over connections that asked for another protocol, after their headers. */
let beyond = '';

async function behave(request: Incoming, response: Outgoing): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  bodies.set(request.url ?? '', body);
  json(response, {});
}

beforeAll(async () => {
  backend = await Backend.open((request, response) => void behave(request, response).catch(() => {}), {
    ...{ protocol: 'http/1.1', hosts: ['ext.default.svc', '127.0.0.1'] },
    // no other protocol: what follows would be the next request
    onUpgrade: (_request: IncomingMessage, socket) => {
      socket.on('data', (chunk: Buffer) => {
        beyond += chunk.toString('latin1');
      });
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    },
  });
  server = await startTestServer();
  api = await register(server, backend, { group });
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: backend.port } } };
  await apiOf(server).post('/api/v1/nodes', { metadata: { name: 'n1' }, status });
  leadPodsHere();
  await addPod(backend.port);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
  await backend[Symbol.asyncDispose]();
});
/** What this server asks for itself, every now and then. */
const ownPaths = new Set(['/apis', `/apis/${group}/v1`, '/openapi/v2', '/openapi/v3']);
const clientsSeen = (from: number) => backend.seen.slice(from).filter(({ url }) => !ownPaths.has(url));

beforeEach(() => {
  bodies.clear();
  beyond = '';
});

/** Sends the bytes as the administrator; all that comes back until the server closes the connection. */
async function sendAll(bytes: string): Promise<string> {
  const port = Number(new URL(server.url).port);
  const socket = connectTls({
    ...credentialsOf(server.kubeconfig),
    ...{ port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'] },
  });
  socket.on('error', () => socket.destroy());
  await once(socket, 'secureConnect');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(Buffer.from(`${bytes}${head('GET', '/livez', 'Connection: close\r\n')}`, 'latin1'));
  // where the last request is taken for a part of the body, both sides wait
  const timer = setTimeout(() => socket.destroy(), 2000);
  await closed;
  clearTimeout(timer);
  return text;
}

const evil = 'X-Remote-User: evil\r\nX-Remote-Group: system:masters\r\nX_Remote_User: evil\r\n';
const hiddenAt = (path: string) => `GET ${path}/hidden HTTP/1.1\r\nHost: x\r\n${evil}\r\n`;
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

type Attack = (path: string, hidden: string) => string;
const head = (method: string, path: string, lines: string) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`;
const withBody =
  (method: string, lines: string): Attack =>
  (path, hidden) =>
    `${head(method, path, `${lines}Content-Type: application/json\r\nContent-Length: ${hidden.length}\r\n`)}${hidden}`;
const withChunks =
  (lines: string): Attack =>
  (path, hidden) =>
    `${head('POST', path, `${lines}Content-Type: application/json\r\n`)}${chunked('{}')}${hidden}`;
const upgrade =
  (protocol: string, more = ''): Attack =>
  (path, hidden) =>
    `${head('GET', path, `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}`)}${hidden}`;
const webSocket = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

const attacks: readonly (readonly [title: string, attack: Attack])[] = [
  ['a length and chunks', withChunks('Content-Length: 500\r\nTransfer-Encoding: chunked\r\n')],
  ['a length of nothing and chunks', withChunks('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n')],
  ['chunks by another name', withChunks('Transfer-Encoding: xchunked\r\n')],
  ['chunks that are not the last encoding', withChunks('Transfer-Encoding: chunked, identity\r\n')],
  ['a space before the colon', withChunks('Transfer-Encoding : chunked\r\n')],
  ['two encodings', withChunks('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n')],
  [
    'a chunk of more than can be counted',
    (path, hidden) => `${head('POST', path, 'Transfer-Encoding: chunked\r\n')}10000000000000002\r\n${hidden}`,
  ],
  [
    'a chunk with a bare line feed',
    (path, hidden) => `${head('POST', path, 'Transfer-Encoding: chunked\r\n')}2;a\n{}\r\n0\r\n\r\n${hidden}`,
  ],
  ['two lengths', (path, hidden) => `${head('POST', path, 'Content-Length: 2\r\nContent-Length: 500\r\n')}{}${hidden}`],
  ['a length with a sign', (path, hidden) => `${head('POST', path, 'Content-Length: +2\r\n')}{}${hidden}`],
  ['a read with a body', withBody('GET', '')],
  ['a HEAD with a body', withBody('HEAD', '')],
  ['a delete with a body', withBody('DELETE', '')],
  ['a body whose length is of the connection', withBody('POST', 'Connection: content-length, x-remote-user\r\n')],
  ['a body that is announced', withBody('POST', 'Expect: 100-continue\r\n')],
  ['a body that expects something else', withBody('POST', 'Expect: 200-ok\r\n')],
  [
    'trailers that name a user',
    (path) =>
      `${head('POST', path, 'Trailer: X-Remote-User\r\nTransfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n${evil}\r\n`,
  ],
  ['an upgrade to nothing known', upgrade('smuggle')],
  ['an upgrade to WebSocket', upgrade('websocket', webSocket)],
  ['an upgrade to HTTP/2', upgrade('h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__\r\n')],
  ['an upgrade to HTTP/2 among others', upgrade('websocket, h2c', webSocket)],
  [
    'an upgrade with a body',
    (path, hidden) =>
      `${head('POST', path, `Connection: Upgrade\r\nUpgrade: a\r\nContent-Length: ${hidden.length}\r\n`)}${hidden}`,
  ],
];

describe.each(routes)('a server behind this one, %s,', (_, path, there) => {
  test.each(attacks)('does not see what is hidden by %s', async (_title, attack) => {
    const before = backend.seen.length;
    const text = await sendAll(attack(path, hiddenAt(path)));
    // connections to the other server are kept: what was left in one would be before the next request
    for (let round = 0; round < 3; round++) expect((await api.get(`${path}/honest`)).status).toBe(200);
    const seen = clientsSeen(before);
    expect(seen.filter(({ url }) => ![there, `${there}/honest`, `${path}/hidden`].includes(url))).toEqual([]);
    // where the client only sent one request after the other, both are its own
    const hidden = seen.filter(({ url }) => url.endsWith('/hidden'));
    const answers = [...text.matchAll(/HTTP\/1\.1 (?!100)\d+ /g)].length;
    expect(answers).toBeGreaterThan(0);
    if (hidden.length > 0) expect(answers).toBe(3);
    for (const { headers } of seen) expect(JSON.stringify(headers)).not.toContain('evil');
    expect(beyond).toBe('');
    if (path !== there) return;
    for (const { headers, url } of seen)
      expect([url, headers['x-remote-user']]).toEqual([url, expect.stringMatching(/admin|^system:/)]);
  });

  test('is not asked to speak HTTP/2 over a connection that says who asks', async () => {
    const before = backend.seen.length;
    const text = await sendAll(upgrade('h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__\r\n')(path, ''));
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(clientsSeen(before).map(({ headers }) => [headers.upgrade, headers['http2-settings']])).toEqual([
      [undefined, undefined],
    ]);
  });

  test.each<[attack: string, headers: Record<string, string>]>([
    ['a path with a second request', { ':path': `${path} HTTP/1.1\r\nHost: x\r\n\r\nGET ${path}/hidden` }],
    ['a path with spaces', { ':path': `${path}/a HTTP/1.1` }],
    ['a path with a tab', { ':path': `${path}/a\tb` }],
    ['a path that is a whole address', { ':path': `https://evil.example${path}` }],
    ['a method with a second request', { ':method': `GET ${path}/hidden HTTP/1.1\r\n\r\nGET`, ':path': path }],
    ['an authority with more', { ':authority': 'x\r\nX-Remote-User: evil', ':path': path }],
    ['an authority that is another', { ':authority': 'evil.example', ':path': path }],
    ['a scheme with more', { ':scheme': 'https://evil.example/hidden?', ':path': path }],
  ])('hears nothing of %s over HTTP/2', async (_title, headers) => {
    const before = backend.seen.length;
    const session = connectHttp2(server.url, credentialsOf(server.kubeconfig));
    session.on('error', () => {});
    await new Promise<void>((resolve) => {
      try {
        const stream = session.request({ ':method': 'GET', ...headers });
        stream.on('error', () => {});
        stream.on('close', () => resolve());
        stream.resume();
      } catch {
        // the library does not send it
        resolve();
      }
    });
    session.destroy();
    expect((await api.get(`${path}/honest`)).status).toBe(200);
    const seen = clientsSeen(before);
    expect(seen.filter(({ url }) => url.includes('hidden') || /[\s]|https:/.test(url))).toEqual([]);
    for (const { rawHeaders } of seen) expect(rawHeaders.join(' ')).not.toMatch(/evil(?!\.example)/);
    for (const { headers: sent } of seen) expect(sent.host).not.toContain('evil');
  });
});
