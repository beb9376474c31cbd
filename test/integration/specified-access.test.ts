// The second document's sentences about who callers are and what they may do, in the names of each dialect: the same requests
// to a server of either.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { cluster, kubernetes, signerNames } from '../../src/meta/dialect.ts';
import { createAuthority } from '../../src/pki/certificates.ts';
import { encodedRequest } from '../../src/testing/certificate-requests.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { bearer, type Headers, secureCall } from './secure-call.ts';

const home = '/api/v1/namespaces/default';
const encoded = (text: string) => Buffer.from(text).toString('base64');

describe.each([
  ['kubernetes', kubernetes],
  ['cluster', cluster()],
] as const)('in the %s dialect', (dialect, names) => {
  const { apiDomain, labelDomain } = names;
  const authentication = `/apis/authentication.${apiDomain}/v1`;
  const authorization = `/apis/authorization.${apiDomain}/v1`;
  const rbac = `/apis/rbac.authorization.${apiDomain}/v1`;
  const signers = signerNames(names);
  let folder: TempFolder;
  let server: Server;
  let api: Api;

  beforeAll(async () => {
    folder = new TempFolder();
    server = await startTestServer({
      ...{ dialect, controllers: [], enableBootstrapTokenAuth: true },
      tokenAuthFile: folder.write('tokens', 'ann-token,ann,ann-uid,"devs,ops"\nbob-token,bob,bob-uid\n'),
    });
    api = apiOf(server);
    await api.post(`${home}/serviceaccounts`, { metadata: { name: 'default' } });
  });
  afterAll(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });

  const call = (method: string, path: string, headers: Headers = {}, body?: object) =>
    secureCall(server, method, path, { headers, ...(body && { body }) });
  async function who(headers: Headers): Promise<unknown> {
    const { status, body } = await call('POST', `${authentication}/selfsubjectreviews`, headers, {});
    return status === 201 ? body.status.userInfo : status;
  }
  async function grant(name: string, subjects: readonly object[], rules: readonly object[]): Promise<void> {
    await api.post(`${rbac}/clusterroles`, { metadata: { name }, rules });
    const roleRef = { apiGroup: `rbac.authorization.${apiDomain}`, kind: 'ClusterRole', name };
    const { status } = await api.post(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
    expect(status).toBe(201);
  }
  const user = (name: string) => ({ kind: 'User', apiGroup: `rbac.authorization.${apiDomain}`, name });

  test('callers are known first, then allowed, then admitted, and then the store is asked', async () => {
    const pod = (serviceAccountName: string) => ({
      metadata: { name: 'first' },
      spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }] },
    });
    await api.post(`${home}/pods`, pod('default'));
    const create = async (headers: Headers, account: string) => {
      const { status, body } = await call('POST', `${home}/pods`, headers, pod(account));
      return [status, body.message];
    };
    expect(await create(bearer('wrong'), 'none')).toEqual([401, 'Unauthorized']);
    expect(await create(bearer('bob-token'), 'none')).toEqual([403, expect.stringContaining('cannot create resource')]);
    await grant('pod-maker', [user('bob')], [{ verbs: ['create'], apiGroups: [''], resources: ['pods'] }]);
    expect(await create(bearer('bob-token'), 'none')).toEqual([403, expect.stringContaining('"none" not found')]);
    expect(await create(bearer('bob-token'), 'default')).toEqual([409, 'pods "first" already exists']);
  });

  test('tokens stand for a user, and every known user is of one group', async () => {
    expect(await who(bearer('ann-token'))).toEqual({
      username: 'ann',
      uid: 'ann-uid',
      groups: ['devs', 'ops', 'system:authenticated'],
    });
    expect(await who(bearer('bob-token'))).toMatchObject({ groups: ['system:authenticated'] });
    const secrets = `/api/v1/namespaces/${names.systemNamespace}/secrets`;
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b',
    };
    const secret = { metadata: { name: 'bootstrap-token-abcdef' }, type: `bootstrap.${labelDomain}/token`, stringData };
    expect((await api.post(secrets, secret)).status).toBe(201);
    expect(await who(bearer('abcdef.0123456789abcdef'))).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b', 'system:authenticated'],
    });
    const path = `${secrets}/bootstrap-token-abcdef`;
    const expiring = async (expiration: string) => {
      expect((await api.patch('merge', path, { stringData: { expiration } })).status).toBe(200);
      return who(bearer('abcdef.0123456789abcdef'));
    };
    await expect.poll(() => expiring('2020-01-01T00:00:00Z')).toBe(401);
    await expect.poll(() => expiring('2999-01-01T00:00:00Z')).toMatchObject({ username: 'system:bootstrap:abcdef' });
    for (const token of ['ABCDEF.0123456789abcdef', 'abcdef.0123456789abcde', 'abcdef.0123456789abcdef0'])
      expect(await who(bearer(token))).toBe(401);
    const issued = await api.post(`${home}/serviceaccounts/default/token`, { spec: {} });
    expect(await who(bearer(issued.body.status.token))).toMatchObject({
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
  });

  test('callers without credentials are one user of one group, and no wildcard means them', async () => {
    const path = `${home}/configmaps/x`;
    const refused = await call('GET', path);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('User "system:anonymous" cannot get resource "configmaps"'),
    ]);
    const read = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }];
    await grant('starred', [user('*'), { ...user('*'), kind: 'Group' }], read);
    expect((await call('GET', path)).status).toBe(403);
    await grant('strangers', [{ ...user('system:unauthenticated'), kind: 'Group' }], read);
    await expect.poll(async () => (await call('GET', path)).status).toBe(404);
    expect((await call('GET', path, bearer('wrong'))).status).toBe(401);
  });

  test('a review returns the audiences of the token that were asked for, of which there is at least one', async () => {
    const issue = async (spec: object) =>
      (await api.post(`${home}/serviceaccounts/default/token`, { spec })).body.status.token as string;
    const review = async (token: string, audiences?: string[]) => {
      const { body } = await api.post(`${authentication}/tokenreviews`, { spec: { token, audiences } });
      return body.status.authenticated ? body.status.audiences : 'refused';
    };
    const elsewhere = await issue({ audiences: ['vault', 'other'] });
    expect(await review(elsewhere, ['x', 'vault'])).toEqual(['vault']);
    expect(await review(elsewhere, ['other', 'vault'])).toEqual(['other', 'vault']);
    expect([await review(elsewhere, ['x']), await review(elsewhere)]).toEqual(['refused', 'refused']);
    const here = await issue({});
    const [own] = await review(here);
    expect(own).toMatch(/^https:/);
    expect([await review(here, [own, 'x']), await review(here, ['x'])]).toEqual([[own], 'refused']);
    expect([await who(bearer(here)), await who(bearer(elsewhere))]).toEqual([expect.any(Object), 401]);
  });

  test('reviews say who a token belongs to, and who may do what', async () => {
    const token = await api.post(`${authentication}/tokenreviews`, { spec: { token: 'ann-token' } });
    expect([token.status, token.body.status]).toEqual([
      201,
      {
        authenticated: true,
        user: { username: 'ann', uid: 'ann-uid', groups: ['devs', 'ops', 'system:authenticated'] },
        audiences: [expect.any(String)],
      },
    ]);
    await grant('listers', [user('lister')], [{ verbs: ['list'], apiGroups: ['apps'], resources: ['deployments'] }]);
    const resourceAttributes = {
      group: 'apps',
      resource: 'deployments',
      verb: 'list',
      namespace: 'default',
      name: 'd',
    };
    const review = async (kind: string, spec: object, headers: Record<string, string> = {}) => {
      const { status, body } = await api.call('POST', `${authorization}/${kind}`, { spec }, headers);
      expect(status).toBe(201);
      return body.status;
    };
    const asLister = { 'impersonate-user': 'lister', 'impersonate-group': 'system:authenticated' };
    const of = { user: 'lister', resourceAttributes };
    expect(await review('selfsubjectaccessreviews', { resourceAttributes }, asLister)).toMatchObject({ allowed: true });
    expect(await review('subjectaccessreviews', of)).toMatchObject({ allowed: true });
    expect(await review('namespaces/default/localsubjectaccessreviews', of)).toMatchObject({ allowed: true });
    const other = { ...of, resourceAttributes: { ...resourceAttributes, verb: 'delete' } };
    expect(await review('subjectaccessreviews', other)).toMatchObject({ allowed: false });
    // each attribute is looked at
    const only = { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['update'], resourceNames: ['one'] };
    await api.post(`${rbac}/namespaces/default/roles`, { metadata: { name: 'narrow' }, rules: [only] });
    await api.post(`${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: 'narrow' },
      roleRef: { apiGroup: `rbac.authorization.${apiDomain}`, kind: 'Role', name: 'narrow' },
      subjects: [user('narrow')],
    });
    const narrow = { group: 'apps', resource: 'deployments', subresource: 'scale', verb: 'update', name: 'one' };
    const may = async (change: object) => {
      const asked = { ...narrow, namespace: 'default', ...change };
      return (await review('subjectaccessreviews', { user: 'narrow', resourceAttributes: asked })).allowed as boolean;
    };
    await expect.poll(() => may({})).toBe(true);
    for (const change of [
      ...[{ group: '' }, { group: 'batch' }, { resource: 'replicasets' }, { subresource: 'status' }],
      ...[
        { subresource: '' },
        { verb: 'get' },
        { name: 'two' },
        { name: '' },
        { namespace: 'other' },
        { namespace: '' },
      ],
    ])
      expect([change, await may(change)]).toEqual([change, false]);
    const rules = await review('selfsubjectrulesreviews', { namespace: 'default' }, asLister);
    expect(rules.resourceRules).toContainEqual({ verbs: ['list'], apiGroups: ['apps'], resources: ['deployments'] });
  });

  describe('a certificate request', () => {
    const collection = `/apis/certificates.${apiDomain}/v1/certificatesigningrequests`;
    const spec = { signerName: 'example.com/x', usages: ['client auth'], request: encodedRequest({}) };
    // the specification calls an object without a required field a bad request
    const incomplete = names.rules.incompleteObject;

    test.each<[string, object, number, string]>([
      ['no usage', { usages: [] }, incomplete, 'spec.usages'],
      ['a usage twice', { usages: ['client auth', 'client auth'] }, 422, 'spec.usages[1]'],
      ['an unknown usage', { usages: ['flying'] }, 422, 'spec.usages[0]'],
      ['no signer', { signerName: '' }, incomplete, 'spec.signerName'],
      ['the signer of old', { signerName: signers.legacyUnknown }, 422, 'spec.signerName'],
      ['no PEM', { request: encoded('hello') }, 422, 'spec.request'],
      ['too short a life', { expirationSeconds: 599 }, 422, 'spec.expirationSeconds'],
    ])('with %s is refused', async (_, change, code, field) => {
      const { status, body } = await api.post(collection, { metadata: { name: 'odd' }, spec: { ...spec, ...change } });
      expect([status, body.message]).toEqual([code, expect.stringContaining(field)]);
    });

    test('of a client may not be for the group system:masters', async () => {
      const request = encodedRequest({ organizations: ['system:masters'] });
      const { status, body } = await api.post(collection, {
        metadata: { name: 'mighty' },
        spec: { ...spec, request, signerName: signers.client },
      });
      expect([status, body.message]).toEqual([403, expect.stringContaining('system:masters')]);
    });

    const { certificate } = createAuthority('any', Date.now());
    const condition = { type: 'Approved', status: 'True', reason: 'Test' };
    test.each<[string, string, object, number, string]>([
      ['conditions of one type', 'approval', { conditions: [condition, condition] }, 422, 'status.conditions[1].type'],
      [
        'a condition without status',
        'approval',
        { conditions: [{ type: 'Denied' }] },
        incomplete,
        'conditions[0].status',
      ],
      ['a certificate that is none', 'status', { certificate: encoded('hello') }, 422, 'status.certificate'],
      [
        'another PEM block',
        'status',
        { certificate: encoded(certificate.replaceAll('CERTIFICATE', 'KEY')) },
        422,
        'status',
      ],
      [
        'a block with headers',
        'status',
        { certificate: encoded(certificate.replace('-----\n', '-----\na: b\n\n')) },
        422,
        'status.certificate',
      ],
      ['text around a certificate', 'status', { certificate: encoded(`hello\n${certificate}bye\n`) }, 200, ''],
    ])('gets %s', async (what, part, status, code, field) => {
      const name = what.replaceAll(' ', '-');
      await api.post(collection, { metadata: { name }, spec });
      const written = await api.patch('merge', `${collection}/${name}/${part}`, { status });
      expect(written.status).toBe(code);
      if (field !== '') expect(written.body.message).toContain(field);
    });

    test.each(['approve', 'sign'])('needs the right to %s of its signer', async (verb) => {
      const name = `right-to-${verb}`;
      await api.post(collection, { metadata: { name }, spec });
      const part = verb === 'approve' ? 'approval' : 'status';
      const path = `${collection}/${name}/${part}`;
      const conditions = [{ ...condition, type: verb === 'approve' ? 'Approved' : 'Failed' }];
      const write = async () => {
        const headers = { 'impersonate-user': name, 'content-type': 'application/merge-patch+json' };
        const { status, body } = await api.call('PATCH', path, { status: { conditions } }, headers);
        return [status, body.message];
      };
      const certificates = { apiGroups: [`certificates.${apiDomain}`] };
      const parts = { ...certificates, resources: [`certificatesigningrequests/${part}`], verbs: ['update', 'patch'] };
      await grant(`${name}-part`, [user(name)], [parts]);
      await expect.poll(write).toEqual([403, expect.stringContaining(`not permitted to ${verb}`)]);
      const signer = { ...certificates, resources: ['signers'], resourceNames: ['example.com/*'], verbs: [verb] };
      await grant(`${name}-signer`, [user(name)], [signer]);
      await expect.poll(write).toEqual([200, undefined]);
    });
  });

  describe('roles and bindings', () => {
    test('have names that are segments of a path', async () => {
      for (const [name, status] of [
        ['a:b', 201],
        ['A b', 201],
        ['a/b', 422],
        ['a%b', 422],
        ['..', 422],
      ] as const)
        expect([name, (await api.post(`${rbac}/clusterroles`, { metadata: { name }, rules: [] })).status]).toEqual([
          name,
          status,
        ]);
    });

    test('mean the user of exactly that name, and keep their role', async () => {
      await grant('exact', [user('Eve')], [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'] }]);
      const list = async (name: string) => (await api.get(`${home}/secrets`, { 'impersonate-user': name })).status;
      expect([await list('Eve'), await list('eve')]).toEqual([200, 403]);
      const roleRef = { apiGroup: `rbac.authorization.${apiDomain}`, kind: 'ClusterRole', name: 'view' };
      expect((await api.patch('merge', `${rbac}/clusterrolebindings/exact`, { roleRef })).status).toBe(422);
    });

    test('that name objects are good for lists and watches of these alone', async () => {
      const verbs = ['get', 'list', 'watch', 'create', 'deletecollection'];
      await grant(
        'named',
        [user('named')],
        [{ verbs, apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] }],
      );
      const status = async (method: string, end: string, body?: object) => {
        const headers = { 'impersonate-user': 'named', 'content-type': 'application/json' };
        const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        const answer = await server.fetch(`${home}/configmaps${end}`, init);
        await answer.body?.cancel();
        return answer.status;
      };
      const selected = (name: string) => `?fieldSelector=metadata.name%3D${name}`;
      const watch = '&watch=true';
      expect(await Promise.all([selected('a'), selected('b'), ''].map((end) => status('GET', end)))).toEqual([
        200, 403, 403,
      ]);
      expect([await status('GET', selected('a') + watch), await status('GET', selected('b') + watch)]).toEqual([
        200, 403,
      ]);
      expect(await status('POST', '', { metadata: { name: 'a' } })).toBe(403);
      expect(await status('DELETE', selected('a'))).toBe(403);
    });
  });

  test('impersonation comes after authentication, and needs a right for every part', async () => {
    const as = (identity: Headers, token = 'bob-token') => who(bearer(token, identity));
    expect(await as({ 'impersonate-user': 'ann' }, 'wrong')).toBe(401);
    const identity: Headers = {
      'impersonate-user': 'acted',
      'impersonate-group': ['g1', 'g2'],
      'impersonate-uid': 'u 1',
      'impersonate-extra-acme.org%2fteam': ['red', 'blue'],
    };
    const own = { apiGroups: [`authentication.${apiDomain}`], verbs: ['impersonate'] };
    const core = { apiGroups: [''], verbs: ['impersonate'] };
    const rules = [
      { ...core, resources: ['users'], resourceNames: ['acted'] },
      { ...core, resources: ['groups'], resourceNames: ['g1', 'g2'] },
      { ...own, resources: ['uids'], resourceNames: ['u 1'] },
      { ...own, resources: ['userextras/acme.org/team'], resourceNames: ['red', 'blue'] },
    ];
    expect(await as(identity)).toBe(403);
    for (const [at, missing] of rules.entries()) {
      const partly = rules.filter((rule) => rule !== missing);
      const name = `acting-${at}`;
      // where this right is in force, the others of its role are too
      const mark = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: [name] };
      await grant(name, [user('bob')], [...partly, mark]);
      const marked = async () => (await call('GET', `${home}/configmaps/${name}`, bearer('bob-token'))).status;
      await expect.poll(marked).toBe(404);
      expect(await as(identity)).toBe(403);
      await api.delete(`${rbac}/clusterrolebindings/${name}`);
    }
    await grant('acting', [user('bob')], rules);
    await expect
      .poll(() => as(identity))
      .toEqual({
        username: 'acted',
        uid: 'u 1',
        groups: ['g1', 'g2', 'system:authenticated'],
        extra: { 'acme.org/team': ['red', 'blue'] },
      });
    for (const [header, other] of [
      ['impersonate-user', 'another'],
      ['impersonate-group', 'g3'],
      ['impersonate-uid', 'u 2'],
      ['impersonate-extra-acme.org%2fteam', 'green'],
      ['impersonate-extra-acme.org%2fother', 'red'],
    ] as const)
      expect([header, other, await as({ ...identity, [header]: other })]).toEqual([header, other, 403]);
    const account = { 'impersonate-user': 'system:serviceaccount:default:default' };
    expect(await as(account)).toBe(403);
    await grant('acting-account', [user('bob')], [{ ...core, resources: ['serviceaccounts'] }]);
    await expect.poll(() => as(account)).toMatchObject({ username: 'system:serviceaccount:default:default' });
  });

  test('keys of impersonated extra fields are in lower case and decoded, and a uid is any text', async () => {
    const own = { apiGroups: [`authentication.${apiDomain}`], verbs: ['impersonate'] };
    await grant(
      'acting-freely',
      [user('bob')],
      [
        { apiGroups: [''], verbs: ['impersonate'], resources: ['users'] },
        { ...own, resources: ['uids', 'userextras/acme.org/team', 'userextras/two words'] },
      ],
    );
    for (const uid of ['not-a-uuid', '{"any": "text"} /:,=%2f', '0'])
      await expect
        .poll(() =>
          // names of headers are sent as they stand here
          who(
            bearer('bob-token', {
              'Impersonate-User': 'free',
              'Impersonate-Uid': uid,
              'Impersonate-Extra-Acme.ORG%2FTeam': 'Red',
              'IMPERSONATE-EXTRA-TWO%20WORDS': 'A%20b',
            }),
          ),
        )
        .toEqual({
          username: 'free',
          uid,
          groups: ['system:authenticated'],
          extra: { 'acme.org/team': ['Red'], 'two words': ['A%20b'] },
        });
  });
});
