// What is logged at which level, changed while the server runs, and what is never logged.

import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/cli/log.ts';
import type { Log, Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps, secrets } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { bearer, secureCall } from './secure-call.ts';

interface Line {
  readonly message: string;
  readonly area?: string;
  readonly [field: string]: unknown;
}

let lines: Line[] = [];
const take = (fields: object, message: string) => lines.push({ ...fields, message });
const log: Log = { info: take, warn: take, error: take };

const clock = new FakeClock(Date.now());
let server: Server;
beforeAll(async () => {
  server = await startTestServer({ log, clock, verbosity: 0 });
});
afterAll(() => server.close());
beforeEach(async () => {
  await set('v', '0');
  await set('vmodule', '');
  lines = [];
});

const admin = () => {
  const { cert, key } = credentialsOf(server.kubeconfig);
  return { certificate: cert.toString(), privateKey: key.toString() };
};
const call = (method: string, path: string, body?: string, pair = true) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { ca, cert, key } = credentialsOf(server.kubeconfig);
    const credentials = pair ? { cert, key } : {};
    const sent = request(`${server.url}${path}`, { method, ca, ...credentials, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
const set = (flag: string, value: string) => call('PUT', `/debug/flags/${flag}`, value);
/** Of the tests: the server's own controllers ask for other things. */
const requestLines = () =>
  lines.filter(({ area, path }) => area === 'requests' && !String(path).startsWith('/apis/apiregistration.k8s.io/'));

describe('levels', () => {
  test('0 says nothing of requests, whatever becomes of them', async () => {
    await apiOf(server).get(`${configMaps}/missing`);
    await apiOf(server).get(configMaps);
    expect(lines).toEqual([]);
  });

  test('1 tells of start, listening and stop', async () => {
    const told: string[] = [];
    const keep = (_: object, message: string) => told.push(message);
    const quiet = await startTestServer({ log: { info: keep, warn: keep, error: keep } });
    await apiOf(quiet).get(`${configMaps}/missing`);
    await quiet.close();
    expect(told).toEqual(['listening', 'stopping', 'stopped']);
  });

  test('2 has one line for a request that failed, and none for others', async () => {
    await set('v', '2');
    lines = [];
    await secureCall(server, 'GET', configMaps, { pair: admin() });
    await secureCall(server, 'GET', `${configMaps}/missing?token=hidden`, { pair: admin() });
    expect(requestLines()).toEqual([
      {
        area: 'requests',
        message: 'request failed',
        verb: 'get',
        path: `${configMaps}/missing`,
        user: 'keelson-admin',
        status: 404,
        ms: 0,
        bytes: expect.any(Number),
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  test('2 has one line for a slow request, with the stage that took the time', async () => {
    await set('v', '2');
    await set('vmodule', 'authorization=4');
    lines = [];
    const { ca, cert, key } = credentialsOf(server.kubeconfig);
    const headers = { 'content-type': 'application/json' };
    const slow = request(`${server.url}${configMaps}`, { method: 'POST', ca, cert, key, headers, agent: false });
    const answered = new Promise<number>((resolve) => {
      slow.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    slow.flushHeaders();
    await eventually(async () =>
      expect(lines.some(({ area, verb }) => area === 'authorization' && verb === 'create')).toBe(true),
    );
    clock.advance(700);
    slow.end(JSON.stringify(configMap('slow')));
    expect(await answered).toBe(201);
    expect(requestLines()).toEqual([
      expect.objectContaining({
        message: 'slow request',
        status: 201,
        ms: 700,
        stage: 'serve',
        stageMs: 700,
      }),
    ]);
  });

  test('3 has one line for every request', async () => {
    await set('v', '3');
    lines = [];
    await apiOf(server).get(configMaps);
    await apiOf(server).post(configMaps, configMap('three'));
    expect(requestLines().filter(({ path }) => path === configMaps)).toEqual([
      expect.objectContaining({ message: 'request', verb: 'list', status: 200 }),
      expect.objectContaining({ message: 'request', verb: 'create', status: 201 }),
    ]);
    expect(lines.filter(({ area }) => area !== 'requests')).toEqual([]);
  });

  test('4 tells of decisions, by area', async () => {
    await set('v', '4');
    lines = [];
    await secureCall(server, 'GET', '/api/v1/nodes', { headers: {} });
    await apiOf(server).post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: {} });
    await apiOf(server).get('/apis/apps/v1/daemonsets');
    expect(lines).toContainEqual(
      expect.objectContaining({
        area: 'authorization',
        user: 'system:anonymous',
        verb: 'list',
        resource: 'nodes',
        decision: 'noOpinion',
      }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ area: 'admission', operation: 'CREATE', resource: 'pods' }));
    expect(lines).toContainEqual(expect.objectContaining({ area: 'caches', prefix: '/daemonsets/', objects: 0 }));
    await set('v', '0');
    await set('vmodule', 'caches=4');
    lines = [];
    await apiOf(server).get('/apis/apps/v1/statefulsets');
    expect(lines.map(({ area }) => area)).toEqual(['caches']);
  });
});

describe('/debug/flags', () => {
  test('answers as kube-apiserver does', async () => {
    expect(await set('v', '2')).toEqual({ status: 200, text: 'successfully set klog.logging.verbosity to 2\n' });
    expect(await set('v', 'much')).toEqual({
      status: 400,
      text: 'strconv.ParseUint: parsing "much": invalid syntax\n',
    });
    expect(await set('v', '99999999999')).toMatchObject({ status: 400, text: expect.stringContaining('out of range') });
    expect(await call('GET', '/debug/flags/v')).toEqual({ status: 406, text: 'unsupported http method\n' });
    expect((await call('GET', '/debug/flags')).text).toContain('<li>v</li>');
    expect(JSON.parse((await call('GET', '/')).text).paths).not.toContain('/debug/flags/v');
  });

  test('accepts the patterns of klog, and answers which of them match no area', async () => {
    expect(await set('vmodule', 'httplog=9')).toEqual({
      status: 200,
      text: 'successfully set vmodule to httplog=9\n',
    });
    expect(await set('vmodule', 'walls=4')).toMatchObject({
      status: 200,
      text: expect.stringContaining('walls has no effect'),
    });
    await set('vmodule', '');
  });

  test('refuses what is no pattern with a level, and bodies that are too long', async () => {
    expect(await set('vmodule', 'walls')).toMatchObject({
      status: 400,
      text: expect.stringContaining('areas are server'),
    });
    expect((await set('v', '1'.repeat(5000))).status).toBe(413);
  });

  test('needs the right to put there', async () => {
    expect((await call('PUT', '/debug/flags/v', '4', false)).status).toBe(403);
    await apiOf(server).get(`${configMaps}/missing`);
    expect(lines).toEqual([]);
  });
});

test('a deprecated metric is a warning, which is logged by default', async () => {
  const warnings: [object, string][] = [];
  const keep = (fields: object, message: string) => void warnings.push([fields, message]);
  const ignore = () => {};
  await using quiet = await startTestServer({
    listen: false,
    verbosity: 0,
    log: { info: ignore, warn: keep, error: ignore },
  });
  const { body } = await apiOf(quiet).get('/metrics');
  const [, since] = /# HELP apiserver_storage_objects \[\w+\] \(Deprecated since (1\.\d+)\.0\)/.exec(body) ?? [];
  const about = warnings.filter(([, message]) => message.startsWith('metric apiserver_storage_objects is deprecated'));
  expect(about.map(([fields]) => fields)).toEqual([{ metric: 'apiserver_storage_objects', since }]);
});

describe('secrets', () => {
  test('are in no line, at the highest level and in both formats', async () => {
    const output = { text: '', write: (part: string) => (output.text += part) };
    const both = ['text', 'json'].map((format) => createLog(output, format, {}));
    const all = (level: keyof Log) => (fields: object, message: string) =>
      both.forEach((one) => void one[level](fields, message));
    await using loud = await startTestServer({
      log: { info: all('info'), warn: all('warn'), error: all('error') },
      verbosity: 10,
    });
    const api = apiOf(loud);
    await api.post(secrets, { metadata: { name: 's' }, stringData: { password: 'correct-horse' }, type: 'bad type' });
    await api.post(secrets, { metadata: { name: 's' }, stringData: { password: 'correct-horse' } });
    await api.get(`${secrets}/s`);
    await api.patch('merge', `${secrets}/s`, { stringData: { password: 'battery-staple' } });
    await api.patch('json', `${secrets}/s`, [{ op: 'test', path: '/data/password', value: 'correct-horse' }]);
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    await eventually(async () => expect((await api.post(path, { spec: {} })).status).toBe(201));
    const { body } = await api.post(path, { spec: {} });
    const token = body.status.token as string;
    await secureCall(loud, 'GET', secrets, { headers: bearer(token) });
    await secureCall(loud, 'GET', secrets, { headers: bearer('nonsense-token-12345') });
    await secureCall(loud, 'GET', `${secrets}?access_token=query-token-12345`, {
      headers: { authorization: 'Basic YWxpY2U6aHVudGVyMg==' },
    });
    expect(output.text).toContain('"path":"/api/v1/namespaces/default/secrets/s"');
    const encoded = ['correct-horse', 'battery-staple'].map((text) => Buffer.from(text).toString('base64'));
    const hidden = ['correct-horse', 'battery-staple', ...encoded, token, token.split('.')[2] as string];
    for (const secret of [...hidden, 'nonsense-token-12345', 'query-token-12345', 'YWxpY2U6aHVudGVyMg', 'PRIVATE KEY'])
      expect(output.text.includes(secret), secret).toBe(false);
  });
});
