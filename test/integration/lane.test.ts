// Large requests have a thread of their own: they are answered as on any thread, and others do not wait for them.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { createHookedServer } from '../../src/server/create-server.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { eventually } from './eventually.ts';
import { bindings, policies } from './policies.ts';
import { type Client, collection, type Threads, withThreads } from './several-threads.ts';

const largeRequestBytes = 128 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'keelson-lane-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withLane = (run: (threads: Threads) => Promise<void>, options: object = {}) =>
  withThreads(1, run, { largeRequestBytes, ...options });

const data = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'x'.repeat(100)]));
const large = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: data(2000) });
const mergePatch = { 'content-type': 'application/merge-patch+json' };

/** How many creates of ConfigMaps were answered with a code. */
async function countOf(client: Client, code: number): Promise<number> {
  const { body } = await client.call('GET', '/metrics');
  const counts = [...String(body).matchAll(/^apiserver_request_total\{([^}]*)\} (\d+)$/gm)];
  return counts
    .filter(([, labels = '']) =>
      ['verb="POST"', 'resource="configmaps"', `code="${code}"`].every((one) => labels.includes(one)),
    )
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

test('the lane starts with the first large request, and answers as the server does', () =>
  withLane(async ({ connect, workers }) => {
    const client = connect();
    const small = await client.call('POST', collection, { metadata: { name: 'small' }, data: { value: '' } });
    expect([small.status, workers.length]).toEqual([201, 0]);
    const created = await client.call('POST', `${collection}?fieldManager=me&fieldValidation=Warn`, {
      ...large('large'),
      unknown: 1,
    });
    expect([created.status, workers.length]).toEqual([201, 1]);
    expect(created.headers.warning).toBe('299 - "unknown field \\"unknown\\""');
    expect(created.body.metadata.managedFields).toMatchObject([{ manager: 'me' }]);
    const read = await client.call('GET', `${collection}/large`);
    expect(read.body).toEqual(created.body);
    const list = await client.call('GET', `${collection}?fieldSelector=metadata.name=large`);
    expect(list.body.items).toHaveLength(1);
    const again = await client.call('POST', collection, large('large'));
    expect([again.status, again.body.reason]).toEqual([409, 'AlreadyExists']);
    const invalid = await client.call('POST', collection, large('NOT A NAME'));
    expect([invalid.status, invalid.body.reason]).toEqual([422, 'Invalid']);
    expect([await countOf(client, 409), await countOf(client, 422)]).toEqual([1, 1]);
    expect(created.headers['audit-id']).toMatch(/^[\da-f-]{36}$/);
  }));

test('YAML moves to the lane above 8 KB, which takes as long to read as 128 KiB of JSON', () =>
  withLane(async ({ connect, workers }) => {
    const client = connect();
    const create = async (name: string, lines: number) => {
      const text = Array.from({ length: lines }, (_, at) => `  key-${at}: value of a line\n`).join('');
      const body = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: ${name}}\ndata:\n${text}`;
      const { status } = await client.call('POST', collection, body, { 'content-type': 'application/yaml' });
      return [status, workers.length];
    };
    expect(await create('short', 200)).toEqual([201, 0]);
    expect(await create('long', 400)).toEqual([201, 1]);
  }));

test('a small change of a large object is served by the lane, and so are deletes that come after', () =>
  withLane(async ({ connect, workers }) => {
    const client = connect();
    // in pieces, each of them small
    const parts = Array.from({ length: 4 }, (_, part) =>
      Object.fromEntries(Object.entries(data(600)).map(([key, value]) => [`${part}-${key}`, value])),
    );
    await client.call('POST', collection, { metadata: { name: 'grows' }, data: parts[0] });
    for (const part of parts.slice(1)) {
      const patched = await client.call('PATCH', `${collection}/grows`, { data: part }, mergePatch);
      expect(patched.status).toBe(200);
    }
    expect(workers).toHaveLength(1);
    const { body } = await client.call('PATCH', `${collection}/grows`, { data: { last: 'x' } }, mergePatch);
    expect(Object.keys(body.data)).toHaveLength(2401);
    const stale = { ...body, metadata: { name: 'grows', resourceVersion: '1' } };
    expect((await client.call('PUT', `${collection}/grows`, stale)).status).toBe(409);
    expect((await client.call('DELETE', `${collection}/grows`)).status).toBe(200);
    expect((await client.call('GET', `${collection}/grows`)).status).toBe(404);
  }));

test('writes of both threads to one object are in one order, and none is lost', () =>
  withLane(async ({ connect }) => {
    const client = connect();
    await client.call('POST', collection, { metadata: { name: 'both' }, data: {} });
    const writers = Array.from({ length: 12 }, async (_, at) => {
      const value = at % 2 === 0 ? 'x' : 'x'.repeat(largeRequestBytes);
      const change = { data: { [`w${at}`]: value, ...(at % 2 === 1 ? { [`w${at}`]: 'small', filler: value } : {}) } };
      const { status } = await client.call('PATCH', `${collection}/both`, change, mergePatch);
      expect(status).toBe(200);
    });
    await Promise.all(writers);
    const { body } = await client.call('GET', `${collection}/both`);
    const names = Object.keys(body.data).filter((name) => name.startsWith('w'));
    expect(names).toHaveLength(12);
  }));

test('who the client is, and whom it acts as, is verified before; audit records the request once', () => {
  const [policy, log] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
  writeFileSync(
    policy,
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Request, resources: [{ group: "" }] }]',
  );
  return withLane(
    async ({ connect }) => {
      const client = connect();
      const as = { 'impersonate-user': 'jane' };
      expect((await client.call('POST', collection, large('refused'), as)).status).toBe(403);
      const allowed = await client.call('POST', collection, large('made'), {
        ...as,
        'impersonate-group': 'system:masters',
      });
      expect(allowed.status).toBe(201);
      await eventually(async () => {
        const events = readFileSync(log, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
        const ofRequest = events.filter(({ auditID }) => auditID === allowed.headers['audit-id']);
        expect(ofRequest.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
        expect(ofRequest[1]).toMatchObject({
          user: { username: 'keelson-admin' },
          impersonatedUser: { username: 'jane', groups: ['system:masters', 'system:authenticated'] },
          objectRef: { resource: 'configmaps', namespace: 'default', name: 'made' },
          requestObject: { metadata: { name: 'made' } },
          responseStatus: { code: 201 },
          annotations: { 'authorization.k8s.io/decision': 'allow' },
        });
        const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403);
        expect(refused).toHaveLength(1);
      });
    },
    { audit: { policyFile: policy, log: { path: log } } },
  );
});

const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

test('webhooks are called once; a request whose time is up or whose lane ends is answered', async () => {
  const calls: string[] = [];
  let answer = true;
  await using peer = await TlsPeer.open(async ({ body }, response) => {
    const { request } = JSON.parse(body);
    calls.push(request.name);
    if (!answer) return;
    response.setHeader('content-type', 'application/json');
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    response.end(JSON.stringify({ ...review, response: { uid: request.uid, allowed: true } }));
  });
  await withLane(async ({ connect, workers, lines }) => {
    const client = connect();
    // a controller writes it: the webhook is for the test's own objects
    await eventually(async () => expect((await client.call('GET', `${collection}/kube-root-ca.crt`)).status).toBe(200));
    const clientConfig = {
      url: `${peer.url}/`,
      caBundle: Buffer.from(peer.authority.certificate).toString('base64'),
    };
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const made = await client.call('POST', webhooks, {
      metadata: { name: 'hook' },
      webhooks: [
        {
          ...{ name: 'hook.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        },
      ],
    });
    expect(made.status).toBe(201);
    expect((await client.call('POST', collection, large('called'))).status).toBe(201);
    expect(calls).toEqual(['called']);
    answer = false;
    const late = await client.call('POST', `${collection}?timeout=1s`, large('late'));
    expect([late.status, late.body.reason]).toEqual([504, 'Timeout']);
    const lost = client.call('POST', collection, large('lost'));
    await eventually(async () => expect(calls).toContain('lost'));
    await (workers[0] as Worker).terminate();
    const { status, body } = await lost;
    expect([status, body.message]).toEqual([500, expect.stringContaining('ended before anything was written')]);
    expect(lines.map(({ message }) => message)).toContain('the thread for large requests ended');
    answer = true;
    await eventually(async () => expect((await client.call('POST', collection, large('next'))).status).toBe(201));
    expect(workers).toHaveLength(2);
    expect((await client.call('GET', `${collection}/late`)).status).toBe(404);
  });
});

test('a request stays where a webhook was asked; the next one for an expensive policy moves before that', async () => {
  const calls: string[] = [];
  await using peer = await TlsPeer.open(async ({ body }, response) => {
    const { request } = JSON.parse(body);
    calls.push(request.name);
    response.setHeader('content-type', 'application/json');
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    response.end(JSON.stringify({ ...review, response: { uid: request.uid, allowed: true } }));
  });
  await withLane(async ({ connect, workers }) => {
    const client = connect();
    const post = async (path: string, body: object) => {
      const { status, body: answer } = await client.call('POST', path, body);
      expect([status, answer.message]).toEqual([201, undefined]);
    };
    const caBundle = Buffer.from(peer.authority.certificate).toString('base64');
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const objectSelector = { matchLabels: { asked: 'yes' } };
    const hook = { name: 'hook.example.com', clientConfig: { url: `${peer.url}/`, caBundle }, rules, objectSelector };
    await post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'hook' },
      webhooks: [{ ...hook, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
    });
    const expression = 'object.data.all(a, object.data.all(b, object.data.all(c, a != b || a == b)))';
    const matchConstraints = { resourceRules: rules, objectSelector };
    await post(policies, { metadata: { name: 'slow' }, spec: { matchConstraints, validations: [{ expression }] } });
    await post(bindings, { metadata: { name: 'slow' }, spec: { policyName: 'slow', validationActions: ['Deny'] } });
    // the controller for its status writes the policy once
    await eventually(async () => {
      const { body } = await client.call('GET', `${policies}/slow`);
      expect(body.status).toMatchObject({ observedGeneration: 1 });
    });
    const entries = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key-${at}`, 'x']));
    const small = (name: string) => ({ metadata: { name, labels: { asked: 'yes' } }, data: entries });
    await post(collection, small('first'));
    expect([calls, workers.length]).toEqual([['first'], 0]);
    await post(collection, { metadata: { name: 'another' }, data: entries });
    expect(workers).toHaveLength(0);
    await post(collection, small('second'));
    expect([calls, workers.length]).toEqual([['first', 'second'], 1]);
  });
});

test('requests that arrive on other threads are served by the lane as well', () =>
  withThreads(
    2,
    async ({ connect, workers }) => {
      const clients = Array.from({ length: 8 }, () => connect());
      const created = clients.map((client, at) => client.call('POST', collection, large(`large-${at}`)));
      for (const { status } of await Promise.all(created)) expect(status).toBe(201);
      // one that serves, and the lane
      expect(workers).toHaveLength(2);
      for (const client of clients) {
        const { body } = await client.call('GET', `${collection}?limit=500`);
        expect(
          body.items.filter(({ data: { 'key-0': value } }: { data: Record<string, string> }) => value),
        ).toHaveLength(8);
      }
    },
    { largeRequestBytes },
  ));

test('without threads that can share the store there is no lane, and requests of any size are served', async () => {
  const server = await createHookedServer({ largeRequestBytes }, {});
  const body = JSON.stringify(large('large'));
  const headers = { 'content-type': 'application/json' };
  const { status } = await server.fetch(collection, { method: 'POST', headers, body });
  expect(status).toBe(201);
  await server.close();
  await expect(createHookedServer({ largeRequestBytes: -1 }, {})).rejects.toThrow(
    'largeRequestBytes: -1 is not a number of bytes',
  );
});
