// Admission plugins through the API.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OptionError } from '../../src/config/options.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import type { Server } from '../../src/server/server.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { dialects } from './dialects.ts';
import { eventually } from './eventually.ts';
import { secureCall } from './secure-call.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe('accounts of pods', () => {
  test('the first pod of a namespace waits for the account that comes with the namespace', async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'fresh' } });
    const { status, body } = await api.post('/api/v1/namespaces/fresh/pods', pod('first'));
    expect([status, body.spec?.serviceAccountName]).toEqual([201, 'default']);
  });

  test('where no controller makes accounts, pods are refused after a while, unless the plugin is off', async () => {
    await using bare = await startTestServer({ listen: false, controllers: [] });
    const refused = await apiOf(bare).post('/api/v1/namespaces/default/pods', pod('p'));
    expect(refused.body.message).toBe(
      'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    );
    const options = { listen: false, controllers: [], disableAdmissionPlugins: ['ServiceAccount'] };
    await using plain = await startTestServer(options);
    expect((await apiOf(plain).post('/api/v1/namespaces/default/pods', pod('p'))).status).toBe(201);
  });
});

test.each([
  [{ enableAdmissionPlugins: ['Gardener'] }, 'enableAdmissionPlugins: "Gardener" is not an admission plugin'],
  [{ disableAdmissionPlugins: ['Gardener'] }, 'disableAdmissionPlugins: "Gardener" is not an admission plugin'],
  [{ enableAdmissionPlugins: ['ImagePolicyWebhook'] }, 'enableAdmissionPlugins: ImagePolicyWebhook needs its backend'],
  [
    { enableAdmissionPlugins: ['Priority'], disableAdmissionPlugins: ['Priority'] },
    'disableAdmissionPlugins: Priority is in enableAdmissionPlugins too',
  ],
  [{ defaultNotReadyTolerationSeconds: 0.5 }, 'defaultNotReadyTolerationSeconds: 0.5 is not a whole number'],
])('options that make no sense fail at start: %j', async (options, why) => {
  const start = startTestServer({ listen: false, ...options });
  await expect(start).rejects.toThrow(OptionError);
  await expect(start).rejects.toThrow(why);
});

test('of many creates at once a quota lets in what it has', async () => {
  await api.post('/api/v1/namespaces', { metadata: { name: 'small' } });
  const home = '/api/v1/namespaces/small';
  await api.post(`${home}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { secrets: '5' } } });
  await eventually(async () => {
    expect((await api.get(`${home}/resourcequotas/q`)).body.status?.used).toEqual({ secrets: '0' });
  });
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const answers = await Promise.all(names.map((name) => api.post(`${home}/secrets`, { metadata: { name } })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.find(({ status }) => status === 403)?.body.message).toMatch(/exceeded quota: q, requested: secrets=1/);
  expect((await api.get(`${home}/secrets`)).body.items).toHaveLength(5);
});

describe('the file of plugin configurations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-admission-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, value: object) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const configurationIn = (domain: string, ...plugins: object[]) => ({
    apiVersion: `apiserver.config.${domain}/v1`,
    kind: 'AdmissionConfiguration',
    plugins,
  });
  const configuration = (...plugins: object[]) => configurationIn('k8s.io', ...plugins);
  const security = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: 'baseline' },
    exemptions: { namespaces: ['kube-system'] },
  };

  test('sets plugins up, inline or by another file', async () => {
    file('security.json', security);
    for (const entry of [{ configuration: security }, { path: 'security.json' }]) {
      const path = file('admission.json', configuration({ name: 'PodSecurity', ...entry }));
      await using strict = await startTestServer({ listen: false, admissionControlConfigFile: path });
      const own = apiOf(strict);
      const mighty = pod('p', { hostNetwork: true });
      const refused = await own.post('/api/v1/namespaces/default/pods', mighty);
      expect(refused.body.message).toBe(
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
      );
      expect((await own.post('/api/v1/namespaces/kube-system/pods', mighty)).status).toBe(201);
    }
  });

  describe.each(dialects)('in the %s dialect', (dialect, { apiDomain }) => {
    const own = (plugin: object) => configurationIn(apiDomain, plugin);
    test.each([
      ['none.json', undefined, 'admissionControlConfigFile: ENOENT'],
      ['kind.json', { kind: 'X', apiVersion: 'v1' }, `use AdmissionConfiguration in apiserver.config.${apiDomain}/v1`],
      ['name.json', own({ name: 'Gardener', path: 'x' }), 'plugin "Gardener": there is no such plugin'],
      ['plugin.json', own({ name: 'PodSecurity', configuration: { kind: 'X' } }), 'plugin "PodSecurity": no kind'],
    ])('fails at start when it is wrong: %s', async (name, value, why) => {
      const path = value === undefined ? join(folder, name) : file(name, value);
      const start = startTestServer({ dialect, listen: false, admissionControlConfigFile: path });
      await expect(start).rejects.toThrow(why);
    });
  });

  test('is needed by plugins that do nothing without', async () => {
    const start = startTestServer({ listen: false, enableAdmissionPlugins: ['EventRateLimit'] });
    await expect(start).rejects.toThrow('EventRateLimit needs its limits in the file of admissionControlConfigFile');
  });
});

test('a node writes about itself, where nodes are restricted', async () => {
  await using strict = await startTestServer({ listen: false, enableAdmissionPlugins: ['NodeRestriction'] });
  const user = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
  const node = apiOf({ fetch: (path, init) => strict.fetch(path, { ...init, user }) });
  expect((await node.post('/api/v1/nodes', { metadata: { name: 'a' } })).status).toBe(201);
  const other = await node.post('/api/v1/nodes', { metadata: { name: 'b' } });
  expect(other.body.message).toBe('nodes "b" is forbidden: node "a" is not allowed to modify node "b"');
});

test('a node gets tokens for the audiences that its pods name, and for those that a role grants it', async () => {
  using folder = new TempFolder();
  const authority = createAuthority('nodes', Date.now());
  const clientCaFile = join(folder.path, 'nodes.crt');
  writeFileSync(clientCaFile, authority.certificate);
  await using strict = await startTestServer({ enableAdmissionPlugins: ['NodeRestriction'], clientCaFile });
  const admin = apiOf(strict);
  const leaf = { usage: 'client', commonName: 'system:node:a', organizations: ['system:nodes'] } as const;
  const pair = signLeaf(authority, leaf, Date.now());
  const node = (path: string, body: object) => secureCall(strict, 'POST', path, { pair, body });
  const home = '/api/v1/namespaces/default';
  await admin.post('/apis/storage.k8s.io/v1/csidrivers', {
    metadata: { name: 'inline.csi' },
    spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'], tokenRequests: [{ audience: 'driver' }] },
  });
  await admin.post('/api/v1/nodes', { metadata: { name: 'a' } });
  const volumes = [
    { name: 'vault', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
    { name: 'inline', csi: { driver: 'inline.csi' } },
  ];
  const made = await eventually(async () => {
    const answer = await admin.post(`${home}/pods`, pod('p', { nodeName: 'a', volumes }));
    expect(answer.status).toBe(201);
    return answer.body;
  });
  const ask = (...audiences: string[]) =>
    node(`${home}/serviceaccounts/default/token`, {
      spec: { audiences, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: made.metadata.uid } },
    });
  await eventually(async () => expect((await ask('vault')).status).toBe(201));
  // the volume that comes with every pod asks for a token of this server
  expect([(await ask()).status, (await ask('driver')).status]).toEqual([201, 201]);
  const refused = await ask('prod');
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'serviceaccounts "default" is forbidden: audience "prod" not found in pod spec volume, system:node:a is not authorized to request tokens for this audience',
  ]);
  expect((await ask('vault', 'prod')).status).toBe(403);
  const group = 'rbac.authorization.k8s.io';
  const rules = [{ verbs: ['request-serviceaccounts-token-audience'], apiGroups: [''], resources: ['prod'] }];
  await admin.post(`/apis/${group}/v1/clusterroles`, { metadata: { name: 'audiences' }, rules });
  await admin.post(`/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name: 'audiences' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'audiences' },
    subjects: [{ kind: 'Group', name: 'system:nodes' }],
  });
  expect([(await ask('prod')).status, (await ask('test')).status]).toEqual([201, 403]);
});
