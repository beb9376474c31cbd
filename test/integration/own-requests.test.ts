// What the server writes on behalf of a client's request passes every stage that requests of clients pass.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';

let server: Server;
beforeAll(async () => {
  server = await startTestServer({ listen: false, serviceClusterIpRange: ['10.7.0.0/24'] });
});
afterAll(() => server.close());

async function send(method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const answer = await server.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as Record<string, Record<string, unknown>> };
}

const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
const services = '/api/v1/namespaces/default/services';
const service = (name: string, clusterIP: string) => ({
  metadata: { name },
  spec: { clusterIP, ports: [{ port: 80 }] },
});

test('the address of a service belongs to the server', async () => {
  expect((await send('POST', services, service('a', '10.7.0.9'))).status).toBe(201);
  const { body } = await send('GET', `${addresses}/10.7.0.9`);
  expect(body['metadata']?.['managedFields']).toMatchObject([
    { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'networking.k8s.io/v1' },
  ]);
  expect((await send('DELETE', `${services}/a`)).status).toBe(200);
  expect((await send('GET', `${addresses}/10.7.0.9`)).status).toBe(404);
});

test('a policy about addresses counts for those that services get', async () => {
  const policies = '/apis/admissionregistration.k8s.io/v1';
  const rule = { apiGroups: ['networking.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'] };
  await send('POST', `${policies}/validatingadmissionpolicies`, {
    metadata: { name: 'no-ten' },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, resources: ['ipaddresses'] }] },
      validations: [{ expression: 'object.metadata.name != "10.7.0.10"', message: 'not this one' }],
    },
  });
  await send('POST', `${policies}/validatingadmissionpolicybindings`, {
    metadata: { name: 'no-ten' },
    spec: { policyName: 'no-ten', validationActions: ['Deny'] },
  });
  const refused = await send('POST', services, service('ten', '10.7.0.10'));
  expect(refused).toMatchObject({
    status: 422,
    body: { details: { causes: [{ field: 'spec.clusterIPs', message: expect.stringContaining('not this one') }] } },
  });
  expect((await send('POST', services, service('eleven', '10.7.0.11'))).status).toBe(201);
});
