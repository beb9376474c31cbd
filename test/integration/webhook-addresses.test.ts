// Webhooks of services whose addresses the operator gave, for control planes without a network of services.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { configurations } from './admission-hooks.ts';
import { apiOf, configMap, configMaps } from './api.ts';

test('they are called there, on the port that was asked for or on any', async () => {
  const answer = (body: string) => {
    const { apiVersion, kind, request } = JSON.parse(body) as Record<string, { uid: string }>;
    return { apiVersion, kind, response: { uid: request?.uid, allowed: true } };
  };
  await using peer = await TlsPeer.open(({ body }) => answer(body), { hosts: ['given.default.svc'] });
  await using gone = await TlsPeer.open(() => ({}));
  const unused = new URL(gone.url).port;
  await gone[Symbol.asyncDispose]();
  await using server = await startTestServer({
    listen: false,
    controllers: [],
    webhookServiceAddresses: [
      `default/given=127.0.0.1:${new URL(peer.url).port}`,
      `default/given:8443=127.0.0.1:${unused}`,
    ],
  });
  const api = apiOf(server);
  const hook = (resource: string, port: number) => ({
    name: `${resource}.example.com`,
    clientConfig: {
      service: { namespace: 'default', name: 'given', path: `/${resource}`, port },
      caBundle: Buffer.from(peer.authority.certificate).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  });
  const webhooks = [hook('configmaps', 443), hook('secrets', 8443)];
  expect((await api.post(configurations.validating, { metadata: { name: 'given' }, webhooks })).status).toBe(201);

  expect((await api.post(configMaps, configMap('asked'))).status).toBe(201);
  expect(peer.requests.map(({ path }) => path)).toEqual(['/configmaps?timeout=10s']);
  const refused = await api.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'asked' } });
  expect([refused.status, refused.body.message]).toEqual([500, expect.stringContaining('connection refused')]);
});

test.each(['default=127.0.0.1:1', 'a/b=127.0.0.1', 'a/b=127.0.0.1:0', 'a/b:x=h:1', 'a/b=h:70000'])(
  'the server does not start with %s',
  async (address) => {
    await expect(startTestServer({ listen: false, webhookServiceAddresses: [address] })).rejects.toThrow(
      `webhookServiceAddresses: ${JSON.stringify(address)} must be NAMESPACE/NAME[:PORT]=HOST:PORT`,
    );
  },
);
