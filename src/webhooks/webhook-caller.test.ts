import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { loadKubeconfig } from '../client/kubeconfig/load.ts';
import type { ExpectedKind } from '../codec/decode-object.ts';
import type { OwnServers } from '../meta/backend.ts';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import { createAuthority, signLeaf } from '../pki/certificates.ts';
import { field, int64, struct } from '../schema/types.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { forge, isAuthority, newHolder, signsCertificates } from '../testing/forged-certificates.ts';
import { type PeerHandler, TlsPeer } from '../testing/tls-peer.ts';
import { atServiceAddress } from './service-destination.ts';
import { openWebhookCaller, type WebhookCaller, type WebhookCallerDeps } from './webhook-caller.ts';
import { hostCredentials } from './webhook-credentials.ts';
import { WebhookCallError } from './webhook-failure.ts';
import type { WebhookTarget } from './webhook-target.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const foreign: OwnServers = { areReachedAt: () => false, serveWith: () => false };
const closing: WebhookCaller[] = [];
afterEach(() => {
  for (const caller of closing.splice(0)) caller.close();
});

function open(deps: Partial<WebhookCallerDeps> = {}, stored: Readonly<Record<string, object>> = {}): WebhookCaller {
  const caller = openWebhookCaller({
    clock: systemClock,
    locate: atServiceAddress({
      get: async <T extends ApiObject>({ resource }: { resource: string }, { namespace, name }: ObjectRef) =>
        stored[`${resource}/${namespace}/${name}`] as T | undefined,
    }),
    own: foreign,
    userAgent: 'a test',
    ...deps,
  });
  closing.push(caller);
  return caller;
}

const targetOf = (peer: TlsPeer, path = '/hook'): WebhookTarget => ({
  url: `${peer.url}${path}`,
  caBundle: base64(peer.authority.certificate),
});

const settings = { clock: systemClock, dialect: kubernetes, environment: process.env };
const type = struct('test/v1', 'Answer', 'What a webhook answers.', { big: field(1, int64) });
const answer: ExpectedKind = { group: 'test', version: 'v1', kind: 'Answer', type };
const inTime = { timeoutMs: 5000, answer };
const failure = async (call: Promise<unknown>): Promise<WebhookCallError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(WebhookCallError);
  return error as WebhookCallError;
};

test('an object is posted as JSON with the time there is, over a connection that is kept', async () => {
  await using peer = await TlsPeer.open(() => ({ kind: 'Answer', big: 1 }));
  const caller = open();
  for (let i = 0; i < 3; i++)
    expect(await caller.post(targetOf(peer, '//hook/'), { a: 1n }, { ...inTime, timeoutMs: 14_500 })).toEqual({
      kind: 'Answer',
      big: 1,
    });
  const [first] = peer.requests;
  expect(first).toMatchObject({ method: 'POST', path: '/hook?timeout=15s', body: '{"a":1}' });
  expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'a test' });
  expect(new Set(peer.requests.map(({ port }) => port)).size).toBe(1);
});

test('no more calls than allowed are under way at once, and those that wait keep their deadline', async () => {
  let most = 0;
  const held: (() => void)[] = [];
  await using peer = await TlsPeer.open(async () => {
    await new Promise<void>((resolve) => {
      most = Math.max(most, held.push(resolve));
    });
    return {};
  });
  const clock = new FakeClock();
  const caller = open({ maxConnections: 2, clock });
  const post = () => caller.post(targetOf(peer), {}, inTime);
  const all = Promise.all([post(), post(), post(), post(), post(), post()]);
  for (let round = 0; round < 3; round++) {
    await expect.poll(() => held.length).toBe(2);
    for (const answer of held.splice(0)) answer();
  }
  await all;
  expect(most).toBe(2);
  const begun = [post(), post()];
  await expect.poll(() => held.length).toBe(2);
  const waiting = failure(post());
  clock.advance(inTime.timeoutMs);
  expect((await waiting).message).toMatch(/context deadline exceeded$/);
  await Promise.allSettled(begun);
  held.splice(0);
  const last = post();
  await expect.poll(() => held.length).toBe(1);
  held[0]?.();
  expect(await last).toEqual({});
});

test.each<[string, PeerHandler, RegExp, number]>([
  ['hangs', () => undefined, /^Post "https:.*\/hook\?timeout=1s": context deadline exceeded$/, 503],
  ['closes the connection', (_request, response) => void response.destroy(), /": EOF$/, 503],
  ['answers garbage', (_request, response) => void response.end('nonsense'), /json parse error/, 503],
  [
    'redirects',
    (_request, response) => void response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
    /^the server responded with the status code 302, a redirect, which is not followed$/,
    302,
  ],
  [
    'fails',
    (_request, response) => void response.writeHead(500).end('oh "no"\n'),
    /^an error on the server \("oh \\"no\\""\) has prevented the request from succeeding$/,
    500,
  ],
  [
    'fails with a Status',
    (_request, response) =>
      void response.writeHead(418).end(JSON.stringify({ kind: 'Status', status: 'Failure', message: 'short' })),
    /^short$/,
    418,
  ],
  ['is not there', (_request, response) => void response.writeHead(404).end(), /^the server could not find/, 404],
  [
    'lets its answer drip',
    (_request, response) => {
      response.writeHead(200, { 'content-length': 900 });
      const drops = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drops));
    },
    /^unexpected error when reading response body. Please retry. Original error: context deadline exceeded$/,
    503,
  ],
  [
    'breaks off in the middle of its answer',
    (_request, response) =>
      void response.writeHead(200, { 'content-length': 900 }).write('{', () => response.destroy()),
    /^unexpected error when reading response body. Please retry. Original error: unexpected EOF$/,
    503,
  ],
  [
    'has no end of headers',
    (_request, { socket }) => void socket?.write(`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(1100)}`),
    /HTTP\/1.x transport connection broken: net\/http: server response headers exceeded 1048576 bytes; aborted$/,
    503,
  ],
  [
    'speaks something else than HTTP',
    (_request, { socket }) => void socket?.write('hello\r\n\r\n'),
    /": net\/http: HTTP\/1.x transport connection broken: malformed HTTP response$/,
    503,
  ],
  [
    'speaks HTTP/2 without being asked to',
    (_request, { socket }) => void socket?.write(Buffer.from('00000604000000000000040000ffff', 'hex')),
    /": net\/http: HTTP\/1.x transport connection broken: malformed HTTP response$/,
    503,
  ],
  [
    'wants to change the protocol',
    (_request, { socket }) =>
      void socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    /": the server wants to change the protocol$/,
    503,
  ],
  [
    'answers with a bomb',
    (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000, ' ')));
    },
    /longer than 1000 bytes$/,
    503,
  ],
  ['answers too much', (_request, response) => void response.end('"'.padEnd(5000)), /longer than 1000 bytes$/, 503],
])('a webhook that %s', async (what, handler, message, code) => {
  await using peer = await TlsPeer.open(handler);
  const timeoutMs = what === 'hangs' || what === 'lets its answer drip' ? 700 : 10_000;
  const error = await failure(open({ maxAnswerBytes: 1000 }).post(targetOf(peer), {}, { timeoutMs, answer }));
  expect(error.message).toMatch(message);
  expect(error).toMatchObject({ code, isCanceled: false });
});

test.each<[string, PeerHandler]>([
  [
    'has long headers',
    (_request, response) => void response.writeHead(200, { 'x-long': 'y'.repeat(200_000) }).end('{"big":7}'),
  ],
  [
    'says first that it will',
    (_request, response) => {
      for (let i = 0; i < 100; i++) response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('{"big":7}');
    },
  ],
  [
    'is packed',
    (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"big":7}')),
  ],
  ['comes in parts', (_request, response) => void response.write('{"big"', () => response.end(':7}'))],
])('an answer that %s counts', async (_, handler) => {
  await using peer = await TlsPeer.open(handler);
  expect(await open().post(targetOf(peer), {}, inTime)).toEqual({ big: 7 });
});

test('a call whose answer is of no use any more ends at once', async () => {
  const stop = new AbortController();
  await using peer = await TlsPeer.open(() => stop.abort());
  const error = await failure(open().post(targetOf(peer), {}, { ...inTime, signal: stop.signal }));
  expect(error.message).toMatch(/": context canceled$/);
  expect(error.isCanceled).toBe(true);
});

test('a connection that broke while it was idle is opened again', async () => {
  await using peer = await TlsPeer.open(({ body }, response) => {
    response.end('{}', () => {
      if (body === '"first"') response.socket?.destroy();
    });
  });
  const caller = open();
  await caller.post(targetOf(peer), 'first', inTime);
  expect(await caller.post(targetOf(peer), 'second', inTime)).toEqual({});
});

test.each<[string, WebhookTarget, string]>([
  ['plain HTTP', { url: 'http://127.0.0.1:1/' }, "'https' is the only allowed URL scheme, not http:"],
  ['credentials in the address', { url: 'https://a:b@127.0.0.1:1/' }, 'user information is not permitted in the URL'],
  ['nothing', {}, 'webhook configuration must have either service or URL'],
  ['a port where nothing listens', { url: 'https://127.0.0.1:1/x' }, 'connect: connection refused'],
  ['a service that is not there', { service: { namespace: 'n', name: 's' } }, 'service "s" not found'],
])('%s cannot be called', async (_what, target, message) => {
  expect((await failure(open().post(target, {}, inTime))).message).toContain(message);
});

test('a server that does not speak TLS cannot be called', async () => {
  const server = createTcp((socket) => {
    socket.on('error', () => {});
    socket.resume().end('HTTP/1.1 200 OK\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const error = await failure(open().post({ url: `https://127.0.0.1:${port}/` }, {}, inTime));
  expect(error.message).toMatch(/tls: /);
  await new Promise((resolve) => server.close(resolve));
});

test('an API server of this cluster is never called, by address or by certificate', async () => {
  await using peer = await TlsPeer.open(() => ({}));
  const calls: [string, number][] = [];
  const here = { ...foreign, areReachedAt: (address: string, port: number) => calls.push([address, port]) > 0 };
  const ours = { ...foreign, serveWith: () => true };
  for (const own of [here, ours])
    expect((await failure(open({ own }).post(targetOf(peer), {}, inTime))).message).toMatch(/address not allowed$/);
  expect(calls).toEqual([['127.0.0.1', peer.port]]);
  expect(peer.requests).toEqual([]);
});

test('the certificate has to be of the bundle, and for the host', async () => {
  await using peer = await TlsPeer.open(() => ({}));
  await using other = await TlsPeer.open(() => ({}), { hosts: ['other.test'] });
  const stranger = base64(createAuthority('a stranger', Date.now()).certificate);
  const untrusted = await failure(open().post({ ...targetOf(peer), caBundle: stranger }, {}, inTime));
  expect(untrusted.message).toMatch(/x509: certificate signed by unknown authority$/);
  const system = await failure(open().post({ url: peer.url }, {}, inTime));
  expect(system.message).toMatch(/x509: certificate signed by unknown authority$/);
  const misnamed = await failure(open().post(targetOf(other), {}, inTime));
  expect(misnamed.message).toMatch(/cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs$/);
  expect([...peer.requests, ...other.requests]).toEqual([]);
});

test('a service is called by its name, wherever it leads', async () => {
  await using peer = await TlsPeer.open(() => ({}), { hosts: ['s.n.svc'] });
  const caBundle = base64(peer.authority.certificate);
  const port = peer.port;
  const ports = [{ name: 'https', port: 443 }];
  const caller = open(
    {},
    {
      'services/n/s': { metadata: { name: 's' }, spec: { clusterIP: '127.0.0.1', ports: [{ port }] } },
      'services/n/outside': { spec: { type: 'ExternalName', externalName: 'localhost' } },
      'services/n/headless': { metadata: { name: 'headless' }, spec: { clusterIP: 'None', ports } },
      'endpoints/n/headless': { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port }] }] },
      'services/m/direct': { metadata: {}, spec: { clusterIP: '127.0.0.1', ports: [{ port }] } },
    },
  );
  const ask = (service: WebhookTarget['service'] & object) => caller.post({ service, caBundle }, {}, inTime);
  expect(await ask({ namespace: 'n', name: 's', path: '/a?b', port })).toEqual({});
  expect(peer.requests[0]).toMatchObject({ path: '/a%3Fb?timeout=5s', headers: { host: `s.n.svc:${port}` } });
  const misnamed = 'certificate is valid for s.n.svc, not';
  expect((await failure(ask({ namespace: 'n', name: 'outside', port }))).message).toContain(
    `${misnamed} outside.n.svc`,
  );
  expect((await failure(ask({ namespace: 'm', name: 'direct', port }))).message).toContain(`${misnamed} direct.m.svc`);
  expect((await failure(ask({ namespace: 'n', name: 's', port: 1 }))).message).toContain('no service port 1 found');
  expect((await failure(ask({ namespace: 'n', name: 'headless' }))).message).toBe(
    'Post "https://headless.n.svc:443/?timeout=5s": cannot route to service with ClusterIP "None"',
  );
});

test('services are where a resolver finds them, when one is given', async () => {
  await using peer = await TlsPeer.open(() => ({}), { hosts: ['s.n.svc'] });
  const requests: object[] = [];
  const locate = async (service: { name: string; namespace: string; port: number }) => {
    requests.push(service);
    if (service.name !== 's') throw new Error('no endpoints available');
    return { host: '127.0.0.1', port: peer.port };
  };
  const caller = open({ locate });
  const caBundle = base64(peer.authority.certificate);
  const ask = (name: string) => caller.post({ service: { namespace: 'n', name }, caBundle }, {}, inTime);
  expect(await ask('s')).toEqual({});
  expect(requests).toEqual([{ namespace: 'n', name: 's', port: 443 }]);
  expect((await failure(ask('other'))).message).toContain('no endpoints available');
});

describe('a webhook with Retry-After', () => {
  const notReady =
    (times: number, after: string): PeerHandler =>
    (_, response) => {
      if (count++ >= times) return { kind: 'Answer' };
      response.writeHead(503, { 'retry-after': after }).end('later');
      return undefined;
    };
  let count = 0;
  beforeEach(() => {
    count = 0;
  });

  test('is called again, ten times at most', async () => {
    await using peer = await TlsPeer.open(notReady(10, '0'));
    expect(await open().post(targetOf(peer), {}, inTime)).toEqual({ kind: 'Answer' });
    expect(peer.requests).toHaveLength(11);
    count = -1;
    const { code, suggestsRetry } = await failure(open().post(targetOf(peer), {}, inTime));
    expect([code, suggestsRetry, peer.requests.length]).toEqual([503, false, 22]);
  });

  test('is not waited for longer than the call may take', async () => {
    await using peer = await TlsPeer.open(notReady(1, '9'));
    const { message } = await failure(open().post(targetOf(peer), {}, { ...inTime, timeoutMs: 3000 }));
    expect(message).toContain('context deadline exceeded');
    expect(peer.requests).toHaveLength(1);
  });

  test('has to say it in seconds', async () => {
    await using peer = await TlsPeer.open(notReady(1, 'Wed, 21 Oct 2015 07:28:00 GMT'));
    expect((await failure(open().post(targetOf(peer), {}, inTime))).code).toBe(503);
    expect(peer.requests).toHaveLength(1);
  });
});

test('credentials are those of the host', async () => {
  await using peer = await TlsPeer.open(() => ({}));
  const pair = signLeaf(peer.authority, { usage: 'client', commonName: 'server', organizations: [] }, Date.now());
  const users = [
    { name: `127.0.0.1:${peer.port}`, user: { token: 'exact' } },
    { name: 'a.b', user: { token: 'without port' } },
    { name: '*.b', user: { token: 'ends' } },
    {
      name: '*',
      user: { 'client-certificate-data': base64(pair.certificate), 'client-key-data': base64(pair.privateKey) },
    },
  ];
  const config = await loadKubeconfig({ text: JSON.stringify({ users }) });
  const credentialsFor = hostCredentials(config, settings);
  const of = async (host: string, port: number) =>
    (await credentialsFor({ host, port, caBundle: '' })?.source.current())?.authorization;
  expect(await of('a.b', 443)).toBe('Bearer without port');
  expect(await of('c.b', 443)).toBe('Bearer ends');
  expect(await of('c.b', 444)).toBeUndefined();
  await open().post(targetOf(peer), {}, { ...inTime, credentialsFor });
  await open().post(
    targetOf(peer),
    {},
    { ...inTime, credentialsFor: () => credentialsFor({ host: 'c.d', port: 1, caBundle: '' }) },
  );
  expect(peer.requests.map(({ headers, commonName }) => [headers.authorization, commonName])).toEqual([
    ['Bearer exact', ''],
    [undefined, 'server'],
  ]);
});

test('a user may be another one, or have credentials that a program hands out', async () => {
  await using peer = await TlsPeer.open((request, response) => {
    const isOld = request.headers.authorization === 'Bearer run-1';
    if (isOld) response.writeHead(401).end();
    return isOld ? undefined : {};
  });
  const folder = mkdtempSync(join(tmpdir(), 'keelson-hooks-'));
  const program = join(folder, 'login');
  const apiVersion = 'client.authentication.k8s.io/v1';
  // counts its runs, and notes what it is told of the server
  const script = `
const { appendFileSync, readFileSync } = require('node:fs');
appendFileSync(__dirname + '/runs', process.env.KUBERNETES_EXEC_INFO + '\\n');
const runs = readFileSync(__dirname + '/runs', 'utf8').split('\\n').length - 1;
console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${apiVersion}', status: { token: 'run-' + runs } }));
`;
  writeFileSync(program, `#!${process.execPath}${script}`, { mode: 0o755 });
  try {
    const exec = { command: program, apiVersion, interactiveMode: 'Never', provideClusterInfo: true };
    const as = { as: 'ann', 'as-uid': '7', 'as-groups': ['devs', 'ops'], 'as-user-extra': { 'a/b': ['x'] } };
    const users = [{ name: `127.0.0.1:${peer.port}`, user: { exec, ...as } }];
    const config = await loadKubeconfig({ text: JSON.stringify({ users }) });
    const credentialsFor = hostCredentials(config, settings);
    const caller = open();
    for (let i = 0; i < 3; i++) await caller.post(targetOf(peer), {}, { ...inTime, credentialsFor });
    const tokens = peer.requests.map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['run-1', 'run-2', 'run-2', 'run-2'].map((token) => `Bearer ${token}`));
    expect(peer.requests[0]?.headers).toMatchObject({
      'impersonate-user': 'ann',
      'impersonate-uid': '7',
      'impersonate-group': 'devs, ops',
      'impersonate-extra-a%2fb': 'x',
    });
    const [told = ''] = readFileSync(join(folder, 'runs'), 'utf8').split('\n');
    const { certificate } = peer.authority;
    expect(JSON.parse(told)).toMatchObject({
      spec: { cluster: { server: peer.url, 'certificate-authority-data': base64(certificate) }, interactive: false },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a program of an unknown version, and login helpers of old, are told before any call', async () => {
  const load = (user: object) => loadKubeconfig({ text: JSON.stringify({ users: [{ name: '*', user }] }) });
  const old = await load({
    exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v0', interactiveMode: 'Never' },
  });
  expect(() => hostCredentials(old, settings)).toThrow('client.authentication.k8s.io/v0');
  const helper = await load({ 'auth-provider': { name: 'gcp' } });
  expect(() => hostCredentials(helper, settings)).toThrow('user "*": auth provider not supported');
});

test('each certificate of a bundle is trusted, by itself', async () => {
  const [root, middle] = [newHolder('root'), newHolder('middle')];
  const authority = [isAuthority(), signsCertificates];
  const intermediate = forge(middle, root, { extensions: authority });
  await using peer = await TlsPeer.open(() => ({}), { authority: intermediate });
  const trusting = ({ certificate }: { readonly certificate: string }) => ({
    url: peer.url,
    caBundle: base64(certificate),
  });
  expect(await open().post(trusting(intermediate), {}, inTime)).toEqual({});
  // the peer sends the intermediate along
  expect(await open().post(trusting(forge(root, root, { extensions: authority })), {}, inTime)).toEqual({});
  const others = forge(newHolder('other'), root, { extensions: authority });
  expect((await failure(open().post(trusting(others), {}, inTime))).message).toContain('unknown authority');
});
