// The second document's sentences about certificates, proxies, webhooks and impersonation, in each dialect: the same requests to
// a server of either.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server, ServerOptions } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type PeerRequest, TlsPeer } from '../../src/testing/tls-peer.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { dialects } from './dialects.ts';
import { bearer, type CallOptions, type Headers, secureCall } from './secure-call.ts';

const home = '/api/v1/namespaces/default';
const users = createAuthority('users', Date.now());
const moreUsers = createAuthority('more users', Date.now());
const proxies = createAuthority('proxies', Date.now());
const client = (authority: KeyPair, commonName: string, ...organizations: string[]) =>
  signLeaf(authority, { usage: 'client', commonName, organizations }, Date.now());

/** What the outside world says of tokens, and of rights: guests list config maps, and no user touches secrets. */
function review({ body }: PeerRequest): object {
  const { apiVersion, kind, spec } = JSON.parse(body);
  if (kind === 'TokenReview') {
    const status = { authenticated: spec.token === 'zoe-token', user: { username: 'zoe', groups: ['guests'] } };
    return { apiVersion, kind, status: spec.token === 'revoked-token' ? { ...status, error: 'revoked' } : status };
  }
  const { resource } = spec.resourceAttributes ?? {};
  const status = { allowed: resource === 'configmaps', denied: resource === 'secrets', reason: 'says the webhook' };
  return { apiVersion, kind, status };
}

describe.each(dialects)('in the %s dialect', (dialect, { apiDomain, labelDomain, systemNamespace }) => {
  const authentication = `/apis/authentication.${apiDomain}/v1`;
  const authorization = `/apis/authorization.${apiDomain}/v1`;
  let folder: TempFolder;
  let peer: TlsPeer;
  let server: Server;
  let admin: Api;
  let proxyOptions: ServerOptions;

  beforeAll(async () => {
    folder = new TempFolder();
    peer = await TlsPeer.open(review);
    proxyOptions = {
      requestheaderClientCaFile: folder.write('proxies.crt', proxies.certificate),
      requestheaderUsernameHeaders: ['X-First-User', 'X-Remote-User'],
      requestheaderGroupHeaders: ['X-Remote-Group', 'X-More-Groups'],
      requestheaderExtraHeadersPrefixes: ['X-Remote-Extra-'],
    };
    const spec = { user: 'ann', namespace: 'default', resource: 'services', readonly: true };
    const policy = { apiVersion: `abac.authorization.${labelDomain}/v1beta1`, kind: 'Policy', spec };
    server = await startTestServer({
      ...{ dialect, controllers: [], ...proxyOptions, requestheaderAllowedNames: ['front'] },
      tokenAuthFile: folder.write('tokens', 'ann-token,ann,1\nroot-token,root,2,system:masters\n'),
      clientCaFile: folder.write('users.crt', users.certificate + moreUsers.certificate),
      audit: {
        policyFile: folder.write(
          'policy',
          `{apiVersion: audit.${apiDomain}/v1, kind: Policy, rules: [{level: Metadata}]}`,
        ),
        log: { path: join(folder.path, 'audit.log') },
      },
      authenticationTokenWebhookConfigFile: folder.write('token-webhook', peer.kubeconfig({ path: '/tokens' })),
      authorizationModes: ['RBAC', 'ABAC', 'Webhook'],
      authorizationPolicyFile: folder.write('abac', JSON.stringify(policy)),
      authorizationWebhookConfigFile: folder.write('webhook', peer.kubeconfig({ path: '/rights' })),
    });
    admin = apiOf(server);
  });
  afterAll(async () => {
    await server.close();
    await peer[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function who(options: CallOptions, at = server): Promise<unknown> {
    const { status, body } = await secureCall(at, 'POST', `${authentication}/selfsubjectreviews`, {
      ...options,
      body: {},
    });
    return status === 201 ? body.status.userInfo : status;
  }

  test('a client certificate of any CA in the file names the user and its groups', async () => {
    for (const authority of [users, moreUsers])
      expect(await who({ pair: client(authority, 'bob', 'a', 'b') })).toMatchObject({
        username: 'bob',
        groups: ['a', 'b', 'system:authenticated'],
      });
    expect(await who({ pair: client(createAuthority('stranger', Date.now()), 'bob') })).toBe(401);
  });

  describe('an authenticating proxy', () => {
    const headers = {
      'x-remote-user': 'carol',
      'x-remote-group': ['one', 'two, three'],
      'x-more-groups': 'four',
      'x-remote-extra-Acme.org%2FTeam': ['red', 'blue'],
    };

    test('says which user a request is for, by the first header that has one', async () => {
      const pair = client(proxies, 'front');
      expect(await who({ pair, headers })).toEqual({
        username: 'carol',
        groups: ['one', 'two, three', 'four', 'system:authenticated'],
        extra: { 'acme.org/team': ['red', 'blue'] },
      });
      const first = { ...headers, 'x-first-user': 'dora' };
      expect(await who({ pair, headers: first })).toMatchObject({ username: 'dora' });
    });

    test('is believed by its name and its CA only', async () => {
      expect(await who({ pair: client(proxies, 'other'), headers })).toBe(401);
      expect(await who({ pair: client(users, 'front'), headers })).toMatchObject({ username: 'front' });
      expect(await who({ headers: bearer('ann-token', headers) })).toMatchObject({ username: 'ann' });
    });
  });

  test('where everything is allowed callers are known, and any name of a proxy will do', async () => {
    await using open = await startTestServer({
      ...{ dialect, controllers: [], ...proxyOptions, authorizationModes: ['AlwaysAllow'], anonymousAuth: true },
    });
    for (const path of [`/api/v1/namespaces/${systemNamespace}/secrets`, '/version', '/livez'])
      expect([path, (await secureCall(open, 'GET', path)).status]).toEqual([path, 401]);
    const proxied = { pair: client(proxies, 'any'), headers: { 'x-remote-user': 'carol' } };
    expect(await who(proxied, open)).toMatchObject({ username: 'carol' });
    expect((await secureCall(open, 'GET', '/api/v1/secrets', proxied)).status).toBe(200);
  });

  test('where everything is denied the administrators go on, and no other user', async () => {
    await using closed = await startTestServer({
      ...{ dialect, listen: false, controllers: [], authorizationModes: ['AlwaysDeny'] },
    });
    const user = { name: 'x', groups: ['system:authenticated'] };
    expect((await closed.fetch('/api', { user })).status).toBe(403);
    expect((await closed.fetch('/api')).status).toBe(200);
  });

  describe('a token webhook', () => {
    test('says which user a token belongs to', async () => {
      const zoe = { username: 'zoe', groups: ['guests', 'system:authenticated'] };
      expect(await who({ headers: bearer('zoe-token') })).toEqual(zoe);
    });

    test.each(['unknown-token', 'revoked-token'])('that does not know %s leaves the caller unknown', async (token) => {
      expect(await who({ headers: bearer(token) })).toBe(401);
      const { body } = await admin.post(`${authentication}/tokenreviews`, { spec: { token } });
      expect(body.status.authenticated ?? false).toBe(false);
      if (token === 'revoked-token') expect(body.status.error).toContain('revoked');
    });
  });

  test('modules are asked in order, and the first that allows or denies decides', async () => {
    const read = async (plural: string, token: string) =>
      (await secureCall(server, 'GET', `${home}/${plural}`, { headers: bearer(token) })).status;
    const asked = (plural: string, user: string) =>
      peer.requests
        .filter(({ path }) => path.startsWith('/rights'))
        .map(({ body }) => JSON.parse(body).spec)
        .filter((spec) => spec.user === user && spec.resourceAttributes?.resource === plural).length;
    // a role, a policy of the file, the webhook, and none of them
    expect(await read('secrets', 'root-token')).toBe(200);
    expect(await read('services', 'ann-token')).toBe(200);
    expect(await read('configmaps', 'ann-token')).toBe(200);
    expect([await read('secrets', 'ann-token'), await read('pods', 'ann-token')]).toEqual([403, 403]);
    expect([asked('secrets', 'root'), asked('services', 'ann'), asked('configmaps', 'ann')]).toEqual([0, 0, 1]);
  });

  test('a module is asked with all attributes of a request: those of the caller, and what is requested', async () => {
    const headers = bearer('root-token', {
      ...{ 'impersonate-user': 'lea', 'impersonate-uid': 'u-1', 'impersonate-group': ['g1', 'g2'] },
      'impersonate-extra-team': 'red',
    });
    const questions = async (method: string, path: string) => {
      const before = peer.requests.length;
      const sent = ['GET', 'DELETE'].includes(method) ? {} : { body: {} };
      expect((await secureCall(server, method, path, { headers, ...sent })).status).toBe(403);
      const specs = peer.requests.slice(before).map(({ body }) => JSON.parse(body).spec);
      return specs.filter(({ user }) => user === 'lea');
    };
    const caller = { uid: 'u-1', group: ['g1', 'g2', 'system:authenticated'], extra: { team: ['red'] } };
    const core = { version: 'v1', namespace: 'default', resource: 'pods' };
    const apps = { ...core, group: 'apps', resource: 'deployments' };
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    for (const [method, path, resourceAttributes] of [
      ['GET', `${home}/pods/p/log`, { ...core, verb: 'get', subresource: 'log', name: 'p' }],
      ['GET', `${home}/pods`, { ...core, verb: 'list' }],
      ['GET', '/api/v1/nodes?watch=1', { version: 'v1', resource: 'nodes', verb: 'watch' }],
      ['POST', deployments, { ...apps, verb: 'create' }],
      ['PUT', `${deployments}/d`, { ...apps, verb: 'update', name: 'd' }],
      ['PATCH', `${deployments}/d/scale`, { ...apps, verb: 'patch', name: 'd', subresource: 'scale' }],
      ['DELETE', `${deployments}/d`, { ...apps, verb: 'delete', name: 'd' }],
      ['DELETE', deployments, { ...apps, verb: 'deletecollection' }],
    ] as const)
      expect([path, await questions(method, path)]).toEqual([path, [{ user: 'lea', ...caller, resourceAttributes }]]);
    for (const [method, path, nonResourceAttributes] of [
      ['GET', '/metrics', { path: '/metrics', verb: 'get' }],
      ['POST', '/logs/a?b=c', { path: '/logs/a', verb: 'post' }],
    ] as const)
      expect([path, await questions(method, path)]).toEqual([
        path,
        [{ user: 'lea', ...caller, nonResourceAttributes }],
      ]);
  });

  test.each([
    [undefined, 'v1beta1', 'v1'],
    ['v1beta1', 'v1beta1', 'v1'],
    ['v1', 'v1', 'v1beta1'],
  ] as const)('a token webhook with the version %s is asked in %s, and an answer in %s is none', async (...row) => {
    const [authenticationTokenWebhookVersion, version, other] = row;
    await using answers = await TlsPeer.open(({ body }) => {
      const { kind, apiVersion, spec } = JSON.parse(body);
      const status = { authenticated: true, user: { username: 'zoe' } };
      return { kind, apiVersion: spec.token === 'foreign' ? apiVersion.replace(version, other) : apiVersion, status };
    });
    const file = folder.write(`tokens-${authenticationTokenWebhookVersion}`, answers.kubeconfig());
    await using own = await startTestServer({
      ...{ dialect, listen: false, controllers: [], authenticationTokenWebhookConfigFile: file },
      ...(authenticationTokenWebhookVersion && { authenticationTokenWebhookVersion }),
    });
    const ask = async (token: string) => {
      const { body } = await apiOf(own).post(`${authentication}/tokenreviews`, { spec: { token } });
      return [body.status.authenticated ?? false, body.status.user?.username];
    };
    expect(await ask('known')).toEqual([true, 'zoe']);
    expect(await ask('foreign')).toEqual([false, undefined]);
    const asked = answers.requests.map(({ body }) => JSON.parse(body));
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`))).toEqual(
      new Set([`authentication.${apiDomain}/${version} TokenReview`]),
    );
  });

  test('answers of a token webhook are kept for two minutes, or as long as the option says', async () => {
    await using answers = await TlsPeer.open(({ body }) => {
      const { kind, apiVersion } = JSON.parse(body);
      return { kind, apiVersion, status: { authenticated: true, user: { username: 'zoe' } } };
    });
    const file = folder.write('kept-tokens', answers.kubeconfig());
    for (const [authenticationTokenWebhookCacheSeconds, kept] of [
      [undefined, 120],
      [10, 10],
    ] as const) {
      const clock = new FakeClock();
      await using own = await startTestServer({
        ...{ dialect, listen: false, controllers: [], clock, authenticationTokenWebhookConfigFile: file },
        ...(authenticationTokenWebhookCacheSeconds && { authenticationTokenWebhookCacheSeconds }),
      });
      const before = answers.requests.length;
      const questions = async () => {
        await apiOf(own).post(`${authentication}/tokenreviews`, { spec: { token: 'known' } });
        return answers.requests.length - before;
      };
      expect([await questions(), await questions()]).toEqual([1, 1]);
      clock.advance(kept * 1000 - 1);
      expect(await questions()).toBe(1);
      clock.advance(1);
      expect(await questions()).toBe(2);
    }
  });

  test('a review tells what is allowed, denied, or neither', async () => {
    const ask = async (resource: string) => {
      const spec = { user: 'zoe', resourceAttributes: { verb: 'list', resource, namespace: 'default' } };
      const { allowed, denied = false } = (await admin.post(`${authorization}/subjectaccessreviews`, { spec })).body
        .status;
      return { allowed, denied };
    };
    expect(await ask('configmaps')).toEqual({ allowed: true, denied: false });
    expect(await ask('secrets')).toEqual({ allowed: false, denied: true });
    expect(await ask('pods')).toEqual({ allowed: false, denied: false });
  });

  test('a user asks about its own rights, and an administrator about those of others', async () => {
    const canI = async (resource: string, headers: Headers) => {
      const spec = { resourceAttributes: { verb: 'list', resource, namespace: 'default' } };
      const path = `${authorization}/selfsubjectaccessreviews`;
      const { status, body } = await secureCall(server, 'POST', path, { headers, body: { spec } });
      return status === 201 ? body.status.allowed : status;
    };
    expect(await canI('secrets', bearer('root-token'))).toBe(true);
    expect([await canI('services', bearer('ann-token')), await canI('pods', bearer('ann-token'))]).toEqual([
      true,
      false,
    ]);
    const asAnn = bearer('root-token', { 'impersonate-user': 'ann' });
    expect([await canI('services', asAnn), await canI('pods', asAnn)]).toEqual([true, false]);
  });

  describe('impersonation', () => {
    test('of a group, a uid or extra fields needs a user', async () => {
      for (const header of ['group', 'uid', 'extra-x'])
        expect(await who({ headers: bearer('root-token', { [`impersonate-${header}`]: 'x' }) })).toBe(400);
    });

    test('of a service account brings its groups, and both names are in the audit log', async () => {
      const account = 'system:serviceaccount:n:robot';
      const headers = bearer('root-token', { 'impersonate-user': account, 'audit-id': 'acting' });
      expect(await who({ headers })).toMatchObject({
        username: account,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
      });
      const events = readFileSync(join(folder.path, 'audit.log'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ auditID, stage }) => auditID === 'acting' && stage === 'ResponseComplete');
      expect(events).toMatchObject([{ user: { username: 'root' }, impersonatedUser: { username: account } }]);
    });
  });

  test('tokens of accounts are believed by every key that is named, or else that of the server', async () => {
    const keys = ['one.key', 'two.key'].map((name) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return folder.write(name, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    });
    const names = { usage: 'server', commonName: 'a', hosts: ['localhost'] } as const;
    const serving = signLeaf(createAuthority('a', Date.now()), names, Date.now());
    const tlsCertFile = folder.write('tls.crt', serving.certificate);
    const tlsPrivateKeyFile = folder.write('tls.key', serving.privateKey);
    const start = (options: ServerOptions) =>
      startTestServer({ dialect, listen: false, controllers: [], serviceAccountLookup: false, ...options });
    const accounts = `${home}/serviceaccounts`;
    const signing = { serviceAccountSigningKeyFile: tlsPrivateKeyFile };
    await using first = await start({ ...signing, serviceAccountKeyFiles: [tlsPrivateKeyFile] });
    await apiOf(first).post(accounts, { metadata: { name: 'robot' } });
    const { token } = (await apiOf(first).post(`${accounts}/robot/token`, { spec: {} })).body.status;
    const believes = async (options: ServerOptions) => {
      await using other = await start({ serviceAccountSigningKeyFile: keys[0] as string, ...options });
      const { body } = await apiOf(other).post(`${authentication}/tokenreviews`, { spec: { token } });
      return body.status.authenticated ?? false;
    };
    expect(await believes({ serviceAccountKeyFiles: [...keys, tlsPrivateKeyFile] })).toBe(true);
    expect(await believes({ serviceAccountKeyFiles: keys })).toBe(false);
    expect(await believes({ tlsCertFile, tlsPrivateKeyFile })).toBe(true);
  });
});
