// Other servers that this one asks: who a token belongs to, and what a user may do. Spec: "Token webhook exchange",
// "Authorization", "Errors", "Limits".

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type PeerRequest, TlsPeer } from '../../src/testing/tls-peer.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { authentication, bearer, secureCall, whoIs } from './secure-call.ts';

const audience = 'https://kubernetes.default.svc';

/** What the outside world says of tokens. */
function reviewToken({ body }: PeerRequest): object {
  const { apiVersion, kind, spec } = JSON.parse(body);
  const user = { username: 'zoe', uid: '9', groups: ['guests'], extra: { 'shop/floor': ['2'] } };
  const known: Record<string, object> = {
    'zoe-token': { authenticated: true, user },
    'elsewhere-token': { authenticated: true, user, audiences: ['elsewhere'] },
    'revoked-token': { authenticated: false, error: 'revoked yesterday' },
  };
  return { apiVersion, kind, spec, status: known[spec.token] ?? { authenticated: false } };
}

/** And of rights: guests read config maps, and no user touches secrets. */
function reviewAccess({ body }: PeerRequest): object {
  const { apiVersion, kind, spec } = JSON.parse(body);
  const { resource, verb } = spec.resourceAttributes ?? {};
  const groups: string[] = spec.group ?? [];
  const denied = resource === 'secrets' && spec.user !== 'trusted';
  const allowed = groups.includes('guests') && resource === 'configmaps' && verb === 'list';
  return { apiVersion, kind, status: { allowed, denied, reason: denied ? 'secrets are secret' : 'says the webhook' } };
}

let folder: TempFolder;
let tokens: TlsPeer;
let access: TlsPeer;
let server: Server;
let admin: Api;

beforeAll(async () => {
  folder = new TempFolder();
  tokens = await TlsPeer.open(reviewToken);
  access = await TlsPeer.open(reviewAccess);
  server = await startTestServer({
    authenticationTokenWebhookConfigFile: folder.write('tokens', tokens.kubeconfig({ path: '//authenticate/' })),
    tokenAuthFile: folder.write('static', 'ann-token,ann,1\n'),
    authorizationModes: ['Node', 'RBAC', 'Webhook'],
    authorizationWebhookConfigFile: folder.write('access', access.kubeconfig({ path: '/x/..//authorize' })),
  });
  admin = apiOf(server);
});
afterAll(async () => {
  await server.close();
  await tokens[Symbol.asyncDispose]();
  await access[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const get = (path: string, token: string) => secureCall(server, 'GET', path, { headers: bearer(token) });
const configMaps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';

describe('a token webhook', () => {
  test('says who a token belongs to, and is asked once', async () => {
    const zoe = {
      username: 'zoe',
      uid: '9',
      groups: ['guests', 'system:authenticated'],
      extra: { 'shop/floor': ['2'] },
    };
    expect(await whoIs(server, { headers: bearer('zoe-token') })).toEqual(zoe);
    expect(await whoIs(server, { headers: bearer('zoe-token') })).toEqual(zoe);
    const asked = tokens.requests.filter(({ body }) => body.includes('zoe-token'));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.path).toBe('/authenticate?timeout=30s');
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({
      apiVersion: 'authentication.k8s.io/v1beta1',
      kind: 'TokenReview',
      spec: { token: 'zoe-token', audiences: [audience] },
    });
  });

  test('is not asked about tokens that others know', async () => {
    expect(await whoIs(server, { headers: bearer('ann-token') })).toMatchObject({ username: 'ann' });
    expect(tokens.requests.filter(({ body }) => body.includes('ann-token'))).toEqual([]);
  });

  test.each(['unknown-token', 'revoked-token', 'elsewhere-token'])('%s opens no door', async (token) => {
    expect((await get('/version', token)).status).toBe(401);
  });

  test('its verdicts are seen in a TokenReview', async () => {
    const review = (spec: object) => admin.post(`${authentication}/tokenreviews`, { spec });
    expect((await review({ token: 'zoe-token' })).body.status).toMatchObject({
      authenticated: true,
      user: { username: 'zoe' },
      audiences: [audience],
    });
    expect((await review({ token: 'elsewhere-token', audiences: ['elsewhere'] })).body.status).toMatchObject({
      authenticated: true,
      audiences: ['elsewhere'],
    });
    const { status } = (await review({ token: 'revoked-token' })).body;
    expect(status.authenticated ?? false).toBe(false);
    expect(status.error).toContain('revoked yesterday');
  });
});

describe('an authorization webhook', () => {
  test('is asked after the others, and its answer is kept', async () => {
    expect((await get(configMaps, 'zoe-token')).status).toBe(200);
    expect((await get(configMaps, 'zoe-token')).status).toBe(200);
    const asked = access.requests
      .map(({ body }) => JSON.parse(body))
      .filter(({ spec }) => spec.user === 'zoe' && spec.resourceAttributes?.resource === 'configmaps');
    expect(asked).toMatchObject([
      {
        apiVersion: 'authorization.k8s.io/v1beta1',
        spec: {
          group: ['guests', 'system:authenticated'],
          extra: { 'shop/floor': ['2'] },
          uid: '9',
          resourceAttributes: { verb: 'list', version: 'v1', namespace: 'default' },
        },
      },
    ]);
  });

  test('that has no opinion, or denies, is quoted in the refusal', async () => {
    const unknown = await get('/api/v1/namespaces/default/pods', 'zoe-token');
    expect([unknown.status, unknown.body.message]).toEqual([
      403,
      'pods is forbidden: User "zoe" cannot list resource "pods" in API group "" in the namespace "default": says the webhook',
    ]);
    const denied = await get(secrets, 'zoe-token');
    expect([denied.status, denied.body.message]).toEqual([403, expect.stringContaining(': secrets are secret')]);
  });

  test('reviews tell the difference', async () => {
    const review = async (resource: string) => {
      const spec = { user: 'zoe', resourceAttributes: { verb: 'list', resource, namespace: 'default' } };
      return (await admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })).body.status;
    };
    expect(await review('secrets')).toEqual({ allowed: false, denied: true, reason: 'secrets are secret' });
    expect(await review('pods')).toEqual({ allowed: false, reason: 'says the webhook' });
  });

  test('its rules are not known to SelfSubjectRulesReview', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    const body = { spec: { namespace: 'default' } };
    const { body: review } = await secureCall(server, 'POST', path, { headers: bearer('zoe-token'), body });
    expect(review.status).toMatchObject({
      incomplete: true,
      evaluationError: expect.stringContaining('webhook authorizer does not support user rule resolution'),
    });
  });

  test('is measured', async () => {
    const { body } = await admin.get('/metrics');
    expect(body).toMatch(/apiserver_authorization_webhook_evaluations_total\{name="default",result="success"\} \d+/);
    expect(body).toMatch(
      /apiserver_authorization_decisions_total\{type="Webhook",name="default",decision="allowed"\} \d+/,
    );
    expect(body).toMatch(
      /apiserver_authorization_webhook_duration_seconds_count\{name="default",result="success"\} \d+/,
    );
  });
});

describe('webhooks that do not work', () => {
  test('let no user in, and leave rights to the others', async () => {
    const seen: string[] = [];
    await using broken = await TlsPeer.open((_request, response) => void response.writeHead(403).end('secret words'));
    const note = (fields: object, message: string) => seen.push(message + JSON.stringify(fields));
    const file = folder.write('broken', broken.kubeconfig());
    await using alone = await startTestServer({
      authenticationTokenWebhookConfigFile: file,
      authorizationModes: ['RBAC', 'Webhook'],
      authorizationWebhookConfigFile: file,
      tokenAuthFile: folder.write('more', 'bob-token,bob,1,\n'),
      log: { info: note, warn: note, error: note },
    });
    const ask = (path: string, token: string) => secureCall(alone, 'GET', path, { headers: bearer(token) });
    expect((await ask('/version', 'any-token')).status).toBe(401);
    const { status, body } = await ask(configMaps, 'bob-token');
    expect([status, body.message]).toEqual([
      403,
      'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ]);
    expect(seen.filter((line) => line.includes('gave no answer')).length).toBeGreaterThanOrEqual(2);
    expect(seen.join()).not.toMatch(/any-token|secret words/);
    const { body: metrics } = await apiOf(alone).get('/metrics');
    expect(metrics).toMatch(/fail_open_total\{name="default",result="error"\} 1/);
  });

  test.each<[string, object, RegExp]>([
    [
      'a missing file',
      { authenticationTokenWebhookConfigFile: '/absent' },
      /^authenticationTokenWebhookConfigFile: \/absent: ENOENT/,
    ],
    [
      'a mode without a file',
      { authorizationModes: ['Webhook'] },
      /^authorizationModes: Webhook needs authorizationWebhookConfigFile/,
    ],
    [
      'a file without its mode',
      { authorizationWebhookConfigFile: '/absent' },
      /^authorizationWebhookConfigFile: only the mode Webhook/,
    ],
    [
      'a missing kubeconfig',
      { authorizationModes: ['Webhook'], authorizationWebhookConfigFile: '/absent' },
      /^authorizationWebhookConfigFile: \/absent/,
    ],
    [
      'a configuration and modes',
      { authorizationConfig: '/a', authorizationModes: ['RBAC'] },
      /^authorizationConfig: cannot be used together with authorizationModes/,
    ],
    [
      'a configuration and a webhook',
      { authorizationConfig: '/a', authorizationWebhookVersion: 'v1' },
      /together with authorizationWebhookVersion/,
    ],
    ['a missing configuration', { authorizationConfig: '/absent' }, /^authorizationConfig: ENOENT/],
  ])('%s fails at start', async (_what, options, message) => {
    await expect(startTestServer(options)).rejects.toThrow(message);
  });
});

describe('a configuration file', () => {
  test('orders authorizers, and a failing webhook may deny', async () => {
    await using down = await TlsPeer.open((_request, response) => void response.writeHead(400).end());
    const onlyFor = (expression: string) => ({
      matchConditionSubjectAccessReviewVersion: 'v1',
      matchConditions: [{ expression }],
    });
    const settings = (file: string, failurePolicy: string) => ({
      timeout: '30s',
      subjectAccessReviewVersion: 'v1beta1',
      failurePolicy,
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file },
    });
    const authorizers = [
      {
        type: 'Webhook',
        name: 'first.test',
        webhook: {
          ...settings(folder.write('first', access.kubeconfig()), 'NoOpinion'),
          ...onlyFor("has(request.resourceAttributes) && request.resourceAttributes.namespace != 'free'"),
        },
      },
      { type: 'RBAC', name: 'rbac' },
      { type: 'Webhook', name: 'last.test', webhook: settings(folder.write('last', down.kubeconfig()), 'Deny') },
    ];
    const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration' };
    await using ordered = await startTestServer({
      authorizationConfig: folder.write('config', JSON.stringify({ ...kind, authorizers })),
      tokenAuthFile: folder.write('tokens2', 'eve-token,eve,1,guests\n'),
    });
    const ask = (path: string) => secureCall(ordered, 'GET', path, { headers: bearer('eve-token') });
    const api = apiOf(ordered);
    await api.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'eve' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
    });
    expect((await ask('/api/v1/namespaces/default/pods')).status).toBe(200);
    // the first webhook denies what roles would allow
    expect((await ask(secrets)).status).toBe(403);
    // but is not asked about everything
    expect((await ask('/api/v1/namespaces/free/secrets')).status).toBe(200);
    expect(down.requests).toEqual([]);
    const unknown = await secureCall(ordered, 'GET', '/api/v1/nodes');
    expect(unknown.status).toBe(403);
    expect(down.requests.length).toBeGreaterThan(0);
  });
});

test('what webhooks say is not taken into the log as it is, whatever the level', async () => {
  await using talkative = await TlsPeer.open(({ body }) => {
    const { apiVersion, kind, spec } = JSON.parse(body);
    const about: Record<string, object> = {
      'first-half-of.a-token': { authenticated: false, error: 'no session for half-of.a' },
      'odd-token': {
        authenticated: true,
        user: { username: 'zoe', extra: { [`half-of.a\n${'x'.repeat(9000)}`]: 'text' } },
      },
    };
    if (kind === 'TokenReview') return { apiVersion, kind, status: about[spec.token] ?? { authenticated: false } };
    return { apiVersion, kind, status: { allowed: false, reason: `no\u001b[2J\u202e\n${'y'.repeat(9000)}` } };
  });
  const lines: string[] = [];
  const take = (fields: object, message: string) => {
    const { err } = fields as { err?: Error };
    lines.push(JSON.stringify([fields, err?.message, message]));
  };
  using files = new TempFolder();
  await using watched = await startTestServer({
    log: { info: take, warn: take, error: take },
    verbosity: 4,
    authenticationTokenWebhookConfigFile: files.write('tokens', talkative.kubeconfig({ path: '/authenticate' })),
    tokenAuthFile: files.write('static', 'ann-token,ann,1\n'),
    authorizationModes: ['RBAC', 'Webhook'],
    authorizationWebhookConfigFile: files.write('access', talkative.kubeconfig({ path: '/authorize' })),
  });
  const call = (token: string) => secureCall(watched, 'GET', configMaps, { headers: bearer(token) });
  expect((await call('first-half-of.a-token')).status).toBe(401);
  expect((await call('odd-token')).status).toBe(401);
  expect((await call('ann-token')).status).toBe(403);
  expect(lines.filter((line) => line.includes('half-of'))).toEqual([]);
  const [failure] = lines.filter((line) => line.includes('the token webhook gave no answer'));
  expect(failure).toContain('status.user.extra: must be lists of strings');
  const [decided] = lines.filter((line) => line.includes('an authorizer decided') && line.includes('"ann"'));
  expect(decided).toContain('no\\\\u001b[2J\\\\u202e\\\\u000ayyy');
  expect(lines.filter((line) => line.length > 1000)).toEqual([]);
});
