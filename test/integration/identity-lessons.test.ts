// Lessons others have paid for, as far as they touch identity: what callers say about themselves and about others is data,
// never a way around a decision, into a log or into a prototype. Design, section 9.

import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessFetch, Server, UserInfo } from '../../src/index.ts';
import { zeroRevision } from '../../src/meta/revision.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const local = `${rbac}/namespaces/default`;
const group = 'rbac.authorization.k8s.io';

let folder: TempFolder;
let server: Server;
let admin: Api;
const logged: string[] = [];
const note = (fields: object, message: string) => {
  logged.push(JSON.stringify({ ...fields, err: String((fields as { err?: unknown }).err) }) + message);
};

beforeAll(async () => {
  folder = new TempFolder();
  writeFileSync(join(folder.path, 'tokens'), 'ann-secret-token,ann,1\n');
  server = await startTestServer({
    tokenAuthFile: join(folder.path, 'tokens'),
    enableBootstrapTokenAuth: true,
    log: { info: note, warn: note, error: note },
  });
  admin = apiOf(server);
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

function as(user: UserInfo, of: Server = server): Api {
  const fetch: InProcessFetch = (input, init) => of.fetch(input, { ...init, user });
  return apiOf({ fetch });
}

const known = (name: string): UserInfo => ({ name, groups: ['system:authenticated'] });

async function bind(name: string, rules: object[]): Promise<void> {
  await admin.post(`${local}/roles`, { metadata: { name }, rules });
  const roleRef = { apiGroup: group, kind: 'Role', name };
  const made = await admin.post(`${local}/rolebindings`, {
    metadata: { name },
    roleRef,
    subjects: [{ kind: 'User', name }],
  });
  expect(made.status).toBe(201);
}

const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

describe('names that objects inherit', () => {
  test.each(oddNames)('a user called %s has the rights of any user', async (name) => {
    expect((await as(known(name)).get(configMaps)).status).toBe(403);
    expect((await as({ name: 'x', groups: [name] }).get(configMaps)).status).toBe(403);
    const resourceAttributes = { verb: name, group: name, resource: name, namespace: name, name };
    const spec = { user: name, groups: [name], extra: { [name]: [name] }, resourceAttributes };
    const review = await admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    expect(review.body.status).toEqual({ allowed: false });
  });

  test.each(oddNames)('acting as a user with %s everywhere is a matter of rights', async (name) => {
    const headers = { 'impersonate-user': name, 'impersonate-group': name, [`impersonate-extra-${name}`]: name };
    expect((await as(known('ann')).get(configMaps, headers)).status).toBe(403);
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { body } = await admin.call('POST', path, {}, headers);
    expect(body.status.userInfo).toMatchObject({ username: name, groups: [name, 'system:authenticated'] });
    expect(Object.entries(body.status.userInfo.extra)).toEqual([[name.toLowerCase(), [name]]]);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test.each(oddNames.slice(1, 2))('a role called %s is a role like any other', async (name) => {
    await bind(name, [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }]);
    expect((await as(known(name)).get(configMaps)).status).toBe(200);
    expect((await as(known('toString')).get(configMaps)).status).toBe(403);
  });
});

describe('the scope of a request', () => {
  test('is checked before any authorizer decides', async () => {
    await bind('wide', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    const wide = as(known('wide'));
    expect((await wide.get(configMaps)).status).toBe(200);
    for (const path of ['nodes', 'persistentvolumes', 'nodes/n1/proxy/', 'nodes/n1/status'])
      expect((await wide.get(`/api/v1/namespaces/default/${path}`)).status).toBe(404);
    expect((await wide.get(`${rbac}/namespaces/default/clusterroles`)).status).toBe(404);
    expect((await wide.get('/api/v1/configmaps')).status).toBe(403);
    expect((await wide.get('/api/v1/namespaces/other/configmaps')).status).toBe(403);
    expect((await wide.get('/api/v1/namespaces/default%2F..%2Fother/configmaps')).status).toBe(404);
  });
});

describe('connections into pods', () => {
  test.each(['exec', 'attach', 'portforward'])('%s needs the right to create, whatever the method', async (what) => {
    const name = `reader-of-${what}`;
    await bind(name, [{ verbs: ['get'], apiGroups: [''], resources: [`pods/${what}`] }]);
    const answer = await as(known(name)).get(`/api/v1/namespaces/default/pods/p/${what}?command=sh`);
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain(`cannot create resource "pods/${what}"`);
  });
});

describe('what callers send', () => {
  /** Over a socket, where any bytes that are a header can be sent. */
  const send = (headers: Record<string, string>, path = '/api/v1/pods') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      request(`${server.url}${path}`, { headers, rejectUnauthorized: false }, (message) => {
        let text = '';
        message.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        message.on('end', () => resolve({ status: message.statusCode ?? 0, text }));
      })
        .on('error', reject)
        .end();
    });

  test('tokens show up in no answer and no log, good or bad', async () => {
    const tokens = ['ann-secret-token', 'wrong-token', 'abcdef.0123456789abcdef', 'eyJhbGciOiJub25lIn0.e30.', 'a.b.c'];
    for (const token of tokens) {
      const { text } = await send({ authorization: `Bearer ${token}` });
      const review = { spec: { token } };
      const { body } = await admin.post('/apis/authentication.k8s.io/v1/tokenreviews', review);
      expect(text + JSON.stringify(body.status)).not.toContain(token);
    }
    for (const token of tokens) expect(logged.join('\n')).not.toContain(token);
  });

  test('unknown names become no label of a metric', async () => {
    const strange = 'strange-name-5f3a';
    await as(known(strange)).get(`/apis/${strange}/v1/${strange}`);
    await as(known(strange)).call('GET', `/api/v1/namespaces/${strange}/${strange}/${strange}`, undefined, {
      'impersonate-user': strange,
      'user-agent': strange,
    });
    await server.fetch(`/${strange}`, { method: strange.toUpperCase() });
    expect(String((await admin.get('/metrics')).body)).not.toMatch(new RegExp(strange, 'i'));
  });

  test('anything in the headers about identity is answered, and never with a failure of the server', async () => {
    const byte = fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f);
    const value = fc.string({ unit: byte.map((code) => String.fromCharCode(code)), maxLength: 60 });
    const name = fc.constantFrom(
      'authorization',
      'impersonate-user',
      'impersonate-group',
      'impersonate-uid',
      'impersonate-extra-a%',
      'impersonate-extra-',
      'x-remote-user',
      'x-forwarded-for',
      'audit-id',
    );
    const scheme = fc.constantFrom('', 'Bearer ', 'bearer  ', 'Basic ', 'Bearer system:serviceaccount:');
    const headers = fc.dictionary(
      name,
      fc.tuple(scheme, value).map(([first, rest]) => first + rest),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(headers, async (sent) => {
        expect([200, 400, 401, 403]).toContain((await send(sent, '/api')).status);
      }),
      { numRuns: 150 },
    );
  });
});

describe('other servers', () => {
  test('a webhook that redirects is not followed, and what it says is not logged', async () => {
    await using elsewhere = await TlsPeer.open(() => ({}));
    await using peer = await TlsPeer.open((_, response) =>
      response.writeHead(307, { location: elsewhere.url }).end('very-private-body'),
    );
    const policyFile = join(folder.path, 'policy.yaml');
    const configFile = join(folder.path, 'webhook.kubeconfig');
    writeFileSync(policyFile, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    writeFileSync(configFile, peer.kubeconfig());
    const told: string[] = [];
    const write = (fields: object, message: string) =>
      told.push(JSON.stringify(fields) + String((fields as { err?: unknown }).err) + message);
    await using audited = await startTestServer({
      listen: false,
      log: { info: write, warn: write, error: write },
      audit: { policyFile, webhook: { configFile, batchMaxSize: 1, batchThrottleEnable: false } },
    });
    await eventually(async () => {
      await apiOf(audited).get('/version');
      expect(told.join('\n')).toContain('the audit webhook answered with 307, a redirect, which is not followed');
    });
    expect(elsewhere.requests).toEqual([]);
    expect(told.join('\n')).not.toContain('very-private-body');
  });
});

describe('stored roles that cannot be read', () => {
  test('give nothing, and take nothing from the others', async () => {
    const store = openMemoryStore();
    const put = (key: string, value: string) =>
      store.commit({ key, value: Buffer.from(value), expected: zeroRevision });
    await put('/clusterroles/broken', 'garbage');
    await put('/rolebindings/default/broken', '{"kind":"RoleBinding"');
    await put('/clusterrolebindings/odd', '[]');
    await using other = await startTestServer({ store, listen: false });
    const api = apiOf(other);
    await api.post(`${local}/roles`, {
      metadata: { name: 'reader' },
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }],
    });
    const roleRef = { apiGroup: group, kind: 'Role', name: 'reader' };
    await api.post(`${local}/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef,
      subjects: [{ kind: 'User', name: 'ann' }],
    });
    expect((await as(known('ann'), other).get(configMaps)).status).toBe(200);
    expect((await as(known('bob'), other).get(configMaps)).status).toBe(403);
  });
});
