// Audit: what is recorded of requests, and that recording never gets in the way. Issue line "Audit".

import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf, configMap, configMaps, secrets } from './api.ts';
import { eventually } from './eventually.ts';

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
  - level: None
    users: [system:apiserver]
    verbs: [get, list, watch]
    resources: [{ group: coordination.k8s.io, resources: [leases] }]
  - level: None
    nonResourceURLs: [/healthz*]
  - level: Metadata
    omitStages: [RequestReceived]
    resources: [{ group: "", resources: [pods, serviceaccounts] }]
  - level: Request
    resources: [{ group: "", resources: [services] }]
  - level: RequestResponse
`;

let folder: TempFolder;
let server: Server;
let api: Api;
let path: string;

beforeAll(async () => {
  folder = new TempFolder();
  path = join(folder.path, 'logs', 'audit.log');
  writeFileSync(join(folder.path, 'policy.yaml'), policy);
  writeFileSync(join(folder.path, 'tokens'), 'ann-token,ann,ann-uid,devs\nroot-token,root,root-uid,system:masters\n');
  server = await startTestServer({
    tokenAuthFile: join(folder.path, 'tokens'),
    runtimeConfig: { 'policy/v1beta1': true },
    audit: { policyFile: join(folder.path, 'policy.yaml'), log: { path } },
  });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
type Event = any;

const events = (): Event[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

let asked = 0;

/** Sends a request under an id of its own and gives back its answer and its events. */
async function audited(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const id = `audit-test-${asked++}`;
  const answer = await api.call(method, url, body, { ...headers, 'audit-id': id });
  return { answer, events: events().filter((event) => event.auditID === id) };
}

const last = (found: readonly Event[]): Event => found.at(-1);

describe('an event', () => {
  test('tells who asked for what, how it was answered, and what was said', async () => {
    const { answer, events } = await audited('POST', configMaps, configMap('told', { a: 'b' }), {
      'user-agent': 'a test',
      'x-forwarded-for': '10.1.2.3, nonsense, 2001:DB8::1',
      'x-real-ip': '10.1.2.4',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('audit-id')).toBe(events[0].auditID);
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    const { requestReceivedTimestamp, stageTimestamp, auditID: _, ...event } = events[1];
    expect(event).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      stage: 'ResponseComplete',
      requestURI: configMaps,
      verb: 'create',
      user: { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['10.1.2.3', '2001:db8::1', '10.1.2.4', '::1'],
      userAgent: 'a test',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'told', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'told', namespace: 'default' },
        data: { a: 'b' },
      },
      responseObject: { ...answer.body, metadata: { ...answer.body.metadata, managedFields: undefined } },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    });
    expect(requestReceivedTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(stageTimestamp >= requestReceivedTimestamp).toBe(true);
    expect(events[0]).toMatchObject({ stageTimestamp: requestReceivedTimestamp });
    expect(events[0].responseStatus).toBeUndefined();
  });

  test('names the version that an update was based on, and what a patch said', async () => {
    const { body } = await api.post(configMaps, configMap('changed'));
    const { events: put } = await audited('PUT', `${configMaps}/changed`, body);
    const { uid, resourceVersion } = body.metadata;
    expect(last(put).objectRef).toMatchObject({ uid, resourceVersion });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const { events: patch } = await audited('PATCH', `${configMaps}/changed`, { data: { c: 'd' } }, merge);
    expect(last(patch).requestObject).toEqual({ data: { c: 'd' } });
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: changed}\ndata: {e: f}\n';
    const { events: applied } = await audited('PATCH', `${configMaps}/changed?fieldManager=me`, yaml, apply);
    expect(last(applied)).toMatchObject({
      requestObject: { data: { e: 'f' } },
      requestURI: `${configMaps}/changed?fieldManager=me`,
    });
    const { events: gone } = await audited('DELETE', `${configMaps}/changed`, { gracePeriodSeconds: 0 });
    expect(last(gone)).toMatchObject({
      requestObject: { kind: 'DeleteOptions', gracePeriodSeconds: 0 },
      responseStatus: { status: 'Success', details: { name: 'changed', kind: 'configmaps' }, code: 200 },
    });
  });

  test('shows lists, tables and protobuf in JSON', async () => {
    await api.post(configMaps, configMap('shown'));
    const { events: listed } = await audited('GET', configMaps);
    expect(last(listed).responseObject.items.map((item: Event) => item.metadata.name)).toContain('shown');
    expect(JSON.stringify(last(listed).responseObject)).not.toContain('managedFields');
    const accept = { accept: 'application/vnd.kubernetes.protobuf' };
    const { events: binary } = await audited('GET', `${configMaps}/shown`, undefined, accept);
    expect(last(binary).responseObject).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'shown' } });
    const { events: pretty } = await audited('GET', `${configMaps}/shown?pretty=1`);
    expect(last(pretty).responseObject).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'shown' } });
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { events: tabled } = await audited('GET', `${configMaps}/shown`, undefined, table);
    expect(last(tabled).responseObject).toMatchObject({ kind: 'Table' });
  });

  test('shows why a request failed', async () => {
    const { events } = await audited('GET', `${configMaps}/missing`);
    expect(last(events)).toMatchObject({
      responseStatus: { metadata: {}, status: 'Failure', reason: 'NotFound', code: 404, details: { name: 'missing' } },
      responseObject: { kind: 'Status', code: 404 },
    });
  });

  test('shows nothing of bodies at Metadata, only what was sent at Request', async () => {
    const { events: metadata } = await audited('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { generateName: 'named-' },
    });
    expect(metadata.map(({ stage }) => stage)).toEqual(['ResponseComplete']);
    expect(metadata[0]).not.toHaveProperty('requestObject');
    const service = { metadata: { name: 'sent' }, spec: { ports: [{ port: 80 }] } };
    const { events: request } = await audited('POST', '/api/v1/namespaces/default/services', service);
    expect(last(request).requestObject.spec.ports[0]).toMatchObject({ port: 80, protocol: 'TCP' });
    expect(last(request)).not.toHaveProperty('responseObject');
  });

  test('marks the use of deprecated resources', async () => {
    const { events } = await audited('GET', '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets');
    expect(last(events).annotations).toMatchObject({ 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.25' });
  });

  test('is not made where the policy says so', async () => {
    expect((await audited('GET', '/healthz')).events).toEqual([]);
    expect((await audited('GET', '/version')).events).toHaveLength(2);
  });

  test('has an id that no client can choose to be long or strange', async () => {
    for (const id of ['x'.repeat(65), 'a b', '{"a":1}']) {
      const { headers } = await api.get('/version', { 'audit-id': id });
      expect(headers.get('audit-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('identity', () => {
  const as = (user: string, url: string, init: RequestInit = {}) =>
    server.fetch(url, { ...init, user: { name: user, groups: ['system:authenticated'] } });

  test('a decision is recorded with its reason', async () => {
    const answer = await as('ann', configMaps, { headers: { 'audit-id': 'refused' } });
    expect(answer.status).toBe(403);
    const found = events().filter(({ auditID }) => auditID === 'refused');
    expect(last(found)).toMatchObject({
      user: { username: 'ann' },
      responseStatus: { reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
    await as('ann', '/version', { headers: { 'audit-id': 'allowed' } });
    const allowed = last(events().filter(({ auditID }) => auditID === 'allowed'));
    expect(allowed.annotations['authorization.k8s.io/reason']).toBe(
      'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    );
  });

  test('a user who acts as another one is recorded with both names', async () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'devs' };
    const { events } = await audited('GET', configMaps, undefined, headers);
    expect(last(events)).toMatchObject({
      user: { username: 'system:apiserver' },
      impersonatedUser: { username: 'bob', groups: ['devs', 'system:authenticated'] },
      responseStatus: { code: 403 },
    });
    expect(events[0]).not.toHaveProperty('impersonatedUser');
  });

  test('callers who are not recognised are recorded, what they tried with is not', async () => {
    const answer = await new Promise<number>((resolve, reject) => {
      const headers = { authorization: 'Bearer a-wrong-token', 'audit-id': 'unknown-caller' };
      request(
        `${server.url}/api/v1/pods?access_token=a-token-in-a-url`,
        { headers, rejectUnauthorized: false },
        (message) => {
          message.resume();
          message.on('end', () => resolve(message.statusCode ?? 0));
        },
      )
        .on('error', reject)
        .end();
    });
    expect(answer).toBe(401);
    const found = events().filter(({ auditID }) => auditID === 'unknown-caller');
    expect(found).toMatchObject([
      {
        stage: 'ResponseStarted',
        user: {},
        sourceIPs: ['127.0.0.1'],
        responseStatus: {
          status: 'Failure',
          message: 'Authentication failed, attempted: bearer, access_token',
          reason: 'Unauthorized',
          code: 401,
        },
      },
    ]);
    expect(readFileSync(path, 'utf8')).not.toMatch(/a-wrong-token|a-token-in-a-url/);
  });
});

describe('what must not be recorded', () => {
  test('secrets and tokens are recorded without bodies, whatever the policy says', async () => {
    const value = Buffer.from('very-secret-value').toString('base64');
    const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'quiet' }, data: { key: value } };
    const { events: made } = await audited('POST', secrets, secret);
    expect(last(made)).toMatchObject({
      level: 'Metadata',
      objectRef: { name: 'quiet' },
      responseStatus: { code: 201 },
    });
    await audited('GET', `${secrets}/quiet`);
    await audited('GET', secrets);
    await audited(
      'PATCH',
      `${secrets}/quiet`,
      { stringData: { key: 'plain-secret-value' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'root-token' } };
    const { answer } = await audited('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(answer.body.status.authenticated).toBe(true);
    const { answer: issued, events: token } = await audited(
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      {},
    );
    expect(last(token).annotations['authentication.kubernetes.io/issued-credential-id']).toMatch(/^JTI=[0-9a-f-]{36}$/);
    const log = readFileSync(path, 'utf8');
    for (const text of [value, 'very-secret', 'plain-secret', '"root-token"', issued.body.status.token])
      expect(log).not.toContain(text);
  });
});

describe('requests that last', () => {
  test('a watch is recorded when it begins and when it ends', async () => {
    const leave = new AbortController();
    const headers = { 'audit-id': 'a-watch' };
    const found = () => events().filter(({ auditID }) => auditID === 'a-watch');
    const watch = await server.fetch(`${configMaps}?watch=1`, { headers, signal: leave.signal });
    const reader = watch.body?.getReader();
    expect(found().map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted']);
    leave.abort();
    await reader?.cancel().catch(() => {});
    await eventually(async () => {
      expect(found().map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    });
    expect(last(found())).toMatchObject({ verb: 'watch', responseStatus: { metadata: {}, code: 200 } });
  });
});

test('events are counted', async () => {
  const metrics = String((await api.get('/metrics')).body);
  expect(metrics).toMatch(/^apiserver_audit_event_total [1-9]/m);
  expect(metrics).toMatch(/^apiserver_audit_level_total\{level="RequestResponse"\} [1-9]/m);
  expect(metrics).toMatch(/^apiserver_audit_level_total\{level="None"\} [1-9]/m);
  expect(metrics).toMatch(/^apiserver_audit_requests_rejected_total 0$/m);
});

describe('a full disk', () => {
  const full = (mode: 'blocking' | 'blocking-strict' | 'batch') =>
    startTestServer({ audit: { policyFile: join(folder.path, 'policy.yaml'), log: { path: '/dev/full', mode } } });
  const lost = /^apiserver_audit_error_total\{plugin="log"\} [1-9]/m;

  test.each(['blocking', 'batch'] as const)('does not keep requests from being served in the mode %s', async (mode) => {
    await using crowded = await full(mode);
    const { get } = apiOf(crowded);
    expect((await get(configMaps)).status).toBe(200);
    await eventually(async () => expect(String((await get('/metrics')).body)).toMatch(lost));
  });
});

describe('a webhook', () => {
  const policyFile = () => join(folder.path, 'policy.yaml');
  const configFile = (peer: TlsPeer) => {
    const file = join(folder.path, `webhook-${peer.port}.kubeconfig`);
    writeFileSync(file, peer.kubeconfig({ path: '/events', user: { token: 'hook-token' } }));
    return file;
  };

  test('gets lists of events', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    {
      await using told = await startTestServer({
        listen: false,
        audit: { policyFile: policyFile(), webhook: { configFile: configFile(peer) } },
      });
      await apiOf(told).get(configMaps, { 'audit-id': 'over-the-wire' });
    }
    expect(peer.requests[0]).toMatchObject({
      method: 'POST',
      path: '/events',
      headers: { authorization: 'Bearer hook-token' },
    });
    const lists = peer.requests.map(({ body }) => JSON.parse(body) as Event);
    expect(lists[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} });
    const found = lists.flatMap(({ items }) => items).filter(({ auditID }) => auditID === 'over-the-wire');
    expect(found.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
  });

  test('that is dead does not keep requests from being served; what is lost is counted', async () => {
    await using peer = await TlsPeer.open((_, response) => response.writeHead(503).end());
    const webhook = {
      configFile: configFile(peer),
      initialBackoffSeconds: 0.001,
      batchMaxSize: 1,
      batchThrottleEnable: false,
    };
    await using alone = await startTestServer({ listen: false, audit: { policyFile: policyFile(), webhook } });
    const { get } = apiOf(alone);
    expect((await get(configMaps)).status).toBe(200);
    await eventually(async () =>
      expect(String((await get('/metrics')).body)).toMatch(/^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m),
    );
  });

  test('needs a kubeconfig that leads somewhere', async () => {
    const audit = { policyFile: policyFile(), webhook: { configFile: '/nowhere' } };
    await expect(createServer({ audit })).rejects.toThrow(/^audit\.webhook\.configFile: .*ENOENT/);
  });
});

describe('the mode blocking-strict', () => {
  test('refuses what cannot be recorded', async () => {
    const file = join(folder.path, 'strict.yaml');
    const rule = '{ level: Metadata, users: [ann] }';
    writeFileSync(file, `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [${rule}]\n`);
    const log = { path: '/dev/full', mode: 'blocking-strict' } as const;
    await using strict = await startTestServer({ listen: false, audit: { policyFile: file, log } });
    const answer = await strict.fetch('/version', { user: { name: 'ann', groups: ['system:authenticated'] } });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ message: 'Internal error occurred: failed to store audit event' });
    const metrics = String((await apiOf(strict).get('/metrics')).body);
    expect(metrics).toMatch(/^apiserver_audit_requests_rejected_total 1$/m);
  });
});
