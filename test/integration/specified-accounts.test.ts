// The second document's sentences about service accounts, tokens and roles, in the names of each dialect: the same requests to
// a server of either.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap } from './api.ts';
import { dialects } from './dialects.ts';
import { eventually, gone } from './eventually.ts';
import { bearer, secureCall } from './secure-call.ts';

describe.each(dialects)('in the %s dialect', (name, dialect) => {
  const { apiDomain, labelDomain, systemNamespace, rootCaConfigMap } = dialect;
  const team = '/api/v1/namespaces/team';
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ dialect: name });
    api = apiOf(server);
    await api.post('/api/v1/namespaces', { metadata: { name: 'team' } });
  });
  afterAll(() => server.close());

  const tokenSecret = (secret: string, of: string) => ({
    metadata: { name: secret, annotations: { [`${labelDomain}/service-account.name`]: of } },
    type: `${labelDomain}/service-account-token`,
  });

  test.each(['default', systemNamespace, 'team'])('%s has an account and the root CA', async (namespace) => {
    const home = `/api/v1/namespaces/${namespace}`;
    await eventually(async () => expect((await api.get(`${home}/serviceaccounts/default`)).status).toBe(200));
    const rootCa = async () => (await api.get(`${home}/configmaps/${rootCaConfigMap}`)).body.data?.['ca.crt'];
    await eventually(async () => expect(await rootCa()).toContain('BEGIN CERTIFICATE'));
  });

  test('a Secret that names an account is filled, and every account gets one where the dialect says so', async () => {
    interface Shown {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      readonly type: string;
      readonly data?: Readonly<Record<string, string>>;
    }
    const type = `${labelDomain}/service-account-token`;
    const annotation = `${labelDomain}/service-account.name`;
    const secretsOf = async (account: string) =>
      ((await api.get(`${team}/secrets`)).body.items as Shown[]).filter(
        (one) => one.type === type && one.metadata.annotations[annotation] === account,
      );
    for (const account of ['bare', 'served'])
      await api.post(`${team}/serviceaccounts`, { metadata: { name: account } });
    await api.post(`${team}/secrets`, tokenSecret('served-token', 'served'));
    const expected = name === 'cluster' ? 1 : 0;
    await eventually(async () => {
      const [served, bare] = [await secretsOf('served'), await secretsOf('bare')];
      expect([served.length > 0, bare.length]).toEqual([true, expected]);
      for (const { data = {} } of [...served, ...bare]) {
        expect(Object.keys(data).sort()).toEqual(['ca.crt', 'namespace', 'token']);
        expect(Buffer.from(data['namespace'] ?? '', 'base64').toString()).toBe('team');
        expect(Buffer.from(data['token'] ?? '', 'base64').toString()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      }
    });
    const { secrets = [] } = (await api.get(`${team}/serviceaccounts/bare`)).body;
    expect(secrets).toHaveLength(expected);
  });

  test('a token Secret goes with its account, or at once where there is none, and no reference to it stays', async () => {
    await api.post(`${team}/serviceaccounts`, { metadata: { name: 'robot' } });
    expect((await api.post(`${team}/secrets`, tokenSecret('robot-token', 'robot'))).status).toBe(201);
    await api.delete(`${team}/serviceaccounts/robot`);
    await gone(api, `${team}/secrets/robot-token`);
    await api.post(`${team}/secrets`, tokenSecret('for-none', 'missing'));
    await gone(api, `${team}/secrets/for-none`);
    await api.post(`${team}/serviceaccounts`, {
      metadata: { name: 'keeper' },
      secrets: [{ name: 'k' }, { name: 'o' }],
    });
    await api.post(`${team}/secrets`, tokenSecret('k', 'keeper'));
    await api.delete(`${team}/secrets/k`);
    await eventually(async () =>
      expect((await api.get(`${team}/serviceaccounts/keeper`)).body.secrets).not.toContainEqual({ name: 'k' }),
    );
  });

  test('an unknown token is 401, what no role allows 403, and a role of a namespace counts there only', async () => {
    expect((await secureCall(server, 'GET', `${team}/configmaps`, { headers: bearer('nonsense') })).status).toBe(401);
    await api.post(`${team}/serviceaccounts`, { metadata: { name: 'reader' } });
    const { token } = (await api.post(`${team}/serviceaccounts/reader/token`, { spec: {} })).body.status;
    const read = async (path: string) => (await secureCall(server, 'GET', path, { headers: bearer(token) })).status;
    expect(await read(`${team}/configmaps`)).toBe(403);
    const rbac = `rbac.authorization.${apiDomain}`;
    const bound = await api.post(`/apis/${rbac}/v1/namespaces/team/rolebindings`, {
      metadata: { name: 'reading' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'team' }],
    });
    expect(bound.status).toBe(201);
    await eventually(async () => expect(await read(`${team}/configmaps`)).toBe(200));
    expect([await read('/api/v1/configmaps'), await read('/api/v1/nodes')]).toEqual([403, 403]);
  });

  test('admin, edit and view gather the rules of roles that are labelled for them', async () => {
    const roles = `/apis/rbac.authorization.${apiDomain}/v1/clusterroles`;
    const rules = [{ apiGroups: ['example.com'], resources: ['lamps'], verbs: ['get'] }];
    const labels = { [`rbac.authorization.${apiDomain}/aggregate-to-view`]: 'true' };
    expect((await api.post(roles, { metadata: { name: 'lamps', labels }, rules })).status).toBe(201);
    for (const role of ['view', 'edit', 'admin'])
      await eventually(async () => expect((await api.get(`${roles}/${role}`)).body.rules).toContainEqual(rules[0]));
  });

  test('a review needs a token', async () => {
    const reviews = `/apis/authentication.${apiDomain}/v1/tokenreviews`;
    expect((await api.post(reviews, { spec: {} })).status).toBe(400);
  });

  test('nothing is created in a namespace that goes', async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'going' } });
    const home = '/api/v1/namespaces/going/configmaps';
    await api.post(home, { ...configMap('held'), metadata: { name: 'held', finalizers: [`${labelDomain}/hold`] } });
    await api.delete('/api/v1/namespaces/going');
    expect((await api.post(home, configMap('late'))).status).toBe(403);
    await api.patch('merge', `${home}/held`, { metadata: { finalizers: null } });
    await gone(api, '/api/v1/namespaces/going');
  });
});
