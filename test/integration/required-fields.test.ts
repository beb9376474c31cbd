// Every field that the documents call required, left out of an object of every kind: refused in the cluster dialect with 400,
// as its specification says.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject } from '../../src/base/json/json.ts';
import { builtInGroups } from '../../src/groups/catalog.ts';
import { cluster } from '../../src/meta/dialect.ts';
import type { SchemaType } from '../../src/schema/types.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly body?: JsonObject;
}

const kindsFile = new URL('../conformance/scenarios/kinds.yaml', import.meta.url);
const dialect = cluster();
/** Names of Kubernetes in these bodies, in the words of the dialect. */
const inDialect = (text: string) =>
  text.replaceAll('.k8s.io', `.${dialect.apiDomain}`).replaceAll('kubernetes.io', dialect.labelDomain);
const kinds = parse(inDialect(readFileSync(kindsFile, 'utf8').replaceAll(/\{(?:ns|u)\}/g, 'default'))) as Kind[];

type Path = readonly (string | number)[];

/** Where a value has fields that its type requires. */
function requiredIn(type: SchemaType, value: unknown, at: Path): readonly Path[] {
  if (type.is === 'list' && Array.isArray(value))
    return value.flatMap((one, i) => requiredIn(type.of, one, [...at, i]));
  if (!isJsonObject(value)) return [];
  if (type.is === 'map') return Object.keys(value).flatMap((key) => requiredIn(type.of, value[key], [...at, key]));
  if (type.is !== 'struct') return [];
  return type.fields
    .filter(({ name }) => Object.hasOwn(value, name))
    .flatMap(({ name, type: inner, required }) => {
      const deeper = requiredIn(inner, value[name], [...at, name]);
      return required ? [[...at, name], ...deeper] : deeper;
    });
}

function without(value: unknown, [first, ...rest]: Path): unknown {
  if (Array.isArray(value)) return value.map((one: unknown, i) => (i === first ? without(one, rest) : one));
  const { [String(first)]: inner, ...others } = value as JsonObject;
  return rest.length === 0 ? others : { ...others, [String(first)]: without(inner, rest) };
}

const definitions = builtInGroups(dialect).flatMap(({ resources }) => resources);

const cases = kinds.flatMap((kind) => {
  const { apiVersion, name = 'one' } = kind;
  const definition = definitions.find(
    (one) => one.kind === kind.kind && (one.group === '' ? one.version : `${one.group}/${one.version}`) === apiVersion,
  );
  if (definition === undefined || definition.type.is !== 'struct' || !definition.verbs.includes('create')) return [];
  const object = { kind: kind.kind, apiVersion, metadata: { name }, ...kind.body };
  const root = definition.group === '' ? '/api/v1' : `/apis/${apiVersion}`;
  const path = `${root}${definition.namespaced ? '/namespaces/default' : ''}/${definition.plural}?dryRun=All`;
  const { metadata: _, ...described } = object as JsonObject;
  return requiredIn(definition.type, described, []).map(
    (field) => [`${apiVersion} ${kind.kind} without ${field.join('.')}`, { path, object, field }] as const,
  );
});

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, dialect: 'cluster', controllers: [] });
  api = apiOf(server);
  await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterAll(() => server.close());

test('there are many', () => {
  expect(cases.length).toBeGreaterThan(100);
});

test.each(cases)('%s', async (_, { path, object, field }) => {
  const { status } = await api.post(path, without(object, field) as object);
  expect(status).toBe(400);
});

const auth = (part: string) => `/apis/${part}.${dialect.apiDomain}`;
const about = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } };

test.each<[string, object, string]>([
  ['/api/v1/namespaces/default/bindings', { metadata: { name: 'p' }, target: { name: 'n' } }, 'target'],
  ['/api/v1/namespaces/default/pods/p/binding', { metadata: { name: 'p' }, target: { name: 'n' } }, 'target'],
  [`${auth('authentication')}/v1/tokenreviews`, { spec: { token: 'x' } }, 'spec'],
  [`${auth('authorization')}/v1/subjectaccessreviews`, { spec: { user: 'u', ...about } }, 'spec'],
  [`${auth('authorization')}/v1/selfsubjectaccessreviews`, { spec: about }, 'spec'],
  [
    `${auth('authorization')}/v1/namespaces/default/localsubjectaccessreviews`,
    { spec: { user: 'u', ...about } },
    'spec',
  ],
  [`${auth('authorization')}/v1/selfsubjectrulesreviews`, { spec: { namespace: 'default' } }, 'spec'],
])('a POST to %s without its required field is a bad request', async (path, body, field) => {
  const complete = await api.post(path, body);
  expect(complete.body.message ?? '').not.toContain('Required value');
  const { status, body: answer } = await api.post(path, without(body, [field]) as object);
  expect([status, answer.reason]).toEqual([400, 'BadRequest']);
  expect(answer.message).toContain(`${field}: Required value`);
});
