// Users with few rights who want more, over the port: each has a token and one role, and tries what that role almost allows. The answers
// are those of kube-apiserver 1.36.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority } from '../../src/pki/certificates.ts';
import { encodedRequest, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';
import { bearer, type Headers, type Reply, secureCall } from './secure-call.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;
const core = (namespace: string) => `/api/v1/namespaces/${namespace}`;
const roles = (namespace: string) => `${rbac}/namespaces/${namespace}/roles`;
const bindings = (namespace: string) => `${rbac}/namespaces/${namespace}/rolebindings`;
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const deployments = '/apis/apps/v1/namespaces/team/deployments';

const rule = (verbs: string, groups: string, resources: string, ...resourceNames: string[]) => ({
  verbs: verbs.split(' '),
  apiGroups: groups.split(' '),
  resources: resources.split(' '),
  ...(resourceNames.length > 0 ? { resourceNames } : {}),
});
const write = 'create get patch update';

/** What each user may do: in the whole cluster, or in the namespace `team`. */
const users: Readonly<Record<string, { readonly in?: 'team'; readonly rules: readonly object[] }>> = {
  binder: { in: 'team', rules: [rule('create', group, 'rolebindings')] },
  'binder-of-view': {
    rules: [rule(write, group, 'rolebindings clusterrolebindings'), rule('bind', group, 'clusterroles', 'view')],
  },
  'escalator-of-mine': {
    rules: [rule(write, group, 'roles clusterroles'), rule('escalate', group, 'roles clusterroles', 'mine')],
  },
  'actor-as-dave': { rules: [rule('impersonate', '', 'users', 'dave')] },
  'tokens-of-robot': { in: 'team', rules: [rule('create', '', 'serviceaccounts/token', 'robot')] },
  requester: { rules: [rule('create get', 'certificates.k8s.io', 'certificatesigningrequests')] },
  'approver-of-x': {
    rules: [
      rule(
        'update patch',
        'certificates.k8s.io',
        'certificatesigningrequests/approval certificatesigningrequests/status',
      ),
      rule('approve sign', 'certificates.k8s.io', 'signers', 'example.com/x'),
    ],
  },
  debugger: { in: 'team', rules: [rule('get patch update', '', 'pods/ephemeralcontainers pods/resize')] },
  reporter: { in: 'team', rules: [rule('get patch update', '*', '*/status')] },
  scaler: { in: 'team', rules: [rule('get patch update', '*', '*/scale')] },
  definer: { rules: [rule(write, 'apiextensions.k8s.io', 'customresourcedefinitions')] },
  hooker: { rules: [rule(write, 'admissionregistration.k8s.io', '*')] },
  proxier: { rules: [rule('get', '', 'nodes/proxy', 'n1'), rule('get', '', 'services/proxy', 'svc')] },
  registrar: { rules: [rule(write, 'apiregistration.k8s.io', 'apiservices apiservices/status')] },
  'role-writer': { in: 'team', rules: [rule(write, group, 'roles'), rule('get', '', 'configmaps')] },
};

let folder: TempFolder;
let server: Server;
let admin: Api;
const uids = new Map<string, string>();

async function must(answer: Promise<{ status: number; body: { metadata?: { uid?: string } } }>): Promise<string> {
  const { status, body } = await answer;
  expect([status, body]).toEqual([201, body]);
  return body.metadata?.uid ?? '';
}

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
const bindTo = (name: string, role: string, user: string, kind = 'ClusterRole') => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: role },
  subjects: [{ kind: 'User', name: user, apiGroup: group }],
});

beforeAll(async () => {
  folder = new TempFolder();
  const names = ['mallory', ...Object.keys(users)];
  writeFileSync(join(folder.path, 'tokens'), names.map((name) => `${name}-token,${name},${name}-uid\n`).join(''));
  server = await startTestServer({ tokenAuthFile: join(folder.path, 'tokens') });
  admin = apiOf(server);
  for (const name of ['team', 'other']) await must(admin.post('/api/v1/namespaces', { metadata: { name } }));
  for (const name of ['team', 'other']) {
    await must(admin.post(`${core(name)}/secrets`, { metadata: { name: 'gold' } }));
    uids.set(`${name}/robot`, await must(admin.post(`${core(name)}/serviceaccounts`, { metadata: { name: 'robot' } })));
    await eventually(async () => expect((await admin.get(`${core(name)}/serviceaccounts/default`)).status).toBe(200));
  }
  await must(admin.post(`${core('team')}/pods`, pod('p')));
  const template = { metadata: { labels: { a: 'b' } }, spec: pod('').spec };
  const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
  await must(admin.post(deployments, { metadata: { name: 'd' }, spec }));
  await must(admin.post(`${rbac}/clusterroles`, { metadata: { name: 'powerful' }, rules: [rule('*', '*', '*')] }));
  await must(admin.post(roles('team'), { metadata: { name: 'view' }, rules: [rule('*', '*', '*')] }));
  await must(admin.post(bindings('team'), bindTo('mallory-admin', 'admin', 'mallory')));
  for (const [name, { in: namespace, rules }] of Object.entries(users)) {
    const [inRoles, inBindings] =
      namespace === undefined
        ? [`${rbac}/clusterroles`, `${rbac}/clusterrolebindings`]
        : [roles(namespace), bindings(namespace)];
    await must(admin.post(inRoles, { metadata: { name }, rules }));
    await must(admin.post(inBindings, bindTo(name, name, name, namespace === undefined ? 'ClusterRole' : 'Role')));
  }
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

const patches = { PATCH: 'application/merge-patch+json', APPLY: 'application/apply-patch+yaml' } as const;

function send(user: string, verb: string, path: string, body?: object, more: Headers = {}): Promise<Reply> {
  const type = patches[verb as keyof typeof patches];
  const headers = bearer(`${user}-token`, { ...(type ? { 'content-type': type } : {}), ...more });
  return secureCall(server, verb === 'APPLY' ? 'PATCH' : verb, path, { headers, ...(body ? { body } : {}) });
}

type Attempt = readonly [
  what: string,
  verb: string,
  path: string,
  body: object | undefined,
  status: number,
  message: string,
  headers?: Headers,
];

/** One test for each attempt: it is answered so, and by these words. */
function attempts(user: string, all: readonly Attempt[]): void {
  test.each(all.map((one) => [one[0], one] as const))(
    '%s',
    async (_, [, verb, path, body, status, message, headers]) => {
      const answer = await send(user, verb, path, body, headers);
      const said: string = answer.body.message ?? '';
      expect([answer.status, said]).toEqual([status, expect.stringContaining(message)]);
    },
  );
}

const notHeld = 'is attempting to grant RBAC permissions not currently held';
const everything = [rule('*', '*', '*')];
const role = (name: string, rules: readonly object[] = everything) => ({ metadata: { name }, rules });
const applied = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Role', ...role(name) });

describe('the admin of a namespace does not get', () => {
  attempts('mallory', [
    ['a role of everything', 'POST', roles('team'), role('x'), 403, notHeld],
    ['one by a dry run', 'POST', `${roles('team')}?dryRun=All`, role('x'), 403, notHeld],
    ['one by a PUT', 'PUT', `${roles('team')}/x`, role('x'), 403, notHeld],
    ['one by an apply', 'APPLY', `${roles('team')}/x?fieldManager=f`, applied('x'), 403, notHeld],
    [
      'paths',
      'POST',
      roles('team'),
      { metadata: { name: 'x' }, rules: [{ verbs: ['get'], nonResourceURLs: ['*'] }] },
      403,
      notHeld,
    ],
    ['nodes/proxy', 'POST', roles('team'), role('x', [rule('get', '', 'nodes/proxy')]), 403, notHeld],
    ['the right to bind', 'POST', roles('team'), role('x', [rule('bind', group, 'roles')]), 403, notHeld],
    [
      'the right to act as any user',
      'POST',
      roles('team'),
      role('x', [rule('impersonate', '', 'users')]),
      403,
      notHeld,
    ],
    [
      'more by a binding to cluster-admin',
      'POST',
      bindings('team'),
      bindTo('x', 'cluster-admin', 'mallory'),
      403,
      notHeld,
    ],
    [
      'more by another role of its binding',
      'PATCH',
      `${bindings('team')}/mallory-admin`,
      { roleRef: { name: 'cluster-admin' } },
      403,
      notHeld,
    ],
    ['a binding elsewhere', 'POST', bindings('other'), bindTo('x', 'view', 'mallory'), 403, 'cannot create resource'],
    [
      'one by the namespace of the body',
      'POST',
      bindings('team'),
      { ...bindTo('x', 'view', 'mallory'), metadata: { name: 'x', namespace: 'other' } },
      400,
      'does not match the namespace sent',
    ],
    [
      'the cluster',
      'POST',
      `${rbac}/clusterrolebindings`,
      bindTo('x', 'view', 'mallory'),
      403,
      'cannot create resource',
    ],
    ['its namespace away', 'DELETE', core('team'), undefined, 403, 'cannot delete resource'],
    ['its labels changed', 'PATCH', core('team'), { metadata: { labels: { a: 'b' } } }, 403, 'cannot patch resource'],
    [
      'it emptied of finalizers',
      'PUT',
      `${core('team')}/finalize`,
      { metadata: { name: 'team' } },
      403,
      'cannot update resource',
    ],
    [
      'a larger quota',
      'POST',
      `${core('team')}/resourcequotas`,
      { metadata: { name: 'q' } },
      403,
      'cannot create resource',
    ],
    [
      'a pod onto a node',
      'POST',
      `${core('team')}/pods/p/binding`,
      { target: { name: 'n' } },
      403,
      'cannot create resource',
    ],
    ['the status of a pod', 'PATCH', `${core('team')}/pods/p/status`, {}, 403, 'cannot patch resource'],
    ['endpoints for a service', 'POST', `${core('team')}/endpoints`, {}, 403, 'cannot create resource'],
    [
      'tokens of another namespace',
      'POST',
      `${core('other')}/serviceaccounts/robot/token`,
      {},
      403,
      'cannot create resource',
    ],
    [
      'an account of another namespace',
      'GET',
      `${core('team')}/configmaps`,
      undefined,
      403,
      'cannot impersonate',
      { 'impersonate-user': 'system:serviceaccount:other:robot' },
    ],
    [
      'groups for its own account',
      'GET',
      `${core('team')}/configmaps`,
      undefined,
      403,
      'groups "system:masters" is forbidden',
      { 'impersonate-user': 'system:serviceaccount:team:robot', 'impersonate-group': 'system:masters' },
    ],
    [
      'answers about other namespaces',
      'POST',
      '/apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews',
      { spec: { user: 'x', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' } } },
      422,
      'must match metadata.namespace',
    ],
  ]);
});

describe('the right to create bindings', () => {
  attempts('binder', [
    ['binds no role that is not held', 'POST', bindings('team'), bindTo('x', 'view', 'binder'), 403, notHeld],
    ['nor without subjects', 'POST', bindings('team'), { ...bindTo('x', 'powerful', ''), subjects: [] }, 403, notHeld],
    [
      'nor under a name to be made up',
      'POST',
      bindings('team'),
      { ...bindTo('', 'powerful', 'binder'), metadata: { generateName: 'x' } },
      403,
      notHeld,
    ],
    [
      'tells no more of a missing role than that',
      'POST',
      bindings('team'),
      bindTo('x', 'none', 'binder'),
      404,
      `rolebindings.${group} "none" not found`,
    ],
    [
      'knows two kinds of roles',
      'POST',
      bindings('team'),
      bindTo('x', 'view', 'binder', 'Roles'),
      500,
      'unsupported role reference kind: "Roles"',
    ],
    [
      'does not replace',
      'PUT',
      `${bindings('team')}/binder`,
      bindTo('binder', 'binder', 'dave', 'Role'),
      403,
      'cannot update resource',
    ],
    ['binds what is held', 'POST', bindings('team'), bindTo('x', 'binder', 'dave', 'Role'), 201, ''],
  ]);
});

describe('the right to bind view', () => {
  const cluster = `${rbac}/clusterrolebindings`;
  attempts('binder-of-view', [
    ['binds it', 'POST', cluster, bindTo('v', 'view', 'binder-of-view'), 201, ''],
    ['binds no other', 'POST', cluster, bindTo('w', 'edit', 'binder-of-view'), 403, notHeld],
    [
      'nor a role of a namespace with that name',
      'POST',
      bindings('team'),
      bindTo('w', 'view', 'x', 'Role'),
      403,
      notHeld,
    ],
    [
      'nor one of no namespace',
      'POST',
      cluster,
      bindTo('w', 'view', 'x', 'Role'),
      400,
      'Namespace parameter required.',
    ],
    ['nor another by a change', 'PUT', `${cluster}/v`, bindTo('v', 'cluster-admin', 'x'), 403, notHeld],
    [
      'adds no subjects to others',
      'PATCH',
      `${cluster}/cluster-admin`,
      { subjects: [{ kind: 'User', name: 'x', apiGroup: group }] },
      403,
      notHeld,
    ],
    ['nor labels', 'PATCH', `${cluster}/cluster-admin`, { metadata: { labels: { a: 'b' } } }, 403, notHeld],
  ]);
});

describe('the right to escalate one role', () => {
  const cluster = `${rbac}/clusterroles`;
  attempts('escalator-of-mine', [
    ['is none to create it: a create names no object', 'POST', cluster, role('mine'), 403, notHeld],
    [
      'nor to create one that gets its name later',
      'POST',
      cluster,
      { ...role(''), metadata: { generateName: 'mine' } },
      403,
      notHeld,
    ],
    ['nor to create another', 'POST', cluster, role('other'), 403, notHeld],
    ['lets it be made by its URL', 'PUT', `${roles('team')}/mine`, role('mine'), 201, ''],
    ['lets it be applied', 'APPLY', `${roles('other')}/mine?fieldManager=f`, applied('mine'), 201, ''],
    ['changes no other', 'PATCH', `${cluster}/view`, { rules: everything }, 403, notHeld],
    [
      'nor gathers others',
      'POST',
      cluster,
      { metadata: { name: 'all' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: {} }] } },
      403,
      'must have cluster-admin privileges to use the aggregationRule',
    ],
    [
      'nor has others gather a role',
      'PATCH',
      `${cluster}/powerful`,
      { metadata: { labels: { [`${group}/aggregate-to-view`]: 'true' } } },
      403,
      notHeld,
    ],
    [
      'nor has one gathered that is new',
      'POST',
      cluster,
      { ...role('part'), metadata: { name: 'part', labels: { [`${group}/aggregate-to-admin`]: 'true' } } },
      403,
      notHeld,
    ],
  ]);
});

describe('the right to act as one user', () => {
  const secret = `${core('team')}/secrets/gold`;
  const as = (headers: Headers) =>
    Object.fromEntries(Object.entries(headers).map(([key, value]) => [`impersonate-${key}`, value]));
  const no = (what: string, headers: Headers, message: string): Attempt => [
    what,
    'GET',
    secret,
    undefined,
    403,
    message,
    as(headers),
  ];
  attempts('actor-as-dave', [
    no('acts as that one', { user: 'dave' }, 'User "dave" cannot get resource'),
    no('of two the first counts', { user: ['dave', 'admin'] }, 'User "dave" cannot get resource'),
    no('and needs the right', { user: ['admin', 'dave'] }, 'users "admin" is forbidden'),
    no('a list is a name', { user: 'dave,admin' }, 'users "dave,admin" is forbidden'),
    no('nothing is decoded', { user: 'd%61ve' }, 'users "d%61ve" is forbidden'),
    no('nor is case ignored', { user: 'Dave' }, 'users "Dave" is forbidden'),
    no('no groups', { user: 'dave', group: 'system:masters' }, 'groups "system:masters" is forbidden'),
    no('no uid', { user: 'dave', uid: 'x' }, 'uids.authentication.k8s.io "x" is forbidden'),
    no('no extra', { user: 'dave', 'extra-a': 'b' }, 'userextras.authentication.k8s.io "b" is forbidden'),
    no('no extra with an odd name', { user: 'dave', 'extra-%00': 'b' }, String.raw`"userextras/\x00"`),
    no('no account', { user: 'system:serviceaccount:team:robot' }, 'serviceaccounts "robot" is forbidden'),
    no('no node', { user: 'system:node:n', group: 'system:nodes' }, 'is forbidden'),
  ]);
});

describe('the right to tokens of one account', () => {
  const token = (of: string) => `${core('team')}/serviceaccounts/${of}/token`;
  attempts('tokens-of-robot', [
    ['gives no others', 'POST', token('default'), { spec: {} }, 403, 'cannot create resource "serviceaccounts/token"'],
    [
      'nor by the name in the body',
      'POST',
      token('robot'),
      { metadata: { name: 'default' }, spec: {} },
      422,
      'metadata.name: Invalid value: "default": must match the service account name',
    ],
    [
      'nor by its namespace',
      'POST',
      token('robot'),
      { metadata: { namespace: 'other' }, spec: {} },
      400,
      'does not match the namespace sent',
    ],
    [
      'nor of an account that was called so',
      'POST',
      token('robot'),
      { metadata: { uid: 'earlier' }, spec: {} },
      409,
      'the UID in the token request (earlier) does not match the UID of the service account (',
    ],
    [
      'nor for a pod of another account',
      'POST',
      token('robot'),
      { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } } },
      400,
      'different serviceaccount name',
    ],
    [
      'nor for other kinds',
      'POST',
      token('robot'),
      { spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } } },
      400,
      'cannot bind token to object of type',
    ],
    ['nor reads accounts', 'GET', `${core('team')}/serviceaccounts/robot`, undefined, 403, 'cannot get resource'],
  ]);

  test('gives those, by the uid of the account too', async () => {
    const metadata = { name: 'robot', namespace: 'team', uid: uids.get('team/robot') };
    expect((await send('tokens-of-robot', 'POST', token('robot'), { metadata, spec: {} })).status).toBe(201);
  });
});

describe('certificates', () => {
  const client = 'kubernetes.io/kube-apiserver-client';
  const x: RequestParts = { commonName: 'x' };
  const masters: RequestParts = { ...x, organizations: ['system:masters'] };
  const request = (name: string, signerName: string, subject: RequestParts, more: object = {}) => ({
    metadata: { name },
    spec: { request: encodedRequest(subject), signerName, usages: ['client auth'], ...more },
  });
  const approved = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] } };
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  const certificate = Buffer.from(createAuthority('x', Date.now()).certificate).toString('base64');

  test('a request is of the user that sent it, and begins with no verdict', async () => {
    const forged = { username: 'admin', groups: ['system:masters'], uid: 'x' };
    const sent = { ...request('forged', client, x, forged), ...approved };
    const { status, body } = await send('requester', 'POST', csrs, sent);
    expect([status, body.spec.username, body.spec.groups, body.spec.uid, body.status]).toEqual([
      201,
      'requester',
      ['system:authenticated'],
      'requester-uid',
      {},
    ]);
  });

  describe('who may ask', () => {
    attempts('requester', [
      [
        'gets none of administrators',
        'POST',
        csrs,
        request('m', client, masters),
        403,
        'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
      ],
      ['approves none', 'PATCH', `${csrs}/forged/approval`, approved, 403, 'cannot patch resource'],
      ['changes none', 'PATCH', `${csrs}/forged`, { spec: {} }, 403, 'cannot patch resource'],
    ]);
  });

  describe('who may approve for one signer', () => {
    attempts('approver-of-x', [
      [
        'approves for no other',
        'PATCH',
        `${csrs}/forged/approval`,
        approved,
        403,
        'user not permitted to approve requests with signerName',
        strategic,
      ],
      [
        'nor by giving it another signer',
        'PATCH',
        `${csrs}/forged/approval`,
        { ...approved, spec: { signerName: 'example.com/x' } },
        403,
        'user not permitted to approve requests with signerName',
        strategic,
      ],
      [
        'nor changes a label there',
        'PATCH',
        `${csrs}/forged/approval`,
        { metadata: { labels: { a: 'b' } } },
        403,
        'user not permitted to approve requests with signerName',
        strategic,
      ],
      [
        'nor signs for another',
        'PATCH',
        `${csrs}/forged/status`,
        { status: { certificate } },
        403,
        'user not permitted to sign requests with signerName',
        strategic,
      ],
    ]);

    test('changes neither the request nor the certificate on the way', async () => {
      const asked = request('x', 'example.com/x', x);
      await must(admin.post(csrs, asked));
      const other = { ...approved, spec: { request: encodedRequest(masters) } };
      await send('approver-of-x', 'PATCH', `${csrs}/x/approval`, other, strategic);
      await send('approver-of-x', 'PATCH', `${csrs}/x/approval`, { status: { certificate } }, strategic);
      const { spec, status } = (await admin.get(`${csrs}/x`)).body;
      expect([spec.request, status.certificate]).toEqual([asked.spec.request, undefined]);
    });
  });
});

describe('a subresource', () => {
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  const owners = [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y' }];
  const meta = { labels: { a: 'b' }, annotations: { a: 'b' }, finalizers: ['a.b/c'], ownerReferences: owners };
  const readPod = async () => (await admin.get(`${core('team')}/pods/p`)).body;

  test.each(['ephemeralcontainers', 'resize'])('%s changes nothing else of a pod', async (part) => {
    const path = `${core('team')}/pods/p/${part}`;
    const before = await readPod();
    for (const change of [
      { metadata: meta },
      { spec: { serviceAccountName: 'robot', nodeName: 'n', hostNetwork: true } },
      { status: { phase: 'Failed' } },
    ])
      expect((await send('debugger', 'PATCH', path, change, strategic)).status).toBe(200);
    const after = await readPod();
    expect({ ...after, metadata: {} }).toEqual({ ...before, metadata: {} });
    for (const field of Object.keys(meta)) expect(after.metadata[field]).toEqual(before.metadata[field]);
  });

  test.each(['ephemeralcontainers', 'resize'])('%s of a pod is not that of an earlier one', async (part) => {
    const path = `${core('team')}/pods/p/${part}`;
    for (const verb of ['PATCH', 'PUT']) {
      const { metadata, ...rest } = await readPod();
      const body = { ...rest, metadata: { ...metadata, uid: 'earlier', resourceVersion: undefined } };
      const { status, body: answer } = await send('debugger', verb, path, body);
      expect([status, answer.message]).toEqual([verb === 'PUT' ? 409 : 422, expect.stringMatching(/uid|UID/)]);
    }
  });

  test('status changes nothing but the status', async () => {
    const before = (await admin.get(`${deployments}/d`)).body;
    const change = {
      metadata: { finalizers: ['a.b/c'] },
      spec: { replicas: 9, template: { spec: { containers: [{ name: 'c', image: 'evil' }] } } },
      status: { replicas: 3 },
    };
    expect((await send('reporter', 'PATCH', `${deployments}/d/status`, change, strategic)).status).toBe(200);
    const after = (await admin.get(`${deployments}/d`)).body;
    expect([after.spec, after.status.replicas]).toEqual([before.spec, 3]);
  });

  const scale = (metadata: object, replicas = 3) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata,
    spec: { replicas },
  });
  describe('named status', () => {
    attempts('reporter', [
      ['is not the object', 'PATCH', `${core('team')}/pods/p`, {}, 403, 'cannot patch resource "pods"'],
      ['creates none by a PUT', 'PUT', `${core('team')}/pods/new/status`, pod('new'), 404, 'not found'],
      [
        'creates none by an apply',
        'APPLY',
        `${core('team')}/pods/new/status?fieldManager=f`,
        { apiVersion: 'v1', kind: 'Pod', ...pod('new') },
        404,
        'not found',
      ],
      [
        'cannot be of another object',
        'PATCH',
        `${deployments}/d/status`,
        { metadata: { name: 'e' } },
        400,
        'does not match the name on the URL',
      ],
    ]);
  });
  describe('named scale', () => {
    attempts('scaler', [
      [
        'is of the namespace in the URL',
        'PUT',
        `${deployments}/d/scale`,
        scale({ name: 'd', namespace: 'other' }),
        400,
        'does not match the namespace sent',
      ],
      [
        'by a patch too',
        'PATCH',
        `${deployments}/d/scale`,
        { metadata: { namespace: 'other' } },
        400,
        'does not match the namespace sent',
      ],
      [
        'by an apply too',
        'APPLY',
        `${deployments}/d/scale?fieldManager=f&force=true`,
        scale({ name: 'd', namespace: 'other' }),
        400,
        'does not match the namespace sent',
      ],
      [
        'and of the name',
        'PUT',
        `${deployments}/d/scale`,
        scale({ name: 'e' }),
        400,
        'does not match the name on the URL',
      ],
      [
        'and of that object',
        'PATCH',
        `${deployments}/d/scale`,
        { metadata: { uid: 'earlier' } },
        409,
        'Precondition failed: UID',
      ],
      ['creates none', 'PUT', `${deployments}/new/scale`, scale({ name: 'new' }), 404, 'not found'],
      [
        'is not the object',
        'PATCH',
        `${deployments}/d`,
        { spec: { replicas: 2 } },
        403,
        'cannot patch resource "deployments"',
      ],
    ]);
  });
});

describe('the right to definitions', () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const definition = (inGroup: string, plural: string, kind: string) => ({
    metadata: { name: `${plural}.${inGroup}` },
    spec: {
      group: inGroup,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  attempts('definer', [
    [
      'takes no built-in group',
      'POST',
      definitions,
      definition(group, 'roles', 'Role'),
      422,
      'protected groups must have approval annotation',
    ],
    [
      'nor one without a domain',
      'POST',
      definitions,
      definition('apps', 'things', 'Thing'),
      422,
      'should be a domain with at least one dot',
    ],
    ['makes a kind of any name', 'POST', definitions, definition('s.example.com', 'secrets', 'Secret'), 201, ''],
    [
      'but has no right to it',
      'GET',
      '/apis/s.example.com/v1/namespaces/team/secrets',
      undefined,
      403,
      'cannot list resource',
    ],
    ['nor to what is called so already', 'GET', `${core('team')}/secrets/gold`, undefined, 403, 'cannot get resource'],
    [
      'nor to accept its names itself',
      'PATCH',
      `${definitions}/secrets.s.example.com/status`,
      {},
      403,
      'cannot patch resource',
    ],
  ]);
});

describe('the right to webhooks and policies', () => {
  const registration = '/apis/admissionregistration.k8s.io/v1';
  const resourceRules = [
    { apiGroups: ['x.example.com'], apiVersions: ['v1'], resources: ['y'], operations: ['CREATE'] },
  ];
  const policy = {
    metadata: { name: 'reads' },
    spec: { paramKind: { apiVersion: 'v1', kind: 'Secret' }, matchConstraints: { resourceRules } },
  };
  attempts('hooker', [
    [
      'reads no parameters',
      'POST',
      `${registration}/validatingadmissionpolicies`,
      { ...policy, spec: { ...policy.spec, validations: [{ expression: 'true' }] } },
      422,
      'must have "get" permission on all objects of the referenced paramKind',
    ],
  ]);

  test('a policy that widens a role does not widen the rights of its author', async () => {
    const matchConstraints = {
      resourceRules: [
        { apiGroups: [group], apiVersions: ['v1'], resources: ['roles'], operations: ['CREATE', 'UPDATE'] },
      ],
    };
    const expression = '[JSONPatch{op: "replace", path: "/rules/0/resources/0", value: "secrets"}]';
    const spec = {
      ...{ matchConstraints, failurePolicy: 'Fail', reinvocationPolicy: 'Never' },
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    };
    const policies = `${registration}/mutatingadmissionpolicies`;
    const bound = `${registration}/mutatingadmissionpolicybindings`;
    expect((await send('hooker', 'POST', policies, { metadata: { name: 'widen' }, spec })).status).toBe(201);
    expect(
      (await send('hooker', 'POST', bound, { metadata: { name: 'widen' }, spec: { policyName: 'widen' } })).status,
    ).toBe(201);
    const own = [rule('get', '', 'configmaps')];
    await eventually(async () => {
      const { status, body } = await send('role-writer', 'POST', `${roles('team')}?dryRun=All`, role('own', own));
      expect([status, body.message]).toEqual([403, expect.stringContaining('Resources:["secrets"]')]);
    });
    expect((await send('role-writer', 'PUT', `${roles('team')}/own`, role('own', own))).status).toBe(403);
    await admin.delete(`${bound}/widen`);
    await eventually(async () =>
      expect((await send('role-writer', 'POST', `${roles('team')}?dryRun=All`, role('own', own))).status).toBe(201),
    );
  });
});

describe('the right to proxies', () => {
  const node = (name: string) => `/api/v1/nodes/${name}/proxy/`;
  const service = (name: string) => `${core('team')}/services/${name}/proxy/`;
  attempts('proxier', [
    ['is of the name as it is written', 'GET', node('https:n1:1'), undefined, 403, 'nodes "https:n1:1" is forbidden'],
    ['with a port too', 'GET', node('n1:6443'), undefined, 403, 'nodes "n1:6443" is forbidden'],
    ['and of no other', 'GET', node('n2'), undefined, 403, 'nodes "n2" is forbidden'],
    ['of services too', 'GET', service('https:svc:443'), undefined, 403, 'services "https:svc:443" is forbidden'],
    ['by no other method', 'POST', node('n1'), {}, 403, 'cannot create resource "nodes/proxy"'],
  ]);
});

describe('the right to registrations', () => {
  const services = '/apis/apiregistration.k8s.io/v1/apiservices';
  const service = { namespace: 'default', name: 'kubernetes', port: 443 };
  const registration = (name: string) => ({
    metadata: { name },
    spec: {
      group: 'z.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service,
      insecureSkipTLSVerify: true,
    },
  });
  attempts('registrar', [
    [
      'registers under the name of the group only',
      'POST',
      services,
      registration('v1.y.example.com'),
      422,
      'must be `spec.version+"."+spec.group`',
    ],
    ['registers', 'POST', services, registration('v1.z.example.com'), 201, ''],
    [
      'but has no rights there',
      'GET',
      '/apis/z.example.com/v1/secrets',
      undefined,
      403,
      'cannot list resource "secrets"',
    ],
  ]);

  test('changes no registration by way of its status', async () => {
    expect((await send('registrar', 'PATCH', `${services}/v1.apps/status`, { spec: { service } })).status).toBe(200);
    expect((await admin.get(`${services}/v1.apps`)).body.spec.service).toBeUndefined();
  });
});
