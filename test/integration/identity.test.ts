// Who callers are: certificates, tokens, proxies, impersonation, and the reviews that tell. Spec: "Authentication",
// "Impersonation", "Authenticating proxy flags", "Access review resources".

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveFlags } from '../../src/cli/flags/flags.ts';
import { parseFlags } from '../../src/cli/flags/parse-flags.ts';
import type { Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { authentication, bearer, type CallOptions, type Headers, secureCall, whoIs } from './secure-call.ts';

let folder: TempFolder;
let server: Server;
let admin: Api;
const users = createAuthority('users', Date.now());
const moreUsers = createAuthority('more users', Date.now());
const proxies = createAuthority('proxies', Date.now());

beforeAll(async () => {
  folder = new TempFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  server = await startTestServer({
    tokenAuthFile: file('tokens', 'ann-token,ann,ann-uid,"devs,ops"\nroot-token,root,root-uid,system:masters\n'),
    clientCaFile: file('users.crt', users.certificate + moreUsers.certificate),
    enableBootstrapTokenAuth: true,
    requestheaderClientCaFile: file('proxies.crt', proxies.certificate),
    requestheaderAllowedNames: ['front'],
    requestheaderUsernameHeaders: ['X-Remote-User'],
    requestheaderGroupHeaders: ['X-Remote-Group'],
    requestheaderUidHeaders: ['X-Remote-Uid'],
    requestheaderExtraHeadersPrefixes: ['X-Remote-Extra-'],
  });
  admin = apiOf(server);
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

const https = (method: string, path: string, options: CallOptions = {}) => secureCall(server, method, path, options);
const who = (options: CallOptions) => whoIs(server, options);
const authorization = '/apis/authorization.k8s.io/v1';

const client = (authority: KeyPair, commonName: string, ...organizations: string[]) =>
  signLeaf(authority, { usage: 'client', commonName, organizations }, Date.now());

describe('tokens from a file', () => {
  test('stand for their users', async () => {
    expect(await who({ headers: bearer('ann-token') })).toEqual({
      username: 'ann',
      uid: 'ann-uid',
      groups: ['devs', 'ops', 'system:authenticated'],
    });
  });

  test('that are wrong are refused everywhere; no token at all is system:anonymous', async () => {
    for (const path of ['/version', '/api/v1/pods'])
      expect((await https('GET', path, { headers: bearer('wrong') })).status).toBe(401);
    expect((await https('GET', '/version')).status).toBe(200);
    expect((await https('GET', '/api')).status).toBe(403);
    expect((await https('GET', '/version', { headers: { authorization: 'Basic eDp5' } })).status).toBe(200);
  });
});

describe('callers without credentials, where everything is allowed', () => {
  test('are refused even where the flag would let them in', async () => {
    const warnings: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message), error() {} };
    const options = { authorizationModes: ['AlwaysAllow'], anonymousAuth: true, controllers: [], log } as const;
    await using open = await startTestServer(options);
    for (const path of ['/api/v1/namespaces/kube-system/secrets', '/version', '/livez'])
      expect([path, (await secureCall(open, 'GET', path)).status]).toEqual([path, 401]);
    expect(warnings).toEqual([expect.stringContaining('Resetting AnonymousAuth to false')]);
    // the others go on as before
    expect((await apiOf(open).get('/api/v1/namespaces/kube-system/secrets')).status).toBe(200);
  });
});

describe('client certificates', () => {
  test('of any CA in the file name user and groups', async () => {
    for (const authority of [users, moreUsers]) {
      expect(await who({ pair: client(authority, 'bob', 'a', 'b') })).toEqual({
        username: 'bob',
        groups: ['a', 'b', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
      });
    }
  });

  test('of a stranger are refused, unless a good token comes along', async () => {
    const pair = client(createAuthority('stranger', Date.now()), 'bob', 'system:masters');
    expect(await who({ pair })).toBe('401 Unauthorized');
    expect(await who({ pair, headers: bearer('ann-token') })).toMatchObject({ username: 'ann' });
  });

  test('that have expired are refused', async () => {
    const longAgo = Date.now() - 400 * 24 * 60 * 60 * 1000;
    const pair = signLeaf(users, { usage: 'client', commonName: 'bob', organizations: [] }, longAgo);
    expect(await who({ pair })).toBe('401 Unauthorized');
  });

  test('have one name and the groups that they list, whatever stands in these', async () => {
    const odd = 'bob\nO=system:masters\n/O=system:masters,O=system:masters+O=system:masters';
    expect(await who({ pair: client(users, odd, 'a,O=b', '__proto__') })).toMatchObject({
      username: odd,
      groups: ['a,O=b', '__proto__', 'system:authenticated'],
    });
  });

  test('of a proxy make their owner no user', async () => {
    expect(await who({ pair: client(proxies, 'bob', 'system:masters') })).toBe('401 Unauthorized');
  });
});

describe('authenticating proxies', () => {
  const headers = {
    'x-remote-user': 'carol',
    'x-remote-uid': 'c-1',
    'x-remote-group': ['one', 'two, three'],
    'x-remote-extra-acme.org%2Fteam': 'red',
  };

  test('may have any name where the list of names is empty', async () => {
    const { requestheaderAllowedNames } = parseFlags(serveFlags, ['--requestheader-allowed-names=']) as {
      readonly requestheaderAllowedNames: string[];
    };
    await using any = await startTestServer({
      requestheaderClientCaFile: join(folder.path, 'proxies.crt'),
      requestheaderUsernameHeaders: ['X-Remote-User'],
      requestheaderAllowedNames,
      controllers: [],
    });
    expect(await whoIs(any, { pair: client(proxies, 'any'), headers })).toMatchObject({ username: 'carol' });
  });

  test('say which user a request is for', async () => {
    expect(await who({ pair: client(proxies, 'front'), headers })).toEqual({
      username: 'carol',
      uid: 'c-1',
      groups: ['one', 'two, three', 'system:authenticated'],
      extra: { 'acme.org/team': ['red'] },
    });
  });

  test('are believed by name and CA only', async () => {
    expect(await who({ pair: client(proxies, 'other'), headers })).toBe('401 Unauthorized');
    expect(await who({ pair: client(users, 'front'), headers })).toMatchObject({ username: 'front' });
    expect(await who({ headers })).toBe('403 Forbidden');
  });
});

describe('service account tokens', () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const ask = (name: string, spec: object = {}) => admin.post(`${accounts}/${name}/token`, { spec });

  test('are issued, accepted, and end with the account', async () => {
    await admin.post(accounts, { metadata: { name: 'robot' } });
    const { status, body } = await ask('robot', { expirationSeconds: 700 });
    expect([status, body.kind, body.spec]).toEqual([
      201,
      'TokenRequest',
      { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 700, boundObjectRef: null },
    ]);
    const left = Date.parse(body.status.expirationTimestamp) - Date.now();
    expect(left).toBeGreaterThan(600_000);
    expect(left).toBeLessThanOrEqual(701_000);
    const headers = bearer(body.status.token);
    expect(await who({ headers })).toMatchObject({
      username: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    const review = await admin.post(`${authentication}/tokenreviews`, { spec: { token: body.status.token } });
    expect(review.body.status).toMatchObject({
      authenticated: true,
      audiences: ['https://kubernetes.default.svc'],
      user: { username: 'system:serviceaccount:default:robot' },
    });
    await admin.delete(`${accounts}/robot`);
    expect(await who({ headers })).toBe('401 Unauthorized');
    const gone = await admin.post(`${authentication}/tokenreviews`, { spec: { token: body.status.token } });
    expect(gone.body.status).toMatchObject({ user: {}, error: expect.stringContaining('not found') });
    expect(gone.body.status.authenticated).toBeUndefined();
  });

  test('are bound to what exists', async () => {
    await admin.post(accounts, { metadata: { name: 'bound' } });
    await admin.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'anchor' } });
    const ref = { kind: 'Secret', apiVersion: 'v1', name: 'anchor' };
    const { body } = await ask('bound', { boundObjectRef: ref });
    const headers = bearer(body.status.token);
    expect(await who({ headers })).toMatchObject({ username: 'system:serviceaccount:default:bound' });
    expect((await ask('bound', { boundObjectRef: { ...ref, uid: 'x' } })).status).toBe(409);
    expect((await ask('bound', { boundObjectRef: { ...ref, name: 'missing' } })).status).toBe(404);
    expect((await ask('bound', { boundObjectRef: { ...ref, kind: 'ConfigMap' } })).status).toBe(400);
    await admin.delete('/api/v1/namespaces/default/secrets/anchor');
    expect(await who({ headers })).toBe('401 Unauthorized');
  });

  test('have limits, and need an account', async () => {
    await admin.post(accounts, { metadata: { name: 'limits' } });
    const short = await ask('limits', { expirationSeconds: 599 });
    expect([short.status, short.body.details.causes[0].field]).toEqual([422, 'spec.expirationSeconds']);
    expect((await ask('missing')).body.message).toBe('serviceaccounts "missing" not found');
    await using strict = await startTestServer({ listen: false, serviceAccountMaxTokenExpirationSeconds: 3600 });
    const api = apiOf(strict);
    await api.post(accounts, { metadata: { name: 'limits' } });
    const cut = await api.post(`${accounts}/limits/token`, { spec: { expirationSeconds: 7200 } });
    expect(cut.body.spec.expirationSeconds).toBe(3600);
    expect(cut.headers.get('warning')).toContain('requested expiration of 7200 seconds shortened to 3600 seconds');
  });

  test('can be checked by others', async () => {
    const found = await admin.get('/.well-known/openid-configuration');
    expect(found.body).toEqual({
      issuer: 'https://kubernetes.default.svc',
      jwks_uri: `${server.url}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const keys = await admin.get('/openid/v1/jwks');
    expect(keys.headers.get('content-type')).toBe('application/jwk-set+json');
    expect(JSON.parse(keys.body).keys).toMatchObject([{ use: 'sig', kty: 'RSA', alg: 'RS256', e: 'AQAB' }]);
  });

  test('survive a restart', async () => {
    const dataDir = join(folder.path, 'data');
    const options = { listen: false, store: 'embedded', dataDir } as const;
    let token = '';
    {
      await using first = await startTestServer(options);
      await apiOf(first).post(accounts, { metadata: { name: 'robot' } });
      token = (await apiOf(first).post(`${accounts}/robot/token`, {})).body.status.token;
    }
    await using second = await startTestServer(options);
    const review = await apiOf(second).post(`${authentication}/tokenreviews`, { spec: { token } });
    expect(review.body.status.authenticated).toBe(true);
  });
});

describe('bootstrap tokens', () => {
  test('are Secrets of the system namespace', async () => {
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:worker',
    };
    const path = '/api/v1/namespaces/kube-system/secrets';
    await admin.post(path, {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData,
    });
    const headers = bearer('abcdef.0123456789abcdef');
    expect(await who({ headers })).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:worker', 'system:authenticated'],
    });
    await admin.delete(`${path}/bootstrap-token-abcdef`);
    expect(await who({ headers })).toBe('401 Unauthorized');
  });
});

describe('impersonation', () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';

  test('needs a right for every part of the identity', async () => {
    const act = (headers: Headers) => who({ headers: bearer('ann-token', headers) });
    const refused = await https('GET', '/api', { headers: bearer('ann-token', { 'impersonate-user': 'bob' }) });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'forbidden: User "ann" cannot impersonate-on:user-info:get path "/api"',
    ]);
    await admin.post(`${rbac}/clusterroles`, {
      metadata: { name: 'actor' },
      rules: [
        { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['bob'] },
        { verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: ['devs'] },
        {
          verbs: ['impersonate'],
          apiGroups: ['authentication.k8s.io'],
          resources: ['userextras/scopes'],
          resourceNames: ['view'],
        },
      ],
    });
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'actor' },
      roleRef: { kind: 'ClusterRole', name: 'actor' },
      subjects: [{ kind: 'User', name: 'ann' }],
    });
    const user = { 'impersonate-user': 'bob' };
    expect(await act(user)).toEqual({ username: 'bob', groups: ['system:authenticated'] });
    expect(await act({ ...user, 'impersonate-group': 'devs', 'impersonate-extra-scopes': 'view' })).toEqual({
      username: 'bob',
      groups: ['devs', 'system:authenticated'],
      extra: { scopes: ['view'] },
    });
    expect(await act({ 'impersonate-user': 'eve' })).toBe('403 Forbidden');
    expect(await act({ ...user, 'impersonate-group': ['devs', 'system:masters'] })).toBe('403 Forbidden');
    expect(await act({ ...user, 'impersonate-extra-scopes': ['view', 'edit'] })).toBe('403 Forbidden');
    expect(await act({ ...user, 'impersonate-uid': 'u' })).toBe('403 Forbidden');
  });

  test('makes a service account with its groups', async () => {
    const headers = bearer('root-token', {
      'impersonate-user': 'system:serviceaccount:n:robot',
      'impersonate-uid': 'u',
    });
    expect(await who({ headers })).toEqual({
      username: 'system:serviceaccount:n:robot',
      uid: 'u',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
    });
  });

  test('is of a user first of all', async () => {
    for (const header of ['group', 'uid', 'extra-x'])
      expect(await who({ headers: bearer('root-token', { [`impersonate-${header}`]: 'x' }) })).toBe('400 BadRequest');
  });
});

describe('reviews', () => {
  test('answer for oneself and for others', async () => {
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };
    const self = await https('POST', `${authorization}/selfsubjectaccessreviews`, {
      headers: bearer('ann-token'),
      body: { spec: { resourceAttributes } },
    });
    expect([self.status, self.body.status]).toEqual([201, { allowed: false }]);
    const other = await admin.post(`${authorization}/subjectaccessreviews`, {
      spec: { user: 'x', groups: ['system:authenticated'], nonResourceAttributes: { path: '/version', verb: 'get' } },
    });
    expect(other.body.status).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    });
  });

  test.each([
    [{}, ['spec.resourceAttributes', 'spec.user']],
    [{ user: 'x', resourceAttributes: {}, nonResourceAttributes: {} }, ['spec.nonResourceAttributes']],
    [
      {
        user: 'x',
        resourceAttributes: {
          fieldSelector: {},
          labelSelector: { rawSelector: 'a', requirements: [{ key: 'a', operator: 'Exists' }] },
        },
      },
      ['spec.resourceAttributes.fieldSelector.requirements', 'spec.resourceAttributes.labelSelector.rawSelector'],
    ],
  ])('of %j are invalid', async (spec, fields) => {
    const { status, body } = await admin.post(`${authorization}/subjectaccessreviews`, { spec });
    expect([status, body.details.causes.map((cause: { field: string }) => cause.field)]).toEqual([422, fields]);
    expect(body.details).not.toHaveProperty('kind');
  });

  test('stay in their namespace, and tell of selectors they cannot read', async () => {
    const path = `${authorization}/namespaces/default/localsubjectaccessreviews`;
    const spec = (namespace: string) => ({
      spec: { user: 'x', resourceAttributes: { namespace, verb: 'get', resource: 'pods' } },
    });
    expect((await admin.post(path, spec('default'))).body).toMatchObject({
      metadata: { namespace: 'default' },
      status: { allowed: false },
    });
    expect((await admin.post(path, spec('other'))).status).toBe(422);
    const odd = await admin.post(`${authorization}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'nonsense' } } },
    });
    expect(odd.body.status.evaluationError).toBe('spec.resourceAttributes.fieldSelector ignored due to parse error');
  });

  test('list the rules of the caller', async () => {
    const { body } = await https('POST', `${authorization}/selfsubjectrulesreviews`, {
      headers: bearer('ann-token'),
      body: { spec: { namespace: 'default' } },
    });
    expect(body.status.incomplete).toBe(false);
    expect(body.status.resourceRules).toContainEqual({
      verbs: ['create'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['selfsubjectreviews'],
    });
  });

  test('need a token to review', async () => {
    expect((await admin.post(`${authentication}/tokenreviews`, { spec: {} })).status).toBe(400);
  });
});

describe('a file of CAs', () => {
  test('is read again when it changes', async () => {
    const late = createAuthority('late', Date.now());
    writeFileSync(join(folder.path, 'users.crt'), users.certificate + late.certificate);
    await expect.poll(() => who({ pair: client(late, 'lou') }), { interval: 500 }).toMatchObject({ username: 'lou' });
    expect(await who({ pair: client(moreUsers, 'bob') })).toBe('401 Unauthorized');
  });
});
