// Requests that other servers answer, against a node agent and a pod inside this test.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createPlain,
  type IncomingMessage,
  type Server as PlainServer,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure, type Server as SecureServer } from 'node:https';
import { type AddressInfo, isIPv4, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Server } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { secureCall } from './secure-call.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Remembers what it was asked, and answers after the path. */
function behave(seen: Seen[]) {
  return (message: IncomingMessage, out: ServerResponse) => {
    const parts: string[] = [];
    message.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
    message.on('end', () => answer(seen, message, out, parts.join('')));
  };
}

function answer(seen: Seen[], message: IncomingMessage, out: ServerResponse, body: string): void {
  const { method = '', url = '', headers } = message;
  seen.push({ method, url, headers, body });
  if (url.includes('/moved')) out.writeHead(302, { location: '/there' }).end();
  else if (url.includes('/broken')) out.writeHead(400).end('no such log\n');
  else out.writeHead(200, { 'content-type': 'text/x-agent', 'access-control-allow-origin': '*' }).end(`agent: ${url}`);
}

/** Takes any protocol, and says everything back. */
function echo(seen: Seen[]) {
  return (message: IncomingMessage, socket: Duplex) => {
    const { method = '', url = '', headers } = message;
    seen.push({ method, url, headers, body: '' });
    socket.on('error', () => {});
    if (url.includes('refuse')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${headers.upgrade}\r\nConnection: Upgrade\r\n\r\nhello `,
    );
    socket.pipe(socket);
  };
}

const listening = (server: PlainServer | SecureServer, host: string) =>
  new Promise<number>((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)));

/** An address of this machine that others could use; there is none on a machine without a network. */
const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, address }) => !internal && isIPv4(address))?.address;

let server: Server;
let api: Api;
let agent: SecureServer;
let agentPort: number;
const seen: Seen[] = [];
const sockets = new Set<Duplex>();
const pods = '/api/v1/namespaces/default/pods';
const last = () => seen.at(-1) as Seen;

beforeAll(async () => {
  server = await startTestServer();
  api = apiOf(server);
  const authority = createAuthority('nodes', Date.now());
  const { certificate, privateKey } = signLeaf(
    authority,
    { usage: 'server', commonName: 'node', hosts: ['127.0.0.1'] },
    Date.now(),
  );
  agent = createSecure({ cert: certificate, key: privateKey }, behave(seen));
  agent.on('upgrade', echo(seen));
  agent.on('secureConnection', (socket) => sockets.add(socket));
  agentPort = await listening(agent, '127.0.0.1');
  const status = {
    addresses: [
      { type: 'ExternalIP', address: '192.0.2.1' },
      { type: 'InternalIP', address: '127.0.0.1' },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: agentPort } },
  };
  await api.post('/api/v1/nodes', { metadata: { name: 'n1' }, status });
  await api.post('/api/v1/nodes', { metadata: { name: 'bare' } });
  const two = [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i' },
  ];
  const make = (name: string, spec: object) => api.post(pods, { metadata: { name }, spec });
  await make('one', { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] });
  await make('two', { nodeName: 'n1', containers: two, initContainers: [{ name: 'init', image: 'i' }] });
  await make('idle', { containers: [{ name: 'c', image: 'i' }] });
  await make('lost', { nodeName: 'gone', containers: [{ name: 'c', image: 'i' }] });
  await make('nowhere', { nodeName: 'bare', containers: [{ name: 'c', image: 'i' }] });
});
afterAll(async () => {
  await server.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => agent.close(resolve));
});

/** A raw request over the administrator's TLS connection, and everything that comes back until `enough`. */
async function speak(lines: readonly string[], then: string, enough: string): Promise<string> {
  const { clusters, users } = parse(server.kubeconfig) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
  };
  const decoded = (text = '') => Buffer.from(text, 'base64');
  const { port, hostname } = new URL(server.url);
  const socket: Socket = connectTls({
    port: Number(port),
    host: hostname,
    ca: decoded(clusters[0]?.cluster['certificate-authority-data']),
    cert: decoded(users[0]?.user['client-certificate-data']),
    key: decoded(users[0]?.user['client-key-data']),
    ALPNProtocols: ['http/1.1'],
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let heard = '';
  try {
    for await (const chunk of socket) {
      const first = heard === '';
      heard += String(chunk);
      if (first) socket.write(then);
      if (heard.includes(enough)) break;
    }
  } finally {
    socket.destroy();
  }
  return heard;
}

describe('logs', () => {
  test('come from the node, as plain text', async () => {
    const { status, headers, body } = await api.get(`${pods}/one/log?tailLines=5&follow=true&sinceSeconds=9&odd=1`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain');
    expect(body).toBe('agent: /containerLogs/default/one/c?follow=true&sinceSeconds=9&tailLines=5');
    expect(last().headers).not.toHaveProperty('authorization');
  });

  test('of a pod that no node runs are no content', async () => {
    expect(await api.get(`${pods}/idle/log`)).toMatchObject({ status: 204, body: '' });
  });

  test.each([
    [
      'no container',
      'two/log',
      400,
      'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [init]',
    ],
    ['an unknown container', 'two/log?container=x', 400, 'container x is not valid for pod two'],
    ['a missing pod', 'none/log', 404, 'pods "none" not found'],
    ['a missing node', 'lost/log', 404, 'pods "gone" not found'],
    ['a node without an address', 'nowhere/log', 500, 'no preferred addresses found; known addresses: []'],
  ])('refuse %s', async (_, path, status, message) => {
    expect(await api.get(`${pods}/${path}`)).toMatchObject({ status, body: { kind: 'Status', message } });
  });

  const invalid = 'PodLogOptions "one" is invalid:';

  test.each([
    [
      'fewer lines than none',
      'tailLines=-1',
      422,
      `${invalid} tailLines: Invalid value: -1: must be greater than or equal to 0`,
    ],
    ['no bytes', 'limitBytes=0', 422, `${invalid} limitBytes: Invalid value: 0: must be greater than 0`],
    ['no time at all', 'sinceSeconds=0', 422, `${invalid} sinceSeconds: Invalid value: 0: must be greater than 0`],
    [
      'two beginnings',
      'sinceSeconds=0&sinceTime=2026-01-01T00:00:00Z',
      422,
      `${invalid} []: Forbidden: at most one of \`sinceTime\` or \`sinceSeconds\` may be specified`,
    ],
    ['one stream', 'stream=Stdout', 422, `${invalid} stream: Forbidden: may not be specified`],
    [
      'two things at once',
      'tailLines=-1&limitBytes=0',
      422,
      `${invalid} [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]`,
    ],
    ['what is no number', 'tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'what is no time',
      'sinceTime=now',
      400,
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
  ])('refuse %s', async (_, query, status, message) => {
    expect(await api.get(`${pods}/one/log?${query}`)).toMatchObject({ status, body: { message } });
  });

  test('since a time are asked for in whole seconds of UTC', async () => {
    const { body } = await api.get(`${pods}/one/log?sinceTime=2026-01-01T01:00:00.5%2B01:00&sinceSeconds`);
    expect(body).toMatchObject({ code: 400, message: 'strconv.ParseInt: parsing "": invalid syntax' });
    const since = await api.get(`${pods}/one/log?sinceTime=2026-01-01T01:00:00.5%2B01:00`);
    expect(since.body).toBe('agent: /containerLogs/default/one/c?sinceTime=2026-01-01T00%3A00%3A00Z');
  });

  test('that the node refuses are refused in this server’s words', async () => {
    await api.post(pods, {
      metadata: { name: 'broken' },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    });
    const { status, body } = await api.get(`${pods}/broken/log`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest', message: 'no such log' });
  });

  test('need a node that can be reached', async () => {
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
    };
    await api.post('/api/v1/nodes', { metadata: { name: 'dead' }, status });
    await api.post(pods, {
      metadata: { name: 'dead' },
      spec: { nodeName: 'dead', containers: [{ name: 'c', image: 'i' }] },
    });
    const answer = await api.get(`${pods}/dead/log`);
    expect(answer.status).toBe(500);
    expect(answer.body.message).toBe('Internal error occurred: error dialing backend: ECONNREFUSED');
  });
});

describe('a server that knows who signs for nodes, and that they keep streams apart', () => {
  let other: Server;
  let folder: string;
  let strict: Api;
  const log = `${pods}/one/log`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-connect-'));
    const kubeletCertificateAuthority = join(folder, 'ca.pem');
    writeFileSync(kubeletCertificateAuthority, createAuthority('others', Date.now()).certificate);
    other = await startTestServer({ kubeletCertificateAuthority, featureGates: { PodLogsQuerySplitStreams: true } });
    strict = apiOf(other);
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: agentPort } },
    };
    await strict.post('/api/v1/nodes', { metadata: { name: 'n1' }, status });
    await strict.post(pods, {
      metadata: { name: 'one' },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
    });
  });
  afterAll(async () => {
    await other.close();
    rmSync(folder, { recursive: true });
  });

  test('asks no other node, unless for logs of which the client says that it does not matter', async () => {
    const refused = await strict.get(log);
    expect(refused.status).toBe(500);
    expect(refused.body.message).toMatch(/error dialing backend: .*(CERT|ISSUER|SIGNATURE)/i);
    const { status, body } = await strict.get(`${log}?insecureSkipTLSVerifyBackend=true`);
    expect([status, body]).toEqual([200, 'agent: /containerLogs/default/one/c?stream=All']);
  });

  test('asks for one stream, whose lines are not counted from the end', async () => {
    const asked = (query: string) => strict.get(`${log}?insecureSkipTLSVerifyBackend=true&${query}`);
    expect((await asked('stream=Stderr&limitBytes=7')).body).toBe(
      'agent: /containerLogs/default/one/c?limitBytes=7&stream=Stderr',
    );
    expect((await asked('stream=All&tailLines=7')).status).toBe(200);
    expect((await asked('stream=Stderr&tailLines=7')).body.message).toBe(
      'PodLogOptions "one" is invalid: : Forbidden: `tailLines` and specific `stream` are mutually exclusive for now',
    );
    expect((await asked('stream=stderr')).body.message).toBe(
      'PodLogOptions "one" is invalid: stream: Unsupported value: "stderr": supported values: "All", "Stderr", "Stdout"',
    );
  });
});

test('reading a log is no change that admission could refuse, while other connections are', async () => {
  await using denying = await startTestServer({ enableAdmissionPlugins: ['AlwaysDeny'] });
  const { post } = apiOf(denying);
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await post('/api/v1/nodes', {
    metadata: { name: 'n1' },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: agentPort } },
    },
  });
  await post(pods, { metadata: { name: 'one' }, spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] } });
  const { cert, key } = credentialsOf(denying.kubeconfig);
  const pair = { certificate: cert.toString(), privateKey: key.toString() };
  const ask = (method: string, path: string) => secureCall(denying, method, path, { pair });
  expect(await ask('GET', `${pods}/one/log`)).toEqual({ status: 200, body: 'agent: /containerLogs/default/one/c' });
  for (const path of [`${pods}/one/exec?command=x`, `${pods}/one/attach`, `${pods}/one/portforward`])
    expect(await ask('POST', path)).toMatchObject({ status: 403, body: { message: expect.stringContaining(denial) } });
  for (const path of [`${pods}/one/proxy/`, '/api/v1/nodes/n1/proxy/', '/api/v1/namespaces/default/services/s/proxy/'])
    expect(await ask('GET', path)).toMatchObject({ status: 403, body: { message: expect.stringContaining(denial) } });
});

const denial = 'admission control is denying all modifications';

describe('the proxy of a node', () => {
  const proxy = '/api/v1/nodes/n1/proxy';

  test('passes method, path, query and body, and keeps who the client is', async () => {
    const secretive = {
      authorization: 'Bearer secret',
      'impersonate-user': 'x',
      'impersonate-group': 'system:masters',
      'x-remote-user': 'y',
      'x-plain': 'z',
    };
    const { status, headers, body } = await api.call(
      'POST',
      `${proxy}/run/a%2Fb//c?x=1&y=%20`,
      { big: 'body' },
      secretive,
    );
    expect(status).toBe(200);
    expect(body).toBe('agent: /run/a%2Fb//c?x=1&y=%20');
    expect(last()).toMatchObject({ method: 'POST', body: '{"big":"body"}', headers: { 'x-plain': 'z' } });
    for (const name of ['authorization', 'impersonate-user', 'impersonate-group', 'x-remote-user'])
      expect(last().headers).not.toHaveProperty(name);
    expect(headers.get('content-type')).toBe('text/x-agent');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('follows no redirect, and tells where it leads from here', async () => {
    const count = seen.length;
    const { status, headers } = await api.get(`${proxy}/moved`);
    expect(status).toBe(302);
    expect(headers.get('location')).toBe(`${proxy}/there`);
    expect(seen).toHaveLength(count + 1);
  });

  test('sends readers of the bare path to the folder', async () => {
    const { status, headers } = await api.get(`${proxy}?a=b`);
    expect(status).toBe(301);
    expect(headers.get('location')).toBe(`${proxy}/?a=b`);
  });

  test('is no way to this machine’s other ports', async () => {
    const answer = await api.get('/api/v1/nodes/n1:1/proxy/');
    expect(answer).toMatchObject({ status: 400, body: { message: 'address not allowed' } });
  });

  test.each([
    ['/api/v1/nodes/ftp:n1:1/proxy/', 400],
    ['/api/v1/nodes/n1:99999/proxy/', 400],
    ['/api/v1/nodes/none/proxy/', 404],
  ])('refuses %s', async (path, status) => {
    expect((await api.get(path)).status).toBe(status);
  });
});

test.each(['/a/%2e%2E/b', '/../x', '/a/..'])('a path that leads back, %s, goes nowhere', async (rest) => {
  const count = seen.length;
  const heard = await speak(
    [`GET /api/v1/nodes/n1/proxy${rest} HTTP/1.1`, 'Host: x', 'Connection: close'],
    '',
    'Status',
  );
  expect(heard).toMatch(/^HTTP\/1\.1 400 /);
  expect(seen).toHaveLength(count);
});

describe('proxies of pods and services', () => {
  const services = '/api/v1/namespaces/default/services';
  const port = { name: 'web', port: 80 };

  beforeAll(async () => {
    await api.post(services, { metadata: { name: 'svc' }, spec: { ports: [port] } });
  });

  test('a pod without an address cannot be reached', async () => {
    const answer = await api.get(`${pods}/one/proxy/`);
    expect(answer).toMatchObject({ status: 400, body: { message: 'address not allowed' } });
  });

  test.each(['127.0.0.1', '::1', '169.254.1.1', '0.0.0.0', '::ffff:127.0.0.1'])(
    'a pod at %s is not believed',
    async (ip) => {
      await api.patch('merge', `${pods}/one/status`, { status: { podIP: ip, podIPs: [{ ip }] } });
      expect((await api.get(`${pods}/one:${agentPort}/proxy/`)).status).toBe(400);
    },
  );

  test('a service needs endpoints, and the port it is asked for', async () => {
    expect(await api.get(`${services}/svc:web/proxy/`)).toMatchObject({
      status: 503,
      body: { reason: 'ServiceUnavailable', message: 'no endpoints available for service "svc:web"' },
    });
    expect((await api.get(`${services}/svc:81/proxy/`)).body.message).toBe(
      'no service port 81 found for service "svc"',
    );
    expect((await api.get(`${services}/none/proxy/`)).status).toBe(404);
  });

  test.runIf(outside !== undefined)('both pass to where a pod really is', async () => {
    const asked: Seen[] = [];
    const web = createPlain(behave(asked));
    const webPort = await listening(web, outside as string);
    const ip = outside as string;
    await api.patch('merge', `${pods}/two/status`, { status: { podIP: ip, podIPs: [{ ip }] } });
    expect((await api.get(`${pods}/two:${webPort}/proxy/x?y`)).body).toBe('agent: /x?y');
    const stranger = { addresses: [{ ip }], ports: [{ name: 'web', port: webPort }] };
    const known = { ...stranger, addresses: [{ ip, targetRef: { kind: 'Pod', name: 'two', namespace: 'default' } }] };
    const endpoints = '/api/v1/namespaces/default/endpoints';
    await api.post(endpoints, { metadata: { name: 'svc' }, subsets: [stranger] });
    expect((await api.get(`${services}/svc:web/proxy/`)).status).toBe(503);
    await api.put(`${endpoints}/svc`, { metadata: { name: 'svc' }, subsets: [known] });
    expect((await api.get(`${services}/http:svc:80/proxy/z`)).body).toBe('agent: /z');
    await new Promise((resolve) => web.close(resolve));
    const gone = await api.get(`${services}/svc:web/proxy/`);
    expect(gone).toMatchObject({ status: 503, body: { message: 'error trying to reach service: ECONNREFUSED' } });
  });
});

describe('exec, attach and port-forward', () => {
  const upgrade = [
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    'X-Stream-Protocol-Version: v4.channel.k8s.io',
  ];

  test('become one connection between client and node', async () => {
    const path = `${pods}/one/exec?command=ls&command=-l&stdin=true&stdout=1&tty=false`;
    const heard = await speak([`POST ${path} HTTP/1.1`, ...upgrade, 'Authorization: Bearer x'], 'and back', 'and back');
    expect(heard).toMatch(/^HTTP\/1\.1 101 /);
    expect(heard.toLowerCase()).toContain('upgrade: spdy/3.1');
    expect(heard).toContain('hello and back');
    expect(last().url).toBe('/exec/default/one/c?input=1&output=1&command=ls&command=-l');
    expect(last().headers).toMatchObject({ 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    expect(last().headers).not.toHaveProperty('authorization');
  });

  test('pass on what the node says instead of another protocol', async () => {
    const path = `${pods}/one/exec?command=refuse`;
    const heard = await speak([`GET ${path} HTTP/1.1`, ...upgrade], '', 'no');
    expect(heard).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('do not repeat a token that poses as a protocol', async () => {
    const lines = [
      `GET ${pods}/one/portforward?ports=80 HTTP/1.1`,
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.c2VjcmV0, v5.channel.k8s.io',
    ];
    await speak(lines, 'x', 'x');
    expect(last().url).toBe('/portForward/default/one?port=80');
    expect(last().headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
  });

  test.each([
    ['idle/attach', 'pod idle does not have a host assigned'],
    ['one/exec', 'Upgrade request required'],
    [
      'two/attach',
      'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [init]',
    ],
  ])('%s: %s', async (path, message) => {
    expect(await api.post(`${pods}/${path}`, '')).toMatchObject({ status: 400, body: { message } });
  });
});

test('discovery tells of them', async () => {
  const { resources } = (await api.get('/api/v1')).body as {
    resources: { name: string; kind: string; verbs: string[] }[];
  };
  const shown = resources.filter(({ name }) => /^(pods|nodes|services)\/(?!status)/.test(name));
  expect(shown.map(({ name, kind, verbs }) => `${name} ${kind} ${verbs.join(',')}`)).toEqual([
    'nodes/proxy NodeProxyOptions create,delete,get,patch,update',
    'pods/attach PodAttachOptions create,get',
    'pods/binding Binding create',
    'pods/ephemeralcontainers Pod get,patch,update',
    'pods/eviction Eviction create',
    'pods/exec PodExecOptions create,get',
    'pods/log Pod get',
    'pods/portforward PodPortForwardOptions create,get',
    'pods/proxy PodProxyOptions create,delete,get,patch,update',
    'pods/resize Pod get,patch,update',
    'services/proxy ServiceProxyOptions create,delete,get,patch,update',
  ]);
});
