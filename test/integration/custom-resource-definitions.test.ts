// Rules in schemas of custom resources through the API: they are looked at when a definition is written, in any version.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { withThreads } from './several-threads.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({
    listen: false,
    controllers: [],
    runtimeConfig: { 'apiextensions.k8s.io/v1beta1': true },
  });
  api = apiOf(server);
});
afterAll(() => server.close());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const older = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';

const schemaWith = (spec: object) => ({ openAPIV3Schema: { type: 'object', properties: { spec } } });
const names = (plural: string) => ({ plural, kind: `${plural[0]?.toUpperCase()}${plural.slice(1)}` });
const version = (name: string, spec: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: schemaWith(spec),
});
const definition = (plural: string, ...versions: readonly object[]) => ({
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', scope: 'Namespaced', names: names(plural), versions },
});
const ruled = (rule: string, more: object = {}) => ({
  type: 'object',
  properties: { replicas: { type: 'integer' }, names: { type: 'array', items: { type: 'string' }, ...more } },
  'x-kubernetes-validations': [{ rule }],
});
const causes = ({ status, body }: Answer) => [
  status,
  body.details?.causes?.map(({ field, reason }: { field: string; reason: string }) => `${field}: ${reason}`),
];
const at = 'spec.validation.openAPIV3Schema.properties[spec]';

test('a definition with rules in order is stored', async () => {
  const answer = await api.post(definitions, definition('goods', version('v1', ruled('self.replicas > 1'))));
  expect(answer.status).toBe(201);
});

test('a rule that does not compile is refused, with the place marked', async () => {
  const body = definition('bads', version('v1', ruled('self.replica > 1')));
  const answer = await api.post(definitions, body);
  expect(causes(answer)).toEqual([422, [`${at}.x-kubernetes-validations[0].rule: FieldValueInvalid`]]);
  expect(answer.body.message).toContain(
    "compilation failed: ERROR: <input>:1:5: undefined field 'replica'\n | self.replica > 1\n | ....^",
  );
  expect((await api.get(`${definitions}/bads.example.com`)).status).toBe(404);
});

test('versions that differ are told apart, and each is held to its own schema', async () => {
  const body = definition('twos', version('v1', ruled('self.replicas > 1')), version('v2', ruled('self.x > 1')));
  const place = 'spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule';
  expect(causes(await api.post(definitions, body))).toEqual([422, [`${place}: FieldValueInvalid`]]);
});

test('a rule that costs too much says what to limit, and passes with the limit', async () => {
  const rule = 'self.names.all(a, self.names.all(b, a == b))';
  const answer = await api.post(definitions, definition('dears', version('v1', ruled(rule))));
  expect(causes(answer)).toEqual([
    422,
    [
      `${at}.x-kubernetes-validations[0].rule: FieldValueForbidden`,
      `${at}.x-kubernetes-validations[0].rule: FieldValueForbidden`,
      'spec.validation.openAPIV3Schema: FieldValueForbidden',
    ],
  ]);
  expect(answer.body.message).toContain('try simplifying the rule, or adding maxItems, maxProperties, and maxLength');
  const limited = ruled(rule, { maxItems: 10, items: { type: 'string', maxLength: 20 } });
  expect((await api.post(definitions, definition('dears', version('v1', limited)))).status).toBe(201);
});

test('a change is judged as a new definition is', async () => {
  const path = `${definitions}/goods.example.com`;
  const change = (spec: object) => api.patch('merge', path, { spec: { versions: [version('v1', spec)] } });
  expect(causes(await change(ruled('self.replicas')))).toEqual([
    422,
    [`${at}.x-kubernetes-validations[0].rule: FieldValueInvalid`],
  ]);
  expect((await change(ruled('self.replicas > 2'))).status).toBe(200);
  expect((await api.patch('merge', path, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
});

test('a default keeps the rules', async () => {
  const spec = { ...ruled('self.replicas > 1'), default: { replicas: 1 } };
  const answer = await api.post(definitions, definition('defaults', version('v1', spec)));
  expect(causes(answer)).toEqual([422, [`${at}.default: FieldValueInvalid`]]);
  expect(answer.body.details.causes[0].message).toBe('Invalid value: failed rule: self.replicas > 1');
});

test('the older version is held to the same', async () => {
  const body = (rule: string) => ({
    metadata: { name: 'olds.example.com' },
    spec: {
      group: 'example.com',
      names: names('olds'),
      version: 'v1',
      preserveUnknownFields: false,
      validation: schemaWith(ruled(rule)),
    },
  });
  expect(causes(await api.post(older, body('self.x')))).toEqual([
    422,
    [`${at}.x-kubernetes-validations[0].rule: FieldValueInvalid`],
  ]);
  expect((await api.post(older, body('self.replicas > 1'))).status).toBe(201);
});

test('a definition with thousands of rules does not hold up others: it moves to the lane', async () => {
  const rules = Array.from({ length: 3000 }, (_, index) => ({ rule: `self.replicas != ${index}` }));
  const spec = { ...ruled('true'), 'x-kubernetes-validations': rules };
  const options = { largeRequestBytes: 128 * 1024, controllers: [] };
  await withThreads(
    1,
    async ({ connect, workers }) => {
      let isDone = false;
      const many = connect().call('POST', definitions, definition('manys', version('v1', spec)));
      void many.then(() => {
        isDone = true;
      });
      const other = connect();
      let answered = 0;
      while (!isDone) if ((await other.call('GET', '/version')).status === 200) answered++;
      expect((await many).status).toBe(201);
      expect(answered).toBeGreaterThan(5);
      expect(workers).toHaveLength(1);
    },
    options,
  );
});
