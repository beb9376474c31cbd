// Definitions of v1beta1, which is served on request: its own defaults, what it asks for less, and how both versions show each other.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, runtimeConfig: { 'apiextensions.k8s.io/v1beta1': true } });
  api = apiOf(server);
});
afterAll(() => server.close());

const older = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
const newer = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const definition = (plural: string, kind: string, spec: object, group = 'example.com') => ({
  metadata: { name: `${plural}.${group}` },
  spec: { group, names: { plural, kind }, ...spec },
});
const schema = (properties: object) => ({ openAPIV3Schema: { type: 'object', properties } });
const fieldsOf = ({ body }: Answer) => body.details?.causes?.map(({ field }: { field: string }) => field);

async function served(path: string): Promise<void> {
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
}

test('it is off unless it is asked for', async () => {
  await using plain = await startTestServer({ listen: false, controllers: [] });
  expect((await apiOf(plain).get(older)).status).toBe(404);
});

test('what is left out has the older defaults, and clients are warned', async () => {
  const created = await api.post(older, definition('apples', 'Apple', { version: 'v1' }));
  expect(created.status).toBe(201);
  expect(created.headers.get('warning')).toContain(
    'apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated',
  );
  expect(created.body.spec).toEqual({
    ...{ group: 'example.com', version: 'v1', scope: 'Namespaced', preserveUnknownFields: true },
    names: { plural: 'apples', singular: 'apple', kind: 'Apple', listKind: 'AppleList' },
    versions: [{ name: 'v1', served: true, storage: true }],
    conversion: { strategy: 'None' },
  });
  expect(created.body.status.storedVersions).toEqual(['v1']);
});

test('its name has to be that of its resource', async () => {
  const { spec } = definition('quinces', 'Quince', { version: 'v1' });
  const refused = await api.post(older, { metadata: { name: 'others.example.com' }, spec });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['metadata.name']]);
});

test('without a schema objects keep everything, and the definition says that it has none', async () => {
  const path = '/apis/example.com/v1/namespaces/default/apples';
  await served(path);
  const body = { kind: 'Apple', apiVersion: 'example.com/v1', metadata: { name: 'a' }, any: { thing: [1] } };
  expect((await api.post(path, body)).body).toMatchObject({ any: { thing: [1] } });
  await eventually(async () => {
    const { conditions } = (await api.get(`${newer}/apples.example.com`)).body.status;
    expect(conditions).toContainEqual(
      expect.objectContaining({
        ...{ type: 'NonStructuralSchema', status: 'True', reason: 'Violations' },
        message: 'spec.preserveUnknownFields: Invalid value: true: must be false',
      }),
    );
  });
});

test('the newer version asks for a schema and refuses to keep unknown fields, but leaves what is there', async () => {
  const spec = { scope: 'Namespaced', preserveUnknownFields: true };
  const versions = [{ name: 'v1', served: true, storage: true }];
  expect(fieldsOf(await api.post(newer, definition('pears', 'Pear', { ...spec, versions })))).toEqual([
    'spec.versions[0].schema.openAPIV3Schema',
    'spec.preserveUnknownFields',
  ]);
  const labelled = await api.patch('merge', `${newer}/apples.example.com`, { metadata: { labels: { a: 'b' } } });
  expect(labelled.status).toBe(200);
  const closed = await api.patch('merge', `${newer}/apples.example.com`, { spec: { preserveUnknownFields: false } });
  expect(fieldsOf(closed)).toEqual(['spec.versions[0].schema.openAPIV3Schema']);
});

test('a schema need not describe each value where fields are kept, and objects are held to it', async () => {
  const properties = { spec: { properties: { size: { type: 'integer', maximum: 3 } } } };
  const loose = { version: 'v1', validation: schema(properties) };
  expect((await api.post(older, definition('figs', 'Fig', loose))).status).toBe(201);
  const path = '/apis/example.com/v1/namespaces/default/figs';
  await served(path);
  const fig = (name: string, size: number) => ({
    ...{ kind: 'Fig', apiVersion: 'example.com/v1', metadata: { name } },
    spec: { size, other: true },
  });
  expect((await api.post(path, fig('large', 4))).status).toBe(422);
  expect((await api.post(path, fig('small', 3))).body.spec).toEqual({ size: 3, other: true });
  const closed = { ...loose, preserveUnknownFields: false };
  expect(fieldsOf(await api.post(older, definition('plums', 'Plum', closed)))).toEqual([
    'spec.validation.openAPIV3Schema.properties[spec].type',
  ]);
});

test('a webhook that does not say which reviews it knows is asked in the older one', async () => {
  const webhook = {
    strategy: 'Webhook',
    webhookClientConfig: { service: { namespace: 'default', name: 'converter' } },
  };
  const spec = { version: 'v1', preserveUnknownFields: false, validation: schema({}), conversion: webhook };
  const created = await api.post(older, definition('limes', 'Lime', spec));
  expect(created.body.spec.conversion).toEqual({
    strategy: 'Webhook',
    conversionReviewVersions: ['v1beta1'],
    webhookClientConfig: { service: { namespace: 'default', name: 'converter', port: 443 } },
  });
  expect((await api.get(`${newer}/limes.example.com`)).body.spec.conversion).toEqual({
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: ['v1beta1'],
      clientConfig: { service: { namespace: 'default', name: 'converter', port: 443 } },
    },
  });
});

test('what versions share is shown above them, part by part', async () => {
  const versions = ['v1', 'v2'].map((name, index) => ({
    ...{ name, served: true, storage: index === 0, schema: schema({ [name]: { type: 'string' } }) },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'N', type: 'string', jsonPath: '.metadata.name' }],
  }));
  await api.post(newer, definition('nuts', 'Nut', { scope: 'Cluster', versions }));
  const { spec } = (await api.get(`${older}/nuts.example.com`)).body;
  expect(spec.validation).toBeUndefined();
  expect(spec.subresources).toEqual({ status: {} });
  expect(spec.additionalPrinterColumns).toEqual([{ name: 'N', type: 'string', JSONPath: '.metadata.name' }]);
  expect(spec.versions.map((one: object) => Object.keys(one))).toEqual([
    ['name', 'served', 'storage', 'schema'],
    ['name', 'served', 'storage', 'schema'],
  ]);
});

test('what is said above the versions may not be said in them too', async () => {
  const versions = [{ name: 'v1', served: true, storage: true, schema: schema({}), subresources: { status: {} } }];
  const spec = { version: 'v2', versions, validation: schema({}), preserveUnknownFields: false };
  const refused = await api.post(older, definition('hops', 'Hop', spec));
  expect(refused.body.message).toContain(
    'spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive',
  );
  expect(refused.body.message).toContain(
    'spec.version: Invalid value: "v2": must match the first version in spec.versions',
  );
});

test('a reserved group needs no approval', async () => {
  const body = definition('teas', 'Tea', { version: 'v1' }, 'tea.k8s.io');
  expect((await api.post(older, body)).status).toBe(201);
});
