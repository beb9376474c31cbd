// What this server records of requests that it passes on: events of audit, and metrics under the names of kube-apiserver.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import type { Api } from './api.ts';
import { announce, apiService, apiServices, Backend, type Behaviour, json, register } from './backend.ts';
import { eventually } from './eventually.ts';

const group = 'ext.example';
const things = `/apis/${group}/v1/namespaces/default/things`;

const behave: Behaviour = (request, response, { url }) => {
  request.resume();
  if (url.includes('/missing')) json(response, { kind: 'Status', code: 404, reason: 'NotFound' }, 404);
  else if (url.includes('/broken')) request.socket?.destroy();
  else if (!url.includes('/things')) json(response, {});
  else json(response, { kind: 'Thing', apiVersion: `${group}/v1`, metadata: { name: 'one' } });
};

let folder: TempFolder;
let server: Server;
let backend: Backend;
let api: Api;

beforeAll(async () => {
  folder = new TempFolder();
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] };
  const rules = [{ level: 'RequestResponse', resources: [{ group }] }, { level: 'None' }];
  writeFileSync(join(folder.path, 'policy.yaml'), JSON.stringify({ ...policy, rules }));
  const audit = { policyFile: join(folder.path, 'policy.yaml'), log: { path: join(folder.path, 'audit.log') } };
  backend = await Backend.open(behave, { protocol: 'http/1.1' });
  server = await startTestServer({ audit });
  api = await register(server, backend, { group });
});
afterAll(async () => {
  await server.close();
  await backend[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
const events = (id: string): any[] =>
  readFileSync(join(folder.path, 'audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ auditID }) => auditID === id);

const metricLines = async (name: string) =>
  String((await api.get('/metrics')).body)
    .split('\n')
    .filter((line) => line.startsWith(name));

test.each([
  ['GET', 'one', 200, 'get'],
  ['GET', 'missing', 404, 'get'],
  ['PUT', 'one', 200, 'update'],
] as const)(
  'a %s of %s is one event, with the answer of the other server, which got its id',
  async (method, name, code, verb) => {
    const id = `passed-on-${method}-${name}`;
    const { status, headers } = await api.call(
      method,
      `${things}/${name}`,
      method === 'GET' ? undefined : { spec: 1 },
      { 'audit-id': id },
    );
    expect([status, headers.get('audit-id')]).toEqual([code, id]);
    // the server asks for its documents, too
    expect(backend.seen.map((request) => request.headers['audit-id'])).toContain(id);
    await eventually(async () => expect(events(id)).toHaveLength(1));
    expect(events(id)[0]).toMatchObject({
      stage: 'ResponseComplete',
      verb,
      requestURI: `${things}/${name}`,
      objectRef: { apiGroup: group, apiVersion: 'v1', resource: 'things', name, namespace: 'default' },
      responseStatus: { code },
    });
  },
);

test('answers of other servers are not among those of this one; what is not passed on to them is counted', async () => {
  const labels = `group="${group}",version="v2",resource="things",subresource="",scope="resource",component="aggregator"`;
  await api.get(`${things}/one`);
  const { status, body } = await api.get(`${things}/broken`);
  expect([status, String(body)]).toEqual([503, 'error trying to reach service: EOF\n']);
  expect((await metricLines('apiserver_request_total')).filter((line) => line.includes(group))).toEqual([]);
  const nowhere = apiService({ group, version: 'v2', port: 443, service: 'missing' });
  expect((await api.post(apiServices, nowhere)).status).toBe(201);
  const refused = await eventually(async () => {
    const answer = await api.get(`/apis/${group}/v2/namespaces/default/things/one`);
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(String(refused.body)).toBe('service unavailable\n');
  const ended = (await metricLines('apiserver_request_terminations_total')).filter((line) => line.includes('things'));
  expect(ended).toEqual([`apiserver_request_terminations_total{verb="GET",${labels},code="503"} 1`]);
});

test('the making of the aggregated document is counted', async () => {
  const count = async () =>
    Number((await metricLines('aggregator_discovery_aggregation_count_total'))[0]?.split(' ')[1]);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  await api.get('/apis', { accept });
  const before = await count();
  await api.get('/apis', { accept });
  expect(await count()).toBe(before);
  expect(before).toBeGreaterThan(0);
});

test('certificates that have their name in the wrong place are counted', async () => {
  const name = 'apiserver_kube_aggregator_x509_missing_san_total';
  const value = async () => Number((await metricLines(name))[0]?.split(' ')[1]);
  expect(await value()).toBe(0);
  await using old = await Backend.open(behave, { hosts: [], commonName: 'ext.default.svc' });
  const refusing = await announce(server, old, { group: 'old.example' });
  await eventually(async () => expect(await value()).toBeGreaterThan(0));
  const message = 'certificate relies on legacy Common Name field, use SANs instead';
  const { body } = await refusing.get('/apis/apiregistration.k8s.io/v1/apiservices/v1.old.example');
  expect(body.status.conditions[0].message).toContain(message);
});
