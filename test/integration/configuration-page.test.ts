// /configz: the configuration in effect, without secrets.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { bearer, secureCall } from './secure-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-configz-'));
const [token, password] = [0, 1].map(() => randomBytes(32).toString('base64url')) as [string, string];
const key = randomBytes(32).toString('base64');
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const encryption = {
  kind: 'EncryptionConfiguration',
  apiVersion: 'apiserver.config.k8s.io/v1',
  resources: [{ resources: ['secrets'], providers: [{ secretbox: { keys: [{ name: 'one', secret: key }] } }] }],
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    tokenAuthFile: file('tokens.csv', `${token},reader,reader-uid\n`),
    encryptionProviderConfig: file('encryption.yaml', JSON.stringify(encryption)),
    serviceAccountIssuers: [`https://user:${password}@issuer.example.com`],
    strictTransportSecurityDirectives: ['max-age=31536000'],
    featureGates: { APIListChunking: true },
    maxRequestsInflight: 77,
    commandLine: { 'some-flag': password },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const configuration = async () => {
  const { status, body } = await apiOf(server).get('/configz');
  expect([status, Object.keys(body)]).toEqual([200, ['apiserver.config.k8s.io']]);
  return body['apiserver.config.k8s.io'];
};

describe('/configz', () => {
  test('shows options and defaults that are in effect', async () => {
    expect(await configuration()).toMatchObject({
      dialect: 'kubernetes',
      emulationVersion: '1.36',
      limits: { maxRequestsInflight: 77, maxMutatingRequestsInflight: 200, requestTimeoutSeconds: 60 },
      storage: { kind: 'memory', encryptionConfigFile: join(folder, 'encryption.yaml') },
      authentication: { hasStaticTokens: true, hasTokenWebhook: false },
      authorization: { modes: ['Node', 'RBAC'] },
      services: { clusterIpRanges: ['10.0.0.0/24'], nodePortRange: '30000-32767' },
    });
    expect((await configuration()).admission.plugins).toContain('NamespaceLifecycle');
  });

  test('follows what changes while the server runs', async () => {
    const init = { method: 'PUT', body: '4' };
    expect((await server.fetch('/debug/flags/v', init)).status).toBe(200);
    expect((await configuration()).logging.verbosity).toBe(4);
  });

  test('holds no secret', async () => {
    const text = JSON.stringify(await configuration());
    expect(text).toContain('https://CLASSIFIED@issuer.example.com');
    for (const secret of [token, password, key]) expect(text).not.toContain(secret);
    expect(text).not.toContain('PRIVATE KEY');
  });

  test('needs the right to the path', async () => {
    const call = (headers = {}) => secureCall(server, 'GET', '/configz', { headers });
    expect((await call()).status).toBe(403);
    const reader = bearer(token);
    expect((await call(reader)).status).toBe(403);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const metadata = { name: 'configuration-reader' };
    const rules = [{ nonResourceURLs: ['/configz'], verbs: ['get'] }];
    expect((await apiOf(server).post(`${rbac}/clusterroles`, { metadata, rules })).status).toBe(201);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'reader' }];
    await apiOf(server).post(`${rbac}/clusterrolebindings`, { metadata, roleRef, subjects });
    expect((await call(reader)).status).toBe(200);
  });

  test('is only read, and not listed', async () => {
    expect((await apiOf(server).post('/configz', {})).status).toBe(405);
    expect((await apiOf(server).get('/')).body.paths).not.toContain('/configz');
  });

  test('is there with profiling only', async () => {
    await using other = await startTestServer({ profiling: false });
    expect((await other.fetch('/configz')).status).toBe(404);
  });
});
