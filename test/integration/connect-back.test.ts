// Proxied requests that lead back to the API server itself, by a client who may use proxies and nothing else.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import {
  createServer as createSecure,
  request,
  type Server as SecureServer,
  type ServerOptions as SecureServerOptions,
} from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createForwarder,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { bearer, type Headers, type Reply } from './secure-call.ts';

const now = Date.now();
const clients = createAuthority('clients', now);
/** What the server shows to nodes: it may do everything there, and here too. */
const powerful = signLeaf(
  clients,
  { usage: 'client', commonName: 'kubelet-client', organizations: ['system:masters'] },
  now,
);
const secretsPath = 'api/v1/namespaces/kube-system/secrets';

let folder: string;
let server: Server;
let api: Api;
let ownPort: number;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-back-'));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  server = await startTestServer({
    dataDir: folder,
    clientCaFile: file('clients.pem', clients.certificate),
    kubeletClientCertificate: file('kubelet.pem', powerful.certificate),
    kubeletClientKey: file('kubelet.key', powerful.privateKey),
    tokenAuthFile: file('tokens.csv', 'mallory-token,mallory,1\n'),
    requestheaderClientCaFile: file('front.pem', createAuthority('front', now).certificate),
    requestheaderUsernameHeaders: ['X-Acme-User'],
    requestheaderUidHeaders: ['X-Acme-Uid'],
    requestheaderGroupHeaders: ['X-Acme-Group'],
    requestheaderExtraHeadersPrefixes: ['X-Acme-Extra-'],
  });
  api = apiOf(server);
  ownPort = Number(new URL(server.url).port);
  const roles = '/apis/rbac.authorization.k8s.io/v1';
  const resources = ['nodes/proxy', 'pods/log', 'pods/exec'];
  const rules = [{ apiGroups: [''], resources, verbs: ['get', 'create'] }];
  await api.post(`${roles}/clusterroles`, { metadata: { name: 'proxies' }, rules });
  await api.post(`${roles}/clusterrolebindings`, {
    metadata: { name: 'proxies' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'proxies' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'mallory' }],
  });
});
afterAll(async () => {
  await server.close();
  await Promise.all(closing.map((close) => close()));
  rmSync(folder, { recursive: true });
});

let made = 0;

/** The name of a new node that says it is there. */
async function nodeAt(address: string, port: number, type = 'InternalIP'): Promise<string> {
  const name = `n${++made}`;
  const status = { addresses: [{ type, address }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  expect((await api.post('/api/v1/nodes', { metadata: { name }, status })).status).toBe(201);
  return name;
}

/** A path reaches the server as it is written, without what URLs make of dots and backslashes. */
function mallory(path: string, headers: Headers = {}): Promise<Reply> {
  const { ca } = credentialsOf(server.kubeconfig);
  const target = { host: '127.0.0.1', port: ownPort, ca, path, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request({ ...target, headers: bearer('mallory-token', headers) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const { statusCode: status = 0 } = response;
      response.on('end', () => resolve({ status, body: text.startsWith('{') ? JSON.parse(text) : text }));
    });
    sent.on('error', reject).end();
  });
}

const refused = { status: 400, body: { kind: 'Status', reason: 'BadRequest', message: 'address not allowed' } };

async function listening(started: SecureServer | TcpServer, sockets: ReadonlySet<Socket>): Promise<number> {
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => started.close(resolve));
  });
  return (started.address() as AddressInfo).port;
}

interface Agent {
  readonly port: number;
  /** Common names of the certificates that connections showed, empty for none. */
  readonly shown: string[];
  readonly asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  /** Of every connection so far, whether it got through the handshake or not. */
  readonly ends: Promise<unknown>[];
}

/** An agent of a node, or what looks like one. */
async function agentWith({ certificate, privateKey }: KeyPair, more: SecureServerOptions = {}): Promise<Agent> {
  const agent: Omit<Agent, 'port'> = { shown: [], asked: [], ends: [] };
  const sockets = new Set<Socket>();
  const options = { cert: certificate, key: privateKey, requestCert: true, rejectUnauthorized: false, ...more };
  const started = createSecure(options, ({ url = '', headers }, out) => {
    agent.asked.push({ url, headers });
    out.end(`agent: ${url}`);
  });
  started.on('connection', (socket: Socket) => {
    sockets.add(socket);
    agent.ends.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  started.on('secureConnection', (socket: TLSSocket) => {
    agent.shown.push(String(socket.getPeerCertificate()?.subject?.CN ?? ''));
  });
  return { ...agent, port: await listening(started, sockets) };
}

const nodesPair = signLeaf(
  createAuthority('nodes', now),
  { usage: 'server', commonName: 'system:node:n', hosts: ['127.0.0.1'] },
  now,
);

/** Connections go on to the first port, the next one to the second, and so on. */
async function forwarderTo(...ports: number[]): Promise<{ readonly port: number; readonly connections: () => number }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const forwarder = createForwarder((socket) => {
    const onward = connect(ports[connections++] ?? ownPort, '127.0.0.1');
    for (const side of [socket, onward]) {
      sockets.add(side);
      side.on('error', () => side.destroy());
    }
    socket.pipe(onward).pipe(socket);
  });
  return { port: await listening(forwarder, sockets), connections: () => connections };
}

test('the client may not read what the way back would show', async () => {
  expect((await mallory(`/${secretsPath}`)).status).toBe(403);
});

describe('a node that says it is where the API server listens', () => {
  test.each([
    ['127.0.0.1', 'InternalIP'],
    ['::ffff:127.0.0.1', 'InternalIP'],
    ['::ffff:7f00:1', 'ExternalIP'],
    ['0.0.0.0', 'InternalIP'],
    ['localhost', 'Hostname'],
    ['127.1', 'Hostname'],
    ['2130706433', 'InternalDNS'],
  ])('%s, as %s, is not asked', async (address, type) => {
    const name = await nodeAt(address, ownPort, type);
    for (const spelled of [name, `${name}:${ownPort}`, `https:${name}:${ownPort}`])
      expect(await mallory(`/api/v1/nodes/${spelled}/proxy/${secretsPath}`)).toMatchObject(refused);
  });

  test('is not asked on another port than that of its agent either', async () => {
    const { port } = await agentWith(nodesPair);
    const name = await nodeAt('localhost', port, 'Hostname');
    expect(await mallory(`/api/v1/nodes/https:${name}:${ownPort}/proxy/${secretsPath}`)).toMatchObject(refused);
  });

  test('is not asked for logs or commands of its pods', async () => {
    const nodeName = await nodeAt('127.0.0.1', ownPort);
    const pods = '/api/v1/namespaces/default/pods';
    await api.post(pods, { metadata: { name: 'p' }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }] } });
    expect(await mallory(`${pods}/p/log`)).toMatchObject(refused);
    const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    expect(await mallory(`${pods}/p/exec?command=x`, upgrade)).toMatchObject(refused);
  });
});

describe('a node that turns out to be the API server', () => {
  test('behind a port that forwards to it hears nothing', async () => {
    const { port, connections } = await forwarderTo(ownPort);
    const name = await nodeAt('127.0.0.1', port);
    expect(await mallory(`/api/v1/nodes/${name}/proxy/${secretsPath}`)).toMatchObject(refused);
    expect(connections()).toBe(1);
  });

  test('behind a port that leads to an agent at first hears nothing', async () => {
    const agent = await agentWith(nodesPair);
    const { port, connections } = await forwarderTo(agent.port, ownPort);
    const name = await nodeAt('127.0.0.1', port);
    expect(await mallory(`/api/v1/nodes/${name}/proxy/${secretsPath}`)).toMatchObject(refused);
    expect(connections()).toBe(2);
    expect(agent.asked).toEqual([]);
  });

  const read = (file: string) => readFileSync(join(folder, 'pki', file), 'utf8');

  test('by its key sees no certificate of this server and no request', async () => {
    const agent = await agentWith({ certificate: read('apiserver.crt'), privateKey: read('apiserver.key') });
    const name = await nodeAt('127.0.0.1', agent.port);
    expect(await mallory(`/api/v1/nodes/${name}/proxy/${secretsPath}`)).toMatchObject(refused);
    expect(agent.ends).toHaveLength(1);
    await Promise.all(agent.ends);
    expect(agent.shown.filter((name) => name !== '')).toEqual([]);
    expect(agent.asked).toEqual([]);
  });

  test('by the name in its certificate, as a replica is, sees neither', async () => {
    const hosts = ['kubernetes.default.svc', '127.0.0.1'];
    const replica = signLeaf(createAuthority('others', now), { usage: 'server', commonName: 'x', hosts }, now);
    const agent = await agentWith(replica);
    const name = await nodeAt('127.0.0.1', agent.port);
    expect(await mallory(`/api/v1/nodes/${name}/proxy/${secretsPath}`)).toMatchObject(refused);
    expect(agent.ends).toHaveLength(1);
    await Promise.all(agent.ends);
    expect(agent.shown.filter((name) => name !== '')).toEqual([]);
    expect(agent.asked).toEqual([]);
  });
});

describe('a node like any other', () => {
  let agent: Agent;
  let proxy: string;

  beforeAll(async () => {
    agent = await agentWith(nodesPair);
    proxy = `/api/v1/nodes/${await nodeAt('127.0.0.1', agent.port)}/proxy`;
  });

  test('is asked, and shown the certificate of this server', async () => {
    expect(await mallory(`${proxy}/pods`)).toEqual({ status: 200, body: 'agent: /pods' });
    expect(agent.shown.at(-1)).toBe('kubelet-client');
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'is asked also where it insists on a certificate, by %s',
    async (version) => {
      const demanding = { ca: clients.certificate, rejectUnauthorized: true, minVersion: version, maxVersion: version };
      const strict = await agentWith(nodesPair, demanding);
      const name = await nodeAt('127.0.0.1', strict.port);
      expect(await mallory(`/api/v1/nodes/${name}/proxy/pods`)).toEqual({ status: 200, body: 'agent: /pods' });
    },
  );

  test('does not hear who the client is, by whatever headers proxies say it here', async () => {
    const names = ['X-Acme-User', 'X-Acme-Uid', 'X-Acme-Group', 'X-Acme-Extra-Scope', 'X_Acme_User', 'X-Remote-User'];
    const others = ['Impersonate-Foo', 'X_Remote_Group', 'Proxy-Authorization', 'X-Listed'];
    const sent = Object.fromEntries([...names, ...others].map((name) => [name, 'root']));
    const connection = 'close, X-Listed, X-Acme-User';
    expect((await mallory(`${proxy}/pods`, { ...sent, connection, 'x-plain': 'kept', cookie: 'a=b' })).status).toBe(
      200,
    );
    const { headers } = agent.asked.at(-1) as Agent['asked'][number];
    expect(Object.entries(headers).filter(([, value]) => value === 'root')).toEqual([]);
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).toMatchObject({ 'x-plain': 'kept', cookie: 'a=b', connection: 'close' });
  });

  test.each(['0', '5'])(
    'hears one request, where a body is longer than the %s bytes it is said to have',
    async (length) => {
      const before = agent.asked.length;
      const session = connectHttp2(server.url, { ca: credentialsOf(server.kubeconfig).ca });
      const headers = { ':method': 'POST', ':path': `${proxy}/run`, 'content-length': length };
      const stream = session.request({ ...headers, authorization: 'Bearer mallory-token' });
      const ended = new Promise((resolve) => stream.on('error', () => {}).once('close', resolve));
      stream.resume().end(`${'x'.repeat(Number(length))}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`);
      await ended;
      session.destroy();
      expect((await mallory(`${proxy}/after`)).status).toBe(200);
      const urls = agent.asked.slice(before).map(({ url }) => url);
      expect(urls.filter((url) => url !== '/run')).toEqual(['/after']);
    },
  );

  test.each([
    '/pods/..%2f..%2fexec',
    '/pods/..%2Fx',
    '/%2e%2e%2fx',
    '/pods/.%2e/x',
    '/pods/%252e%252e/x',
    '/pods/..%252fx',
    '/pods/..%5cx',
    '/pods/..\\x',
    '/pods/..;/x',
    '/pods/..%3b/x',
    '/a%2f..',
  ])('is not asked for %s', async (rest) => {
    const before = agent.asked.length;
    const answer = await mallory(`${proxy}${rest}`);
    expect(answer).toMatchObject({ status: 400, body: { message: 'the path to proxy to is not valid' } });
    expect(agent.asked).toHaveLength(before);
  });

  test.each(['/a%2fb', '/..a/b..', '/a/...', '/a%5cb', '/x?path=../y', '/.well-known/x'])(
    'is asked for %s as it was written',
    async (rest) => {
      expect(await mallory(`${proxy}${rest}`)).toEqual({ status: 200, body: `agent: ${rest}` });
    },
  );
});

describe('a node with an address that is none', () => {
  test.each([
    '127.0.0.1\r\nX-Injected: 1',
    '127.0.0.1\nHost: x',
    '127.0.0.1:1/x',
    'user@127.0.0.1',
    '127.0.0.1#',
    '127.0.0.1%00',
    '[::1]',
    'a\u0000b',
    '-x',
    'x'.repeat(300),
  ])('%j is not asked', async (address) => {
    const name = await nodeAt(address, 1);
    expect(await mallory(`/api/v1/nodes/${name}/proxy/x`)).toMatchObject(refused);
  });

  test.each([-1, 65536, 2147483647])('nor one with port %i', async (port) => {
    const name = await nodeAt('127.0.0.1', port);
    const answer = await mallory(`/api/v1/nodes/${name}/proxy/x`);
    expect(answer).toMatchObject({ status: 503, body: { message: 'error trying to reach service: invalid port' } });
  });
});
