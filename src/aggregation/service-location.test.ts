import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import { atClusterIp, atEndpoints } from './service-location.ts';

const ports = [
  { name: 'https', port: 443 },
  { name: 'other', port: 8443 },
];
const service = (spec: object) => ({ metadata: { name: 's' }, spec: { type: 'ClusterIP', ports, ...spec } });
const slice = (addressType: string, endpoints: readonly object[], service = 's') => ({
  metadata: { labels: { 'kubernetes.io/service-name': service } },
  addressType,
  ports: [{ name: 'https', port: 6443 }],
  endpoints,
});
const ready = (...addresses: readonly string[]) => ({ addresses, conditions: { ready: true } });

const objectsOf = (stored: object | undefined, slices: readonly object[] = []) => ({
  get: (_: object, { name }: ObjectRef) => (name === 's' ? (stored as ApiObject | undefined) : undefined),
  list: () => slices as readonly ApiObject[],
});
const ref = { namespace: 'n', name: 's', port: 443 };
const cluster = (stored: object | undefined) => atClusterIp(objectsOf(stored))(ref);
const endpoints = (stored: object, slices: readonly object[]) =>
  atEndpoints(objectsOf(stored, slices), kubernetes)(ref);

test('a service is reached at its address, by the port of the reference', async () => {
  expect(await cluster(service({ clusterIP: '10.0.0.7' }))).toEqual({ host: '10.0.0.7', port: 443 });
  expect(await cluster(service({ type: 'NodePort', clusterIP: '10.0.0.7' }))).toEqual({ host: '10.0.0.7', port: 443 });
  const external = service({ type: 'ExternalName', externalName: 'api.example.com', ports: [] });
  expect(await cluster(external)).toEqual({ host: 'api.example.com', port: 443 });
});

test.each([
  ['is not there', undefined, 'services "s" not found'],
  ['has no address', service({ clusterIP: 'None' }), 'cannot route to service with ClusterIP "None"'],
  ['does not have the port', service({ ports: [] }), 'no service port 443 found for service "s"'],
  ['is named as no host can be', service({ type: 'ExternalName', externalName: 'a/b' }), 'no such host'],
  ['is of another type', service({ type: 'Odd' }), 'unsupported service type "Odd"'],
])('a service that %s is not reached', async (_, stored, message) => {
  await expect((async () => cluster(stored))()).rejects.toThrow(message);
});

test('with endpoints, one that is ready is chosen, of the first address family before others', async () => {
  const dual = service({ clusterIP: 'None', ipFamilies: ['IPv6', 'IPv4'] });
  const slices = [
    slice('IPv4', [ready('10.1.0.1')]),
    slice('IPv6', [
      { addresses: ['fd00::1'], conditions: { ready: false } },
      { addresses: ['fd00::2'], conditions: {} },
    ]),
    slice('IPv6', [ready('fd00::9')], 'another'),
  ];
  for (let i = 0; i < 20; i++) expect(await endpoints(dual, slices)).toEqual({ host: 'fd00::2', port: 6443 });
});

test('without a ready endpoint, or by a name of elsewhere, there is no way', async () => {
  const none = 'no endpoints available for service "s"';
  await expect((async () => endpoints(service({}), []))()).rejects.toThrow(none);
  await expect((async () => endpoints(service({}), [slice('IPv4', [])]))()).rejects.toThrow(none);
  const external = service({ type: 'ExternalName', externalName: 'a.example' });
  await expect((async () => endpoints(external, []))()).rejects.toThrow('unsupported service type "ExternalName"');
});
