// What a namespace's admin sends to the escalation check, over the port: other clients do not wait for it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectLess, unhinderedMs } from '../../src/testing/processor-time.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { bearer, type Reply, secureCall } from './secure-call.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;
const local = `${rbac}/namespaces/default`;

let folder: TempFolder;
let server: Server;
let admin: Api;
beforeAll(async () => {
  folder = new TempFolder();
  writeFileSync(join(folder.path, 'tokens'), 'mallory-token,mallory,1\n');
  server = await startTestServer({ tokenAuthFile: join(folder.path, 'tokens'), controllers: [] });
  admin = apiOf(server);
  await bindTo('mallory', 'admin');
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

async function bindTo(name: string, role: string, kind = 'ClusterRole', binding = `${name}-${role}`): Promise<void> {
  const roleRef = { apiGroup: group, kind, name: role };
  const subjects = [{ kind: 'User', name }];
  const made = await admin.post(`${local}/rolebindings`, { metadata: { name: binding }, roleRef, subjects });
  expect(made.status).toBe(201);
}

const send = (method: string, path: string, body: object) =>
  secureCall(server, method, path, { headers: bearer('mallory-token'), body });

/** Sends a request while another client asks all the time, which must never wait for long. */
async function besideLivez(...request: Parameters<typeof send>): Promise<Reply> {
  let reply: Reply | undefined;
  await expectLess(150, async () => {
    let longest = 0;
    let isOver = false;
    const running = send(...request).finally(() => {
      isOver = true;
    });
    do {
      const begun = unhinderedMs();
      expect((await server.fetch('/livez')).status).toBe(200);
      longest = Math.max(longest, unhinderedMs() - begun);
      await new Promise((resolve) => setTimeout(resolve, 1));
    } while (!isOver);
    reply = await running;
    return longest;
  });
  return reply as Reply;
}

const words = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const cube = (n: number) => ({
  verbs: words('v', n),
  apiGroups: words('g', n),
  resources: words('r', n),
  resourceNames: words('n', n),
});
const one = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };

describe('a role that its author does not hold', () => {
  test.each<[string, object[]]>([
    ['30 of each', [cube(30)]],
    ['45 of each', [cube(45)]],
    ['300 rules of 45 of each', Array.from({ length: 300 }, () => cube(45))],
    [
      '2,000 rules of one name, then one that is not held',
      [...words('n', 2000).map((n) => ({ ...one, resourceNames: [n] })), cube(2)],
    ],
  ])('is refused while others are served: %s', async (title, rules) => {
    const body = { metadata: { name: 'r' }, rules };
    const reply = await besideLivez('POST', `${local}/roles`, body);
    expect([title, reply.status]).toEqual([title, 403]);
    expect(reply.body.message).toContain('is attempting to grant RBAC permissions not currently held:\n');
    expect(reply.body.message.split('\n').length).toBeLessThan(103);
  });

  test('is refused as fast where it exists and is bound', async () => {
    expect((await admin.post(`${local}/roles`, { metadata: { name: 'cube' }, rules: [cube(45)] })).status).toBe(201);
    const roleRef = { apiGroup: group, kind: 'Role', name: 'cube' };
    const body = { metadata: { name: 'b' }, roleRef, subjects: [{ kind: 'User', name: 'mallory' }] };
    const reply = await besideLivez('POST', `${local}/rolebindings`, body);
    expect([reply.status, reply.body.message.split('\n').length]).toEqual([403, 102]);
  });

  test('may name an object "*" without naming all of them', async () => {
    const names = (name: string) => [{ ...one, verbs: ['deal'], resourceNames: [name] }];
    await admin.post(`${local}/roles`, { metadata: { name: 'star' }, rules: names('*') });
    await bindTo('mallory', 'star', 'Role');
    const grant = (name: string) =>
      send('POST', `${local}/roles`, { metadata: { name: 'granted' }, rules: names(name) });
    const refused = await grant('root');
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('{APIGroups:[""], Resources:["secrets"], ResourceNames:["root"], Verbs:["deal"]}'),
    ]);
    expect((await grant('*')).status).toBe(201);
  });
});

test('the comparison of rules that overlap in too many ways ends in a refusal', async () => {
  let seed = 1;
  const half = (list: string[]) =>
    list.filter(() => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed >>> 31 === 1;
    });
  const { verbs, apiGroups, resources, resourceNames } = cube(40);
  const rules = Array.from({ length: 400 }, () => ({
    verbs: half(verbs),
    apiGroups: half(apiGroups),
    resources: half(resources),
    resourceNames: half(resourceNames),
  }));
  expect((await admin.post(`${local}/roles`, { metadata: { name: 'halves' }, rules })).status).toBe(201);
  await bindTo('mallory', 'halves', 'Role');
  const body = { metadata: { name: 'whole' }, rules: [cube(40)] };
  const reply = await besideLivez('POST', `${local}/roles`, body);
  expect([reply.status, reply.body.message]).toEqual([
    403,
    expect.stringContaining('permissions that take too long to compare with those currently held'),
  ]);
});

test('a rules review lists a role once, however often it is bound', async () => {
  for (let i = 0; i < 20; i++) await bindTo('reader', 'view', 'ClusterRole', `reader-${i}`);
  const fetch: Server['fetch'] = (input, init) =>
    server.fetch(input, { ...init, user: { name: 'reader', groups: ['system:authenticated'] } });
  const review = await apiOf({ fetch }).post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    spec: { namespace: 'default' },
  });
  const listed = review.body.status.resourceRules.map((rule: object) => JSON.stringify(rule));
  expect(listed.length).toBe(new Set(listed).size);
});
