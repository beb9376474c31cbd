// Admission plugins through the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OptionError } from '../../src/server/options.ts';
import type { Server } from '../../src/server/server.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

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

  test('where nobody makes accounts, pods are refused after a while, unless the plugin is off', async () => {
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
  [{ enableAdmissionPlugins: ['ImagePolicyWebhook'] }, 'enableAdmissionPlugins: this server does not have'],
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
