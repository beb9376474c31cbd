// Questions about rights: who may do something, why a user may not, all rules of a user, and who may ask.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccessAnswer, HolderAnswer, RuleAnswer } from '../../src/insight/access-answers.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { secureCall } from './secure-call.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-can-'));
const dataDir = join(folder, 'data');
const authenticated = ['system:authenticated'];
let server: TestServer;

const rbac = 'apiVersion: rbac.authorization.k8s.io/v1';
const manifests = [
  'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}',
  'apiVersion: v1\nkind: Namespace\nmetadata: {name: bank}',
  `${rbac}\nkind: Role\nmetadata: {name: reader, namespace: shop}\nrules: [{apiGroups: [''], resources: [pods, pods/log], verbs: [get, list]}]`,
  `${rbac}\nkind: RoleBinding\nmetadata: {name: readers, namespace: shop}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}, {kind: ServiceAccount, name: builder, namespace: bank}]`,
  `${rbac}\nkind: ClusterRole\nmetadata: {name: asker}\nrules: [{apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}]`,
  `${rbac}\nkind: ClusterRoleBinding\nmetadata: {name: askers}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: asker}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: asker}]`,
];

beforeAll(async () => {
  const authorizationModes = ['Node', 'RBAC'] as const;
  server = await startTestServer({ store: 'embedded', dataDir, listen: true, authorizationModes, enableUi: true });
  for (const manifest of manifests) await server.apply(manifest);
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const page = (name: string, query: string, user?: string) =>
  server.fetch(
    `/debug/keelson/access/${name}?${query}`,
    user === undefined ? {} : { user: { name: user, groups: authenticated } },
  );

async function ask<T>(name: string, query: string, user?: string): Promise<T> {
  const answer = await page(name, query, user);
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

test('why: names the authorizer, the binding, the role and the rule that allow a request', async () => {
  const answer = await ask<AccessAnswer>('why', 'user=jane&verb=list&resource=po&namespace=shop');
  expect(answer).toMatchObject({
    question: { verb: 'list', group: '', resource: 'pods', namespace: 'shop' },
    allowed: true,
    user: { name: 'jane', groups: authenticated },
    grant: { namespace: 'shop', binding: 'readers', role: { kind: 'Role', name: 'reader' } },
  });
  expect(answer.authorizer).toContain('RBAC');
  expect(answer.reason).toContain('RoleBinding "readers/shop"');
  expect(answer.grant?.rule.verbs).toEqual(['get', 'list']);
});

test('why not: shows rules that lack one part, namespaces where it is allowed, and roles to bind', async () => {
  const { allowed, missing } = await ask<AccessAnswer>('why', 'user=jane&verb=delete&resource=pods&namespace=shop');
  expect(allowed).toBe(false);
  expect(missing?.near).toMatchObject([{ binding: 'readers', lacks: 'verb' }]);
  expect(missing?.roles).toContainEqual({ kind: 'ClusterRole', name: 'cluster-admin' });
  expect(missing?.roles).not.toContainEqual({ kind: 'ClusterRole', name: 'view' });
  const elsewhere = await ask<AccessAnswer>('why', 'user=jane&verb=get&resource=pods&namespace=bank');
  expect(elsewhere.missing?.elsewhere).toMatchObject([{ namespace: 'shop', binding: 'readers' }]);
});

test('why: a service account has the groups that signing in gives it', async () => {
  const user = 'system:serviceaccount:bank:builder';
  const answer = await ask<AccessAnswer>('why', `user=${user}&verb=get&resource=pods&subresource=log&namespace=shop`);
  expect(answer.allowed).toBe(true);
  expect(answer.user.groups).toEqual(['system:serviceaccounts', 'system:serviceaccounts:bank', ...authenticated]);
});

test('who: lists the subjects of all bindings that allow it, also those of single namespaces', async () => {
  const { holders, always, unlisted } = await ask<HolderAnswer>('who', 'verb=get&resource=pods');
  const names = holders.map(({ subject, namespace }) => `${subject.kind} ${subject.name} ${namespace}`);
  expect(names).toContain('User jane shop');
  expect(names).toContain('ServiceAccount builder shop');
  expect(names).toContain('Group system:masters ');
  expect(always).toEqual(['system:masters']);
  expect(unlisted).toEqual(['node']);
  const elsewhere = await ask<HolderAnswer>('who', 'verb=get&resource=pods&namespace=bank');
  expect(elsewhere.holders.map(({ subject }) => subject.name)).not.toContain('jane');
});

test('who: paths and subresources have rights of their own', async () => {
  const paths = await ask<HolderAnswer>('who', 'verb=get&path=/metrics');
  expect(paths.holders.map(({ binding }) => binding)).toContain('system:monitoring');
  const log = await ask<HolderAnswer>('who', 'verb=get&resource=pods&subresource=exec&namespace=shop');
  expect(log.holders.map(({ subject }) => subject.name)).not.toContain('jane');
});

test('rules: all of a user, each with its binding and role', async () => {
  const { rules, incomplete } = await ask<RuleAnswer>('rules', 'user=jane&namespace=shop');
  expect(rules).toContainEqual({
    namespace: 'shop',
    binding: 'readers',
    role: { kind: 'Role', name: 'reader' },
    rule: { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
  });
  expect(rules.map(({ binding }) => binding)).toContain('system:basic-user');
  expect(incomplete).toBe(false);
});

test('a user without rights may ask about itself, and does not see roles', async () => {
  const own = await ask<AccessAnswer>('why', 'verb=get&resource=pods&namespace=shop', 'jane');
  expect(own).toMatchObject({ allowed: true, showsRoles: false });
  expect(own.grant).toBeUndefined();
  const refused = await ask<AccessAnswer>('why', 'verb=get&resource=secrets&namespace=shop', 'jane');
  expect([refused.allowed, refused.missing]).toEqual([false, undefined]);
  const { rules } = await ask<RuleAnswer>('rules', 'namespace=shop', 'jane');
  expect(rules.every(({ binding }) => binding === undefined)).toBe(true);
});

test.each([
  ['why', 'user=admin&verb=get&resource=pods', 'jane', 'subjectaccessreviews'],
  ['why', 'group=system:masters&verb=get&resource=pods', 'jane', 'subjectaccessreviews'],
  ['rules', 'user=admin', 'jane', 'subjectaccessreviews'],
  ['who', 'verb=get&resource=pods', 'jane', 'subjectaccessreviews'],
  // who may ask about others does not see bindings by that
  ['who', 'verb=get&resource=pods', 'asker', 'clusterroles'],
])('%s?%s is refused to %s, who lacks a right to %s', async (name, query, user, resource) => {
  const answer = await page(name, query, user);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain(resource);
});

test('anonymous users may not even ask about themselves', async () => {
  const user = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  for (const name of ['why', 'who', 'rules'])
    expect((await server.fetch(`/debug/keelson/access/${name}?verb=get&resource=pods`, { user })).status).toBe(403);
});

test.each([
  ['without a resource', 'verb=get'],
  ['without a verb', 'resource=pods'],
  ['about a resource and a path', 'verb=get&resource=pods&path=/x'],
  ['about a name that is too long', `verb=get&resource=${'x'.repeat(600)}`],
  ['about too many groups', `verb=get&resource=pods&user=a${'&group=g'.repeat(60)}`],
  ['about a user without a name', 'verb=get&resource=pods&user='],
])('a question %s is refused', async (_, query) => {
  const answer = await page('why', query);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ kind: 'Status', code: 400 });
});

test('pages are only read', async () => {
  const answer = await server.fetch('/debug/keelson/access/why?verb=get&resource=pods', { method: 'POST' });
  expect(answer.status).toBe(405);
});

test('who: a thousand bindings are answered in part, and a rule of thousands of names is shortened', async () => {
  const resourceNames = Array.from({ length: 5000 }, (_, index) => `object-${index}`);
  await server.apply({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'long' } },
    rules: [{ apiGroups: ['many.example'], resources: ['things'], verbs: ['get'], resourceNames }],
  });
  const subjects = Array.from({ length: 1000 }, (_, index) => ({
    ...{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `user-${index}` },
  }));
  await server.apply({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'long' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'long' },
    subjects,
  });
  const answer = await page('who', 'verb=get&resource=things&apiGroup=many.example&name=object-4000');
  const text = await answer.text();
  const { holders, isCut } = JSON.parse(text) as HolderAnswer;
  expect([holders.length, isCut]).toEqual([500, true]);
  expect(text.length).toBeLessThan(600_000);
});

interface Exit {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function keelson(...args: readonly string[]): Promise<Exit> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args, '--data-dir', dataDir], { cwd: folder }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

test('keelson can: the exit code is the answer, and the text has its reason', async () => {
  const yes = await keelson('can', 'get', 'po/web-1', '--as', 'jane', '-n', 'shop');
  expect([yes.code, yes.errors]).toEqual([0, '']);
  expect(yes.output).toContain('yes: jane may get pods web-1 in namespace shop');
  expect(yes.output).toContain('RoleBinding "readers/shop"');
  const no = await keelson('can', 'delete', 'pods', '--as', 'jane', '-n', 'shop');
  expect(no.code).toBe(1);
  expect(no.output).toContain('almost: RoleBinding shop/readers of Role reader has another verb');
  const who = await keelson('can', 'list', 'pods', '-n', 'shop', '--who');
  expect(who.output).toMatch(/User jane +shop +readers +Role reader/);
  const all = await keelson('can', '--list', '--as', 'jane', '-n', 'shop', '--json');
  expect((JSON.parse(all.output) as RuleAnswer).user.name).toBe('jane');
  const bad = await keelson('can', 'get');
  expect([bad.code, bad.errors]).toEqual([2, 'keelson: a verb and a resource are expected, such as: can get pods\n']);
});

test('keelson console: prints a link that signs in once', async () => {
  const { code, output, errors } = await keelson('console');
  expect([code, errors]).toEqual([0, '']);
  const [, link] = /^https:\/\/127\.0\.0\.1:\d+\/ui\/#link=([\w-]+)\n$/.exec(output) ?? [];
  const signIn = () => secureCall(server, 'POST', '/ui/session', { body: { link } });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([201, 403]);
});

test('links to sign in are made for administrators only', async () => {
  await server.apply(
    `${rbac}\nkind: ClusterRoleBinding\nmetadata: {name: all}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: powerful}]`,
  );
  const links = (init: object) => server.fetch('/debug/keelson/sign-in-links', { method: 'POST', ...init });
  const powerful = { name: 'powerful', groups: authenticated };
  expect((await links({ user: powerful })).status).toBe(403);
  const asMaster = { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' };
  expect((await links({ user: powerful, headers: asMaster })).status).toBe(403);
  expect((await links({ user: { name: 'jane', groups: authenticated } })).status).toBe(403);
  expect((await links({ method: 'GET' })).status).toBe(405);
});
