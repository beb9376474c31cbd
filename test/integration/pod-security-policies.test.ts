// Pod security policies through the API, for users and accounts with different rights.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/server/server.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { dialects } from './dialects.ts';

const any = { rule: 'RunAsAny' };
const open = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any, volumes: ['*'] };
const policies = '/apis/policy/v1beta1/podsecuritypolicies';
const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe.each(dialects)('in the %s dialect, with the API turned on', (dialect, { apiDomain, labelDomain }) => {
  let server: Server;
  let admin: Api;
  let alice: Api;
  beforeAll(async () => {
    server = await startTestServer({
      dialect,
      listen: false,
      enableAdmissionPlugins: ['PodSecurityPolicy'],
      runtimeConfig: { 'policy/v1beta1': true },
      authorizationModes: ['RBAC'],
    });
    admin = apiOf(server);
    const user = { name: 'alice', groups: ['system:authenticated'] };
    alice = apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user }) });
    const group = `rbac.authorization.${apiDomain}`;
    const rbac = `/apis/${group}/v1`;
    const use = (resourceNames: string[]) => ({
      ...{ apiGroups: ['policy'], resources: ['podsecuritypolicies'], resourceNames, verbs: ['use'] },
    });
    const rules = [use(['strict']), { apiGroups: [''], resources: ['pods'], verbs: ['*'] }];
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: 'author' }, rules });
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: 'mighty' }, rules: [use(['mighty'])] });
    const bind = (name: string, ...subjects: object[]) => {
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
      return admin.post(`${rbac}/namespaces/default/rolebindings`, { metadata: { name }, roleRef, subjects });
    };
    await bind('author', { apiGroup: group, kind: 'User', name: 'alice' });
    await bind('mighty', { kind: 'ServiceAccount', namespace: 'default', name: 'robot' });
    await admin.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  });
  afterAll(() => server.close());

  test('no pod is created before there is a policy', async () => {
    const { status, body } = await alice.post(pods, pod('early'));
    expect([status, body.message]).toEqual([
      403,
      'pods "early" is forbidden: PodSecurityPolicy: no providers available to validate pod request',
    ]);
  });

  test('a policy whose list of runtime classes is left out or null allows none of them', async () => {
    const lists = [{}, { allowedRuntimeClassNames: null }, { allowedRuntimeClassNames: [] }];
    const made = await Promise.all(
      lists.map((runtimeClass, index) =>
        admin.post(policies, { metadata: { name: `classless-${index}` }, spec: { ...open, runtimeClass } }),
      ),
    );
    const incomplete = apiDomain === 'k8s.io' ? 201 : 400;
    expect(made.map(({ status }) => status)).toEqual([incomplete, 201, 201]);
    const pod = { metadata: { name: 'classed' }, spec: { runtimeClassName: 'x', containers: [] } };
    const { status, body } = await admin.post(pods, pod);
    expect([status, body.message]).toEqual([403, expect.stringContaining('spec.runtimeClassName: Invalid value: "x"')]);
    for (const index of lists.keys()) await admin.delete(`${policies}/classless-${index}`);
  });

  test('pods get what their policy fills in, and those of mighty accounts may do more', async () => {
    const strict = await admin.post(policies, {
      metadata: { name: 'strict' },
      spec: { ...open, runAsUser: { rule: 'MustRunAsNonRoot' } },
    });
    expect([strict.status, strict.body.spec.allowPrivilegeEscalation]).toEqual([201, true]);
    expect(strict.headers.get('warning')).toContain('policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+');
    await admin.post(policies, { metadata: { name: 'mighty' }, spec: { ...open, hostNetwork: true } });

    const made = await alice.post(pods, pod('plain'));
    expect([made.status, made.body.metadata.annotations[`${labelDomain}/psp`]]).toEqual([201, 'strict']);
    expect(made.body.spec.containers[0].securityContext).toEqual({ runAsNonRoot: true });

    const refused = await alice.post(pods, pod('net', { hostNetwork: true }));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'pods "net" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used]',
    ]);
    const robot = await alice.post(pods, pod('robot', { hostNetwork: true, serviceAccountName: 'robot' }));
    expect([robot.status, robot.body.metadata.annotations[`${labelDomain}/psp`]]).toEqual([201, 'mighty']);
  });

  test('a pod can be changed by those who may use its policy, and loses nothing of it', async () => {
    const patched = await alice.patch('merge', `${pods}/plain`, { metadata: { labels: { a: 'b' } } });
    expect([patched.status, patched.body.metadata.labels]).toEqual([200, { a: 'b' }]);
  });

  test('policies are checked, and shown in a table', async () => {
    const bad = await admin.post(policies, { metadata: { name: 'bad' }, spec: { ...open, volumes: ['tape'] } });
    expect([bad.status, bad.body.reason]).toEqual([422, 'Invalid']);
    const accept = { accept: `application/json;as=Table;v=v1;g=meta.${apiDomain}` };
    const { body } = await admin.get(`${policies}/strict`, accept);
    expect(body.rows[0].cells).toEqual([
      'strict',
      'false',
      '',
      'RunAsAny',
      'MustRunAsNonRoot',
      'RunAsAny',
      'RunAsAny',
      'false',
      '*',
    ]);
  });
});

test('without the API the plugin has no effect, which the log says', async () => {
  const lines: string[] = [];
  const log = { info: () => {}, error: () => {}, warn: (_: object, text: string) => void lines.push(text) };
  await using server = await startTestServer({ listen: false, enableAdmissionPlugins: ['PodSecurityPolicy'], log });
  expect((await apiOf(server).post(pods, pod('p'))).status).toBe(201);
  expect((await apiOf(server).get(policies)).status).toBe(404);
  expect(lines).toContain('the plugin has no effect: runtimeConfig does not turn on policy/v1beta1');
});
