// The socket: both protocols on one port, certificates, and clients that misbehave.

import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { type Credentials, credentialsOf } from './credentials.ts';

let server: Server;
let admin: Credentials;
beforeAll(async () => {
  server = await startTestServer();
  admin = credentialsOf(server.kubeconfig);
});
afterAll(() => server.close());

interface Reply {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function http1(path: string, options: object = {}, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { ca: admin.ca, ...options }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function withSession<T>(run: (session: ClientHttp2Session) => Promise<T>): Promise<T> {
  const session = connect(server.url, { ...admin });
  try {
    return await run(session);
  } finally {
    session.destroy();
  }
}

function http2(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let answered: Record<string, unknown> = {};
    const parts: Buffer[] = [];
    stream.on('response', (found) => {
      answered = found;
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () =>
      resolve({ status: Number(answered[':status']), headers: answered, text: Buffer.concat(parts).toString() }),
    );
    stream.on('error', reject);
    if (body !== undefined) stream.end(body);
  });
}

describe('one port', () => {
  test('speaks HTTP/2 and HTTP/1.1, and says who it was asked by', async () => {
    const old = await http1(`${configMaps}?limit=1`, admin);
    expect([old.status, old.headers['content-type'], old.headers['cache-control']]).toEqual([
      200,
      'application/json',
      'no-cache, private',
    ]);
    const modern = await withSession((session) => http2(session, { ':path': `${configMaps}?limit=1` }));
    expect(modern.status).toBe(200);
    expect(modern.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(modern.text)).toMatchObject({ kind: 'ConfigMapList' });
  });

  test('sends a long list whole over both, however slowly it is read', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps';
    const api = apiOf(server);
    await Promise.all(
      Array.from({ length: 400 }, (_, i) => api.post(path, configMap(`long-${i}`, { n: `${i}`.repeat(3000) }))),
    );
    // controllers write meanwhile: only at one version are all lists the same
    const { resourceVersion } = (await api.get(path)).body.metadata;
    const all = `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    const expected = await (await server.fetch(all)).text();
    const slowly = async (stream: AsyncIterable<Buffer>) => {
      const parts: Buffer[] = [];
      for await (const part of stream) {
        parts.push(part);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return Buffer.concat(parts).toString();
    };
    const sent = request(`${server.url}${all}`, { ...admin });
    sent.end();
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
    expect((await slowly(response)) === expected).toBe(true);
    const both = await withSession((session) =>
      Promise.all([1, 2].map(() => slowly(session.request({ ':path': all })))),
    );
    expect(both.map((text) => text === expected)).toEqual([true, true]);
  });

  test('streams watches over both', async () => {
    const path = `${configMaps}?watch=1&fieldSelector=metadata.name%3Dstreamed`;
    await apiOf(server).post(configMaps, configMap('streamed'));
    const first = (headers: object) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(`${server.url}${path}`, { ...admin, ...headers }, (response) => {
          response.once('data', (part: Buffer) => {
            resolve(part.toString());
            sent.destroy();
          });
        });
        sent.on('error', reject);
        sent.end();
      });
    expect(JSON.parse(await first({}))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'streamed' } } });
    const line = await withSession(
      (session) =>
        new Promise<string>((resolve) => {
          session.request({ ':path': path }).once('data', (part: Buffer) => resolve(part.toString()));
        }),
    );
    expect(JSON.parse(line)).toMatchObject({ type: 'ADDED' });
  });
});

describe('identity', () => {
  test('a client without credentials sees health and version, nothing else', async () => {
    expect((await http1('/readyz')).status).toBe(200);
    expect((await http1('/version')).status).toBe(200);
    const refused = await http1('/api/v1/secrets');
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      403,
      'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
    ]);
  });

  test('an unknown token or certificate is a 401, even where no credentials are needed', async () => {
    expect((await http1('/readyz', { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401);
    await using stranger = await startTestServer();
    const { cert, key } = credentialsOf(stranger.kubeconfig);
    expect((await http1('/readyz', { cert, key, agent: false })).status).toBe(401);
  });
});

describe('clients that misbehave', () => {
  test('an upload that is shorter than announced does nothing', async () => {
    await withSession(async (session) => {
      const body = 'metadata: {name: cut-short}\n';
      const headers = {
        ':path': configMaps,
        ':method': 'POST',
        'content-type': 'application/yaml',
        'content-length': `${body.length + 20}`,
      };
      const stream = session.request(headers, { endStream: false });
      stream.on('error', () => {});
      await new Promise((resolve) => stream.write(body, resolve));
      // another answer on the same connection: the server has read what came before it
      await http2(session, { ':path': '/readyz' });
      stream.close(constants.NGHTTP2_CANCEL);
      await new Promise((resolve) => stream.once('close', resolve));
      await http2(session, { ':path': '/readyz' });
    });
    expect((await apiOf(server).get(`${configMaps}/cut-short`)).status).toBe(404);
  });

  test('an upload whose connection breaks does nothing', async () => {
    const socket = connectTls(Number(new URL(server.url).port), '127.0.0.1', { ...admin, ALPNProtocols: ['h2'] });
    const session = connect(server.url, { createConnection: () => socket });
    session.on('error', () => {});
    const headers = { ':path': configMaps, ':method': 'POST', 'content-type': 'application/yaml' };
    const stream = session.request(headers, { endStream: false });
    stream.on('error', () => {});
    await new Promise((resolve) => stream.write('metadata: {name: cut-off}\n', resolve));
    await http2(session, { ':path': '/readyz' });
    const closed = new Promise((resolve) => session.once('close', resolve));
    socket.destroy();
    await closed;
    for (let i = 0; i < 5; i++) await http1('/readyz');
    expect((await apiOf(server).get(`${configMaps}/cut-off`)).status).toBe(404);
  });

  test.each(['constructor', 'toString', 'valueOf', 'FOO'])(
    'the method %s is refused like any other',
    async (method) => {
      const reply = await withSession((session) => http2(session, { ':path': configMaps, ':method': method }));
      expect(reply.status).toBe(405);
    },
  );

  test('CONNECT is refused and the server goes on', async () => {
    const reply = await withSession((session) =>
      http2(session, { ':method': 'CONNECT', ':authority': 'example.com:443' }),
    );
    expect(reply.status).toBe(405);
    expect((await http1('/readyz')).status).toBe(200);
  });

  test('large headers over HTTP/1.1 are read', async () => {
    const status = async (bytes: number) =>
      (await http1('/version', { headers: { 'x-large': 'x'.repeat(bytes) } })).status;
    expect([await status(12_000), await status(500_000)]).toEqual([200, 200]);
  });

  test('a body over the limit is a 413 and the connection is not kept', async () => {
    const body = JSON.stringify(configMap('huge', { x: 'y'.repeat(4 * 1024 * 1024) }));
    const reply = await http1(configMaps, { ...admin, method: 'POST', agent: false }, body).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    // the answer may be cut off by the connection that is closed under the upload
    if (typeof reply === 'object') expect([reply?.status, reply?.headers['connection']]).toEqual([413, 'close']);
    else expect(reply).toMatch(/EPIPE|ECONNRESET/);
    expect((await apiOf(server).get(`${configMaps}/huge`)).status).toBe(404);
  });

  test('nesting, copies and unknown fields have limits', async () => {
    const api = apiOf(server);
    const deep = `{"metadata":{"name":"deep","managedFields":[{"fieldsV1":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}]}}`;
    expect((await api.call('POST', configMaps, deep)).status).toBe(400);
    await api.post(configMaps, configMap('bomb'));
    const copies = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/x${i}` }));
    expect((await api.patch('json', `${configMaps}/bomb`, copies)).status).toBe(422);
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`u${i}`, 1]));
    const warned = await api.post(configMaps, { ...configMap('wide'), ...unknown });
    expect(warned.status).toBe(201);
    expect((warned.headers.get('warning') ?? '').length).toBeLessThan(10_000);
  });

  test('a watch that cannot be served leaves the writers alone', async () => {
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const api = apiOf(server);
    expect((await api.get(`${configMaps}?watch=1&resourceVersion=1&includeObject=Bogus`, table)).status).toBe(400);
    expect((await api.post(configMaps, configMap('after-bogus'))).status).toBe(201);
    expect((await api.post(configMaps, configMap('after-bogus-2'))).status).toBe(201);
  });
});

describe('closing', () => {
  test('ends watches, finishes, and is not held up by a silent connection', async () => {
    const closing = await startTestServer();
    const { ca, cert, key } = credentialsOf(closing.kubeconfig);
    const silent = connectTcp(Number(new URL(closing.url).port), '127.0.0.1');
    silent.on('error', () => {});
    await new Promise((resolve) => silent.once('connect', resolve));
    const ended = new Promise<void>((resolve, reject) => {
      const sent = request(`${closing.url}${configMaps}?watch=1`, { ca, cert, key }, (response) => {
        response.resume();
        response.once('end', resolve);
        void closing.close();
      });
      sent.on('error', reject);
      sent.end();
    });
    await ended;
    await closing.close();
    silent.destroy();
    expect((await closing.fetch('/readyz')).status).toBe(503);
  });
});
