// Schema keywords of custom resources begin with the word of a dialect: each is understood, the server's own is shown.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

const dialects = [
  { dialect: 'kubernetes', domain: 'k8s.io', own: 'kubernetes', other: 'cluster' },
  { dialect: 'cluster', domain: 'api.cluster.local', own: 'cluster', other: 'kubernetes' },
] as const;

function schema(word: string): object {
  const ports = {
    type: 'array',
    [`x-${word}-list-type`]: 'map',
    [`x-${word}-list-map-keys`]: ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, port: { [`x-${word}-int-or-string`]: true } },
    },
  };
  const free = { type: 'object', [`x-${word}-preserve-unknown-fields`]: true };
  const properties = {
    ports,
    free,
    // a property, however it is called, is no keyword
    [`x-${word}-size`]: { type: 'integer', default: 1 },
    size: { type: 'integer', [`x-${word}-validations`]: [{ rule: 'self < 9', message: 'too large' }] },
  };
  return { type: 'object', properties: { spec: { type: 'object', properties } } };
}

const objectIn = (word: string) => ({ openAPIV3Schema: schema(word) });
/** The schema that is shown for one that was written in the other spelling. */
function shownFor(written: string, own: string): object {
  const text = JSON.stringify(schema(own)).replace(`x-${own}-size`, `x-${written}-size`);
  return JSON.parse(text);
}

describe.each(dialects)('the dialect $dialect', ({ dialect, domain, own, other }) => {
  let server: Server;
  let api: Api;
  const old = `/apis/apiextensions.${domain}/v1beta1/customresourcedefinitions`;
  const definitions = `/apis/apiextensions.${domain}/v1/customresourcedefinitions`;
  beforeAll(async () => {
    server = await startTestServer({
      listen: false,
      dialect,
      runtimeConfig: { [`apiextensions.${domain}/v1beta1`]: true },
    });
    api = apiOf(server);
  });
  afterAll(() => server.close());

  function definition(plural: string, kind: string, word: string, rest: object = {}) {
    const versions = [{ name: 'v1', served: true, storage: true, schema: objectIn(word) }];
    const spec = { group: 'example.com', scope: 'Namespaced', names: { plural, kind }, versions, ...rest };
    return { metadata: { name: `${plural}.example.com` }, spec };
  }

  async function served(plural: string): Promise<string> {
    const path = `/apis/example.com/v1/namespaces/default/${plural}`;
    await eventually(async () => expect((await api.get(path)).status).toBe(200));
    return path;
  }

  test.each([own, other])('takes a definition with x-%s keywords', async (word) => {
    const [plural, kind] = [`${word}s`, `K${word}`];
    const created = await api.post(definitions, definition(plural, kind, word));
    expect(created.headers.get('warning')).toBeNull();
    expect(created.body.spec.versions[0].schema.openAPIV3Schema).toEqual(shownFor(word, own));
    const path = await served(plural);
    const body = (name: string, spec: object) => ({ kind, apiVersion: 'example.com/v1', metadata: { name }, spec });
    const ports = [
      { name: 'a', port: 1 },
      { name: 'b', port: 'http' },
    ];
    const made = await api.post(path, body('a', { ports, free: { any: 1 }, lost: 1, size: 1 }));
    expect(made.body.spec).toEqual({ ports, free: { any: 1 }, size: 1, [`x-${word}-size`]: 1 });
    const twice = await api.post(path, body('b', { ports: [{ name: 'a' }, { name: 'a' }] }));
    expect(twice.body.message).toContain('Duplicate value');
    expect((await api.post(path, body('c', { size: 9 }))).body.message).toContain('too large');
  });

  test('shows its own keywords in OpenAPI', async () => {
    for (const path of ['/openapi/v2', '/openapi/v3/apis/example.com/v1']) {
      const { body } = await api.get(path);
      const { definitions: v2, components } = body;
      const shown = (v2 ?? components.schemas)[`com.example.v1.K${other}`].properties.spec.properties;
      expect(shown.ports).toMatchObject({ [`x-${own}-list-type`]: 'map', [`x-${own}-list-map-keys`]: ['name'] });
      expect(JSON.stringify(shown).replace(`x-${other}-size`, '')).not.toContain(`x-${other}-`);
    }
  });

  test('says what is wrong in its own words', async () => {
    const odd = {
      type: 'object',
      properties: { spec: { type: 'array', [`x-${other}-list-type`]: 'odd', items: { type: 'string' } } },
    };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: odd } }];
    const { status, body } = await api.post(definitions, definition('odds', 'Odd', own, { versions }));
    expect(status).toBe(422);
    expect(body.details.causes[0].field).toContain(`x-${own}-list-type`);
    expect(body.message).not.toContain(`x-${other}-`);
  });

  test('takes both in the older version too', async () => {
    const { versions: _, ...spec } = definition('olds', 'Old', other).spec;
    const body = {
      metadata: { name: 'olds.example.com' },
      spec: { ...spec, version: 'v1', validation: objectIn(other) },
    };
    const created = await api.post(old, { ...body, spec: { ...body.spec, preserveUnknownFields: false } });
    expect(created.body.spec.validation.openAPIV3Schema).toEqual(shownFor(other, own));
    const stored = await api.get(`${definitions}/olds.example.com`);
    expect(stored.body.spec.versions[0].schema.openAPIV3Schema).toEqual(shownFor(other, own));
  });

  test('patches and applies in the other spelling change the same keywords', async () => {
    await api.post(definitions, definition('changes', 'Change', own));
    const path = `${definitions}/changes.example.com`;
    const { spec } = definition('changes', 'Change', other);
    const merged = await api.patch('merge', path, { spec: { versions: spec.versions } });
    expect(merged.body.spec.versions[0].schema.openAPIV3Schema).toEqual(shownFor(other, own));
    const config = { ...definition('applied', 'Applied', other), kind: 'CustomResourceDefinition' };
    const applied = await api.call(
      'PATCH',
      `${definitions}/applied.example.com?fieldManager=t`,
      { ...config, apiVersion: `apiextensions.${domain}/v1` },
      { 'content-type': 'application/apply-patch+yaml' },
    );
    expect(applied.status).toBe(201);
    expect(applied.body.spec.versions[0].schema.openAPIV3Schema).toEqual(shownFor(other, own));
    expect(JSON.stringify(applied.body.metadata.managedFields)).not.toContain(`x-${other}-list`);
  });
});
