// Group-versions that other servers serve: requests are passed on to them, over a real port, with the client's identity.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import {
  announce,
  apiService,
  apiServices,
  Backend,
  type Behaviour,
  condition,
  externalService,
  json,
  register,
} from './backend.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { secureCall } from './secure-call.ts';

const group = 'ext.example';
const things = `/apis/${group}/v1/namespaces/default/things`;

const behave: Behaviour = (incoming, outgoing, { url }) => {
  const response = outgoing as ServerResponse;
  if (url === `/apis/${group}/v1`)
    json(outgoing, { kind: 'APIResourceList', groupVersion: `${group}/v1`, resources: [] });
  else if (url.includes('/echo')) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    (incoming as IncomingMessage).pipe(response);
  } else if (url.includes('/cached')) {
    response.writeHead(200, { 'cache-control': 'max-age=60', 'content-type': 'application/json' });
    response.end('{}');
  } else if (url.includes('/moved')) response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end();
  else if (url.includes('watch=')) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"type":"ADDED"}\n');
  } else json(outgoing, { kind: 'Thing', url });
};

const spoken = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ';

describe('requests for an aggregated group-version', () => {
  let server: Server;
  let backend: Backend;
  let api: Api;

  beforeAll(async () => {
    backend = await Backend.open(behave, {
      onUpgrade(incoming, socket) {
        if (incoming.url?.includes('/hangup')) {
          socket.destroy();
          return;
        }
        if (incoming.url?.includes('/refuse')) {
          socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
          return;
        }
        socket.write(`${spoken}${incoming.headers.upgrade}\r\n\r\nhello `);
        socket.pipe(socket);
      },
    });
    server = await startTestServer();
    api = await register(server, backend, { group });
  });

  afterAll(async () => {
    await server.close();
    await backend[Symbol.asyncDispose]();
  });

  const admin = () => credentialsOf(server.kubeconfig);
  const asAdmin = (method: string, path: string, headers: Record<string, string | string[]> = {}, body?: object) => {
    const { cert, key } = admin();
    const pair = { certificate: cert.toString(), privateKey: key.toString() };
    return secureCall(server, method, path, { pair, headers, ...(body === undefined ? {} : { body }) });
  };
  /** Without what this server asks for itself. */
  const seen = () => backend.seen.filter(({ url }) => url.startsWith(things));
  const last = () => seen().at(-1);

  test('go to its server at once, over one kept connection of HTTP/2', async () => {
    const before = seen().length;
    for (let i = 0; i < 3; i++) expect((await api.get(`${things}/a`)).body).toMatchObject({ url: `${things}/a` });
    const asked = seen().slice(before);
    expect(asked.map(({ version }) => version)).toEqual(['2.0', '2.0', '2.0']);
    expect(new Set(asked.map(({ port }) => port)).size).toBe(1);
  });

  test('say who asks, and nothing of what the client shows to this server', async () => {
    await asAdmin('GET', `${things}/a?b=1&a=2`, {
      authorization: 'Bearer never',
      'x-remote-user': 'mallory',
      'x-remote-group': 'system:masters',
      'x-remote-extra-scopes': 'all',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'made.up',
      'proxy-authorization': 'secret',
      te: 'trailers',
      'audit-id': 'my-id',
      'x-custom': 'kept',
    });
    const { headers, url, commonName } = last() as (typeof backend.seen)[0];
    expect(url).toBe(`${things}/a?a=2&b=1`);
    expect(commonName).toBe('front-proxy-client');
    expect(headers).toMatchObject({
      'x-remote-user': 'keelson-admin',
      'x-remote-group': 'system:masters, system:authenticated',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      'x-forwarded-host': `localhost:${backend.port}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': `${things}/a`,
      'audit-id': 'my-id',
      'x-custom': 'kept',
    });
    for (const name of ['authorization', 'x-remote-extra-scopes', 'proxy-authorization', 'te', 'x-remote-uid'])
      expect(headers[name]).toBeUndefined();
  });

  test('come from the user that a client acts as, group by group', async () => {
    await asAdmin('GET', `${things}/a`, {
      'impersonate-user': Buffer.from('Jürgen').toString('latin1'),
      'impersonate-group': ['a,b', 'system:masters'],
      'impersonate-uid': '7',
      'impersonate-extra-Path%2fto': 'x',
    });
    const { headers, rawHeaders } = last() as (typeof backend.seen)[0];
    const groups = rawHeaders.filter((_, index) => rawHeaders[index - 1] === 'x-remote-group');
    expect(groups).toEqual(['a,b', 'system:masters', 'system:authenticated']);
    expect(Buffer.from(String(headers['x-remote-user']), 'latin1').toString()).toBe('Jürgen');
    expect(headers).toMatchObject({ 'x-remote-uid': '7', 'x-remote-extra-path%2fto': 'x' });
    expect(Object.keys(headers).filter((name) => name.startsWith('impersonate'))).toEqual([]);
  });

  test('are authorized here first', async () => {
    const before = seen().length;
    expect((await secureCall(server, 'GET', `${things}/a`)).status).toBe(403);
    expect((await asAdmin('GET', `${things}/a`, { 'impersonate-user': 'stranger' })).status).toBe(403);
    expect(seen().length).toBe(before);
  });

  test.each(['%2e%2e/x', 'a%2fsub', '..', 'a%5cb', '%'])('cannot be read as another path: %s', async (name) => {
    const before = seen().length;
    const { status } = await new Promise<{ status: number }>((resolve, reject) => {
      const session = connectHttp2(server.url, admin());
      session.on('error', reject);
      const stream = session.request({ ':path': `${things}/${name}` });
      stream.on('response', (headers) => {
        session.destroy();
        resolve({ status: headers[':status'] ?? 0 });
      });
    });
    expect(status).toBe(400);
    expect(seen().length).toBe(before);
  });

  test('carry large bodies both ways, over either protocol', async () => {
    const body = Buffer.alloc(8_000_000, 'keelson');
    const { ca, cert, key } = admin();
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const sent = request(
        `${server.url}${things}/echo`,
        { method: 'POST', ca, cert, key, agent: false },
        (incoming) => {
          const parts: Buffer[] = [];
          incoming.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
        },
      );
      sent.on('error', reject).end(body);
    });
    expect(answer.equals(body)).toBe(true);
    const session = connectHttp2(server.url, admin());
    const stream = session.request({ ':path': `${things}/echo`, ':method': 'PUT' });
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.end(body);
    await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
    session.destroy();
    expect(Buffer.concat(parts).equals(body)).toBe(true);
  });

  test('may have no body, or one whose length is not known', async () => {
    expect((await api.delete(`${things}/a`)).status).toBe(200);
    expect(last()).toMatchObject({ method: 'DELETE' });
    expect(last()?.headers).not.toHaveProperty('content-length');
    expect((await asAdmin('PUT', `${things}/a`)).status).toBe(200);
    expect(last()?.headers).toMatchObject({ 'content-length': '0' });
    const sized = { kind: 'DeleteOptions' };
    const chunked = { 'transfer-encoding': 'chunked' };
    expect((await asAdmin('DELETE', `${things}/echo`, chunked, sized)).body).toEqual(sized);
  });

  test('have their parameters in the order of their names', async () => {
    await asAdmin('GET', `${things}?b=2&a=1&limit=5&a=%20x+y&pretty`);
    expect(last()?.url).toBe(`${things}?a=1&a=+x+y&b=2&limit=5&pretty=`);
  });

  test('stream: a watch shows its events as they come, and a client that leaves ends it there too', async () => {
    const session = connectHttp2(server.url, admin());
    const stream = session.request({ ':path': `${things}?watch=1` });
    const first = await new Promise<Buffer>((resolve, reject) => stream.once('data', resolve).on('error', reject));
    expect(first.toString()).toBe('{"type":"ADDED"}\n');
    const closed = new Promise<void>((resolve) => {
      backend.onClosed = resolve;
    });
    stream.close();
    await closed;
    session.destroy();
  });

  test.each(['websocket', 'SPDY/3.1'])('become connections of %s', async (protocol) => {
    const { ca, cert, key } = admin();
    const socket = connectTls({
      port: Number(new URL(server.url).port),
      host: '127.0.0.1',
      ca,
      cert,
      key,
      ALPNProtocols: ['http/1.1'],
    });
    socket.write(
      `POST ${things}/a/exec?command=x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Protocol: v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0\r\nAuthorization: Bearer x\r\n\r\n`,
    );
    let text = '';
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject).on('data', (part: Buffer) => {
        text += part.toString();
        if (text.endsWith('hello ')) socket.write('and back');
        if (text.endsWith('and back')) resolve();
      });
    });
    // what the other server says, and nothing else
    expect(text.split('\r\n\r\n')[0]?.toLowerCase().split('\r\n')).toEqual([
      'http/1.1 101 switching protocols',
      'connection: upgrade',
      `upgrade: ${protocol.toLowerCase()}`,
    ]);
    expect(last()?.headers).toMatchObject({
      upgrade: protocol,
      'x-remote-user': 'keelson-admin',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
    });
    expect(last()?.headers.authorization).toBeUndefined();
    const before = backend.sockets.size;
    socket.destroy();
    await eventually(async () => expect(backend.sockets.size).toBe(before - 1));
  });

  test.each(['in the process', 'over HTTP/1.1'])(
    'are answered with what both servers say of keeping it, %s',
    async (way) => {
      const lines: string[] = [];
      if (way === 'in the process') {
        const answer = await server.fetch(`${things}/cached`);
        lines.push(answer.headers.get('cache-control') ?? '');
      } else {
        const { ca, cert, key } = admin();
        const port = Number(new URL(server.url).port);
        const socket = connectTls({ port, host: '127.0.0.1', ca, cert, key, ALPNProtocols: ['http/1.1'] });
        socket.write(`GET ${things}/cached HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        let text = '';
        for await (const part of socket) text += String(part);
        lines.push([...text.matchAll(/^cache-control: (.*)\r$/gim)].map(([, value]) => value).join(', '));
      }
      expect(lines).toEqual(['no-cache, private, max-age=60']);
    },
  );

  test('that may not change their protocol are answered as the server does', async () => {
    expect(await asAdmin('GET', `${things}/refuse/exec`, { connection: 'Upgrade', upgrade: 'x' })).toMatchObject({
      status: 403,
      body: 'no',
    });
  });

  test('whose server hangs up instead of changing the protocol are answered why', async () => {
    expect(await asAdmin('GET', `${things}/hangup/exec`, { connection: 'Upgrade', upgrade: 'x' })).toMatchObject({
      status: 503,
      body: 'unexpected EOF\n',
    });
  });

  test('are not led elsewhere', async () => {
    expect(await api.get(`${things}/moved`)).toMatchObject({
      status: 502,
      body: 'the backend attempted to redirect this request, which is not permitted',
    });
  });
});

test('a server that knows HTTP/1.1 only is asked over kept connections too', async () => {
  await using backend = await Backend.open(behave, { protocol: 'http/1.1' });
  await using server = await startTestServer({ listen: false });
  const api = await register(server, backend, { group });
  for (let i = 0; i < 3; i++) expect((await api.get(`${things}/a`)).status).toBe(200);
  expect((await api.post(`${things}/echo`, { a: 1 })).body).toBe('{"a":1}');
  const seen = backend.seen.filter(({ url }) => url.includes('/things'));
  expect(seen.map(({ version }) => version)).toEqual(['1.1', '1.1', '1.1', '1.1']);
  expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
  expect(seen[0]?.headers).toMatchObject({
    host: `localhost:${backend.port}`,
    'x-remote-group': 'system:authenticated, system:masters',
  });
});

test('only the server that an APIService trusts is asked', async () => {
  await using backend = await Backend.open(behave);
  await using other = await Backend.open(behave, { name: 'other.default.svc' });
  await using server = await startTestServer({ listen: false });
  const api = await announce(server, backend, { group, caBundle: other.caBundle });
  const name = `v1.${group}`;
  const failing = (port: number, why: string) => {
    const url = `https://localhost:${port}/apis/${group}/v1`;
    const message = `failing or missing response from ${url}: Get "${url}": ${why}`;
    return condition(api, name, { status: 'False', reason: 'FailedDiscoveryCheck', message });
  };
  const x509 = 'tls: failed to verify certificate: x509: ';
  await failing(backend.port, `${x509}certificate signed by unknown authority`);
  const change = async (spec: object) => {
    const { status } = await api.patch('merge', `${apiServices}/${name}`, { spec });
    expect(status).toBe(200);
  };
  await change({ service: { port: other.port } });
  await failing(other.port, `${x509}certificate is valid for other.default.svc, not ext.default.svc`);
  await change({ caBundle: Buffer.from('x').toString('base64') });
  await failing(other.port, 'unable to load root certificates: unable to parse bytes as PEM block');
  expect([...backend.seen, ...other.seen]).toEqual([]);
  await change({ caBundle: null, insecureSkipTLSVerify: true });
  await condition(api, name, { status: 'True', reason: 'Passed', message: 'all checks passed' });
  expect((await api.get(`/apis/${group}/v1/things`)).status).toBe(200);
});

describe('a group-version of this server is taken over, and given back when its APIService goes:', () => {
  test.each([
    { group: 'coordination.k8s.io', path: '/apis/coordination.k8s.io/v1/namespaces/default/leases', list: 'LeaseList' },
    // its service and what stands behind it are then objects that the other server answers for
    { group: '', path: '/api/v1/namespaces/default/services', list: 'ServiceList' },
    {
      group: 'discovery.k8s.io',
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      list: 'EndpointSliceList',
    },
  ])('v1 of $group', async ({ group, path, list }) => {
    await using backend = await Backend.open(behave);
    await using server = await startTestServer({ listen: false });
    const api = apiOf(server);
    await externalService(api);
    const name = `v1.${group}`;
    const registered = `${apiServices}/${name}`;
    await condition(api, name, { reason: 'Local' });
    const { body } = await api.get(registered);
    const taken = apiService({ group, port: backend.port, caBundle: backend.caBundle }) as { spec: object };
    expect((await api.put(registered, { ...body, spec: taken.spec })).status).toBe(200);
    await condition(api, name, { reason: 'Passed' });
    expect((await api.get(path)).body).toMatchObject({ kind: 'Thing', url: path });
    const lost = { ...(await api.get(registered)).body };
    const elsewhere = { ...taken.spec, service: { namespace: 'default', name: 'missing', port: backend.port } };
    expect((await api.put(registered, { ...lost, spec: elsewhere })).status).toBe(200);
    await condition(api, name, { reason: 'ServiceNotFound' });
    expect((await api.get(path)).status).toBe(503);
    expect((await api.delete(registered)).status).toBe(200);
    expect((await api.get(path)).body).toMatchObject({ kind: list });
  });
});

test('a group-version of custom resources is taken over, and given back when its APIService goes', async () => {
  await using backend = await Backend.open(behave);
  await using server = await startTestServer({ listen: false });
  const api = apiOf(server);
  const cats = '/apis/cats.example/v1/namespaces/default/cats';
  const registered = `${apiServices}/v1.cats.example`;
  const schema = { openAPIV3Schema: { type: 'object' } };
  const names = { plural: 'cats', kind: 'Cat' };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'cats.cats.example' },
    spec: { group: 'cats.example', scope: 'Namespaced', names, versions },
  });
  await eventually(async () => expect((await api.get(cats)).body).toMatchObject({ kind: 'CatList' }));
  await eventually(async () => expect((await api.get(registered)).status).toBe(200));
  await register(server, backend, { group });
  const { body } = await api.get(registered);
  const { spec } = apiService({ group: 'cats.example', port: backend.port, caBundle: backend.caBundle }) as {
    spec: object;
  };
  // with its label the controller would put it right again
  const metadata = { ...body.metadata, labels: {} };
  expect((await api.put(registered, { ...body, metadata, spec })).status).toBe(200);
  await condition(api, 'v1.cats.example', { reason: 'Passed' });
  expect((await api.get(cats)).body).toMatchObject({ kind: 'Thing', url: cats });
  expect((await api.delete(registered)).status).toBe(200);
  await eventually(async () => expect((await api.get(cats)).body).toMatchObject({ kind: 'CatList' }));
  await eventually(async () => expect((await api.get(registered)).body.spec).not.toHaveProperty('service'));
});

test('no APIService leads back to this server', async () => {
  await using server = await startTestServer();
  await using backend = await Backend.open(behave);
  const port = Number(new URL(server.url).port);
  const api = apiOf(server);
  await externalService(api);
  await api.post(apiServices, apiService({ group, port, more: { insecureSkipTLSVerify: true } }));
  const url = `https://localhost:${port}/apis/${group}/v1`;
  const message = `failing or missing response from ${url}: Get "${url}": address not allowed`;
  await condition(api, `v1.${group}`, { reason: 'FailedDiscoveryCheck', message });
  expect(await api.get(`/apis/${group}/v1/things`)).toMatchObject({ status: 503, body: 'service unavailable\n' });
  expect(backend.seen).toEqual([]);
});

test('the registrations themselves cannot be taken over', async () => {
  await using backend = await Backend.open(behave);
  await using server = await startTestServer({ listen: false });
  const api = await register(server, backend, { group: 'apiregistration.k8s.io' });
  expect((await api.get(apiServices)).body).toMatchObject({ kind: 'APIServiceList' });
  expect(backend.seen).toEqual([]);
});

describe('the condition Available', () => {
  const name = `v1.${group}`;
  const services = '/api/v1/namespaces/default/services';
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const slice = (endpoints: readonly object[], ports: readonly object[]) => ({
    metadata: { name: 'ext-1', labels: { 'kubernetes.io/service-name': 'ext' } },
    addressType: 'IPv4',
    endpoints,
    ports,
  });

  test('follows the service, its endpoints and the answers of the server, each within moments', async () => {
    await using backend = await Backend.open(behave, { host: '127.0.77.7' });
    await using server = await startTestServer({ listen: false, serviceClusterIpRange: ['127.0.77.0/28'] });
    const api = apiOf(server);
    const { port, caBundle } = backend;
    await api.post(apiServices, apiService({ group, port, caBundle }));
    const is = (status: string, reason: string, message: string) => condition(api, name, { status, reason, message });
    await is('False', 'ServiceNotFound', 'service/ext in "default" is not present');
    expect(await api.get(`/apis/${group}/v1/things`)).toMatchObject({ status: 503, body: 'service unavailable\n' });
    const spec = { clusterIP: '127.0.77.7', ports: [{ name: 'https', port: 1 }] };
    await api.post(services, { metadata: { name: 'ext' }, spec });
    await is('False', 'ServicePortError', `service/ext in "default" is not listening on port ${port}`);
    await api.patch('merge', `${services}/ext`, { spec: { ports: [{ name: 'https', port }] } });
    await is('False', 'EndpointsNotFound', 'cannot find endpointslices for service/ext in "default"');
    const ready = { addresses: ['10.1.2.3'], conditions: { ready: true } };
    await api.post(slices, slice([{ ...ready, conditions: { ready: false } }], [{ name: 'https', port }]));
    const missing = 'endpointslices for service/ext in "default" have no addresses with port name "https"';
    await is('False', 'MissingEndpoints', missing);
    await api.patch('merge', `${slices}/ext-1`, { endpoints: [ready] });
    await is('True', 'Passed', 'all checks passed');
    expect((await api.get(`/apis/${group}/v1/things`)).status).toBe(200);
    expect(backend.seen.find(({ url }) => url === `/apis/${group}/v1`)).toMatchObject({
      url: `/apis/${group}/v1`,
      headers: { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' },
    });
    await api.delete(`${slices}/ext-1`);
    await is('False', 'EndpointsNotFound', 'cannot find endpointslices for service/ext in "default"');
    await api.delete(`${services}/ext`);
    await is('False', 'ServiceNotFound', 'service/ext in "default" is not present');
  });

  test('says what a server answers that is not well, and is True again once it is', async () => {
    let status = 500;
    await using backend = await Backend.open((_, response) => json(response, {}, status));
    await using server = await startTestServer({ listen: false });
    const api = await announce(server, backend, { group });
    const url = `https://localhost:${backend.port}/apis/${group}/v1`;
    const message = `failing or missing response from ${url}: bad status from ${url}: 500`;
    await condition(api, name, { status: 'False', reason: 'FailedDiscoveryCheck', message });
    status = 200;
    await condition(api, name, { status: 'True', reason: 'Passed' });
  });

  test('says when a server does not answer in time', async () => {
    await using backend = await Backend.open(() => {});
    await using server = await startTestServer({ listen: false });
    const api = await announce(server, backend, { group });
    const url = `https://localhost:${backend.port}/apis/${group}/v1`;
    const why = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    const message = `failing or missing response from ${url}: Get "${url}": ${why}`;
    await condition(api, name, { status: 'False', reason: 'FailedDiscoveryCheck', message });
  });

  test('is Local where no service is named any more', async () => {
    await using backend = await Backend.open(behave);
    await using server = await startTestServer({ listen: false });
    const api = await register(server, backend, { group });
    await api.patch('merge', `${apiServices}/${name}`, { spec: { service: null, caBundle: null } });
    const message = 'Local APIServices are always available';
    await condition(api, name, { status: 'True', reason: 'Local', message });
  });
});
