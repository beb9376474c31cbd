// Custom resources by their schema: what is kept, filled in, refused, shown, and who owns it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'example.com';

interface Given {
  readonly schema?: object;
  readonly version?: object;
  readonly spec?: object;
}

/** Defines a kind and waits until it is served; its path is the answer. */
async function define(plural: string, kind: string, { schema = {}, version = {}, spec = {} }: Given): Promise<string> {
  const versions = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } }, ...version },
  ];
  const body = {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions, ...spec },
  };
  const created = await api.post(definitions, body);
  expect(created.body.message).toBeUndefined();
  const path = `/apis/${group}/v1/namespaces/default/${plural}`;
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
  return path;
}

const object = (kind: string, name: string, rest: object = {}, version = 'v1') => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name },
  ...rest,
});

const causes = ({ body }: Answer): readonly string[] =>
  (body.details?.causes ?? []).map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);

const props = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

describe('a schema', () => {
  let boxes: string;
  beforeAll(async () => {
    const spec = props(
      {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        on: { type: 'boolean' },
        port: { 'x-kubernetes-int-or-string': true },
        text: { type: 'string', nullable: true },
        gone: { type: 'string' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: props({}) } },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      },
      { required: ['size'] },
    );
    boxes = await define('boxes', 'Box', { schema: { properties: { spec } } });
  });

  test('keeps zero values, drops what it does not know, fills in defaults', async () => {
    const spec = {
      ...{ size: 1, on: false, port: 'http', text: null, gone: null, unknown: { a: 1 } },
      ...{
        free: { z: 0, a: { b: 1 } },
        embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'e', odd: 1 }, z: [] },
      },
    };
    const answer = await api.post(boxes, object('Box', 'kept', { spec, other: 1 }));
    expect(answer.status).toBe(201);
    expect(answer.body.spec).toEqual({
      ...{ color: 'red', size: 1, on: false, port: 'http', text: null },
      ...{ free: { z: 0, a: {} }, embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'e' }, z: [] } },
    });
    expect(answer.body).not.toHaveProperty('other');
    expect(answer.body.metadata.generation).toBe(1);
    const warnings = answer.headers.get('warning') ?? '';
    for (const path of ['other', 'spec.free.a.b', 'spec.unknown', 'spec.embedded.metadata.odd'])
      expect(warnings).toContain(`unknown field \\"${path}\\"`);
    expect((await api.get(`${boxes}/kept`)).body.spec).toEqual(answer.body.spec);
  });

  test('a status with a default is there from the start, belongs to no manager, and is no part of what is validated', async () => {
    const status = { type: 'object', default: { phase: 'Waiting' }, properties: { phase: { type: 'string' } } };
    const rules = [{ rule: '!has(self.status) || self.status.phase != "Waiting" || self.spec.started' }];
    const spec = props({ started: { type: 'boolean', default: false } });
    const jobs = await define('waiters', 'Waiter', {
      version: { subresources: { status: {} } },
      schema: { properties: { spec, status }, 'x-kubernetes-validations': rules },
    });
    const made = await api.post(jobs, object('Waiter', 'w', { spec: {}, status: { phase: 'Done' } }));
    expect([made.status, made.body.status]).toEqual([201, { phase: 'Waiting' }]);
    expect(JSON.stringify(made.body.metadata.managedFields)).not.toContain('f:status');
    expect((await api.get(`${jobs}/w`)).body).toEqual(made.body);
    const done = await api.patch('merge', `${jobs}/w/status`, { status: { phase: 'Done' } });
    expect(done.body.status).toEqual({ phase: 'Done' });
  });

  test('what a custom resource does not have is refused by its name', async () => {
    const path = await define('spare', 'Spare', { version: { subresources: { status: {} } } });
    await api.post(path, object('Spare', 'a'));
    expect((await api.delete(`${path}/a/status`)).body).toMatchObject({
      ...{ code: 405, details: { group, kind: 'spare' } },
      message: `delete is not supported on resources of kind "spare.${group}"`,
    });
    expect((await api.get(`${path}/a/scale`)).body).toMatchObject({
      code: 404,
      message: `spare.${group} "a" not found`,
    });
    expect((await api.post(path.replace('/namespaces/default', ''), object('Spare', 'b'))).status).toBe(404);
  });

  test('a client that takes nothing but protobuf is refused before anything is done', async () => {
    const accept = 'application/vnd.kubernetes.protobuf';
    const body = object('Box', 'unseen', { spec: { size: 1 } });
    const refused = await api.call('POST', boxes, body, { accept });
    expect(refused.status).toBe(406);
    expect(refused.body).toContain('only the following media types are accepted: application/json, application/yaml');
    expect((await api.get(`${boxes}/unseen`)).status).toBe(404);
    const either = await api.call('POST', boxes, body, { accept: `${accept}, application/json` });
    expect([either.status, either.body.kind]).toEqual([201, 'Box']);
  });

  test.each<[string, object, number, string]>([
    [
      'a name that is a number',
      { name: 1, labels: {} },
      400,
      'spec.embedded.metadata: Invalid value: {"labels":{},"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [
      'a text',
      'x' as unknown as object,
      400,
      'spec.embedded.metadata: Invalid value: "x": json: cannot unmarshal string',
    ],
    ['a name with a slash', { name: 'a/b' }, 422, 'spec.embedded.metadata.name: Invalid value: "a/b": may not contain'],
    [
      'a namespace in capitals',
      { namespace: 'A' },
      422,
      'spec.embedded.metadata.namespace: Invalid value: "A": a lower',
    ],
    ['an empty owner', { ownerReferences: [{}] }, 422, 'spec.embedded.metadata.ownerReferences.uid: Invalid value: ""'],
    [
      'a finalizer with a blank',
      { finalizers: ['a b'] },
      422,
      'spec.embedded.metadata.finalizers: Invalid value: "a b"',
    ],
  ])('refuses an object inside whose metadata has %s', async (_what, metadata, status, message) => {
    const embedded = { apiVersion: 'v1', kind: 'X', metadata };
    const answer = await api.post(boxes, object('Box', 'outer', { spec: { size: 1, embedded } }));
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  test('refuses unknown fields where the client wants that, and says nothing where it does not', async () => {
    const odd = object('Box', 'strict', { spec: { size: 1, b: 1, a: 1 } });
    const strict = await api.post(`${boxes}?fieldValidation=Strict`, odd);
    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(
      'Box in version "v1" cannot be handled as a Box: strict decoding error: unknown field "spec.a", unknown field "spec.b"',
    );
    const ignored = await api.post(`${boxes}?fieldValidation=Ignore`, odd);
    expect(ignored.headers.get('warning')).toBeNull();
    expect(ignored.status).toBe(201);
  });

  test('names everything that is wrong where it is', async () => {
    const answer = await api.post(
      boxes,
      object('Box', 'wrong', { spec: { size: 0, color: 'green', on: 'no', port: true, tags: ['a', 'a'] } }),
    );
    expect(answer.status).toBe(422);
    expect(answer.body.message).toMatch(/^Box\.example\.com "wrong" is invalid: /);
    expect(causes(answer).toSorted()).toEqual([
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
      'spec.on: Invalid value: "string": spec.on in body must be of type boolean: "string"',
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      'spec.tags[1]: Duplicate value: "a"',
    ]);
  });

  test('is followed by patches too: what becomes null gets its default again', async () => {
    await api.post(boxes, object('Box', 'patched', { spec: { size: 1, color: 'blue' } }));
    const merged = await api.patch('merge', `${boxes}/patched`, { spec: { color: null, odd: 1 } });
    expect(merged.body.spec).toEqual({ color: 'red', size: 1 });
    expect(merged.body.metadata.generation).toBe(2);
    const labels = await api.patch('merge', `${boxes}/patched`, { metadata: { labels: { a: 'b' } } });
    expect(labels.body.metadata.generation).toBe(2);
    expect((await api.patch('strategic', `${boxes}/patched`, { spec: {} })).status).toBe(415);
    const invalid = await api.patch('json', `${boxes}/patched`, [{ op: 'replace', path: '/spec/size', value: 11 }]);
    expect(causes(invalid)).toEqual([
      'spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10',
    ]);
  });

  test('is for one kind only, and tells a number that is none and a text that is too long once each', async () => {
    const other = await api.post(boxes, object('Pear', 'p'));
    expect([other.status, other.body.details.kind, causes(other)]).toEqual([
      ...[422, 'Pear'],
      ['kind: Invalid value: "Pear": must be Box'],
    ]);
    const fraction = await api.post(boxes, object('Box', 'f', { spec: { size: 2.5 } }));
    expect(causes(fraction).toSorted()).toEqual([
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
      'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
    ]);
  });

  test('lets no object be replaced without its version', async () => {
    await api.post(boxes, object('Box', 'put', { spec: { size: 1 } }));
    const answer = await api.put(`${boxes}/put`, object('Box', 'put', { spec: { size: 2 } }));
    expect(causes(answer)).toEqual(['metadata.resourceVersion: Invalid value: 0: must be specified for an update']);
  });

  test('has no protobuf form, and tables of it have', async () => {
    await api.post(boxes, object('Box', 'binary', { spec: { size: 1 } }));
    const accept = 'application/vnd.kubernetes.protobuf';
    expect((await api.get(`${boxes}/binary`, { accept })).status).toBe(406);
    expect((await api.get(boxes, { accept })).status).toBe(406);
    expect((await api.get(`${boxes}?watch=1&timeoutSeconds=1`, { accept: `${accept};stream=watch` })).status).toBe(406);
    const table = await api.get(`${boxes}/binary`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Age']);
    expect(table.body.rows[0].cells).toEqual(['binary', expect.stringMatching(/^\d+s$/)]);
  });
});

test('an object from before a schema became stricter may stay as it is, and is shown by the schema of today', async () => {
  const old = {
    properties: { spec: props({ name: { type: 'string' }, more: { type: 'string' }, n: { type: 'integer' } }) },
  };
  const path = await define('jars', 'Jar', { schema: old });
  await api.post(path, object('Jar', 'a', { spec: { name: 'too long', more: 'x', n: 1 } }));
  const name = { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: "self != 'too long'" }] };
  const spec = props({ name, n: { type: 'integer' }, added: { type: 'string', default: 'yes' } });
  const change = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/properties', value: { spec } }];
  await api.patch('json', `${definitions}/jars.${group}`, change);
  await eventually(async () =>
    expect((await api.get(`${path}/a`)).body.spec).toEqual({ name: 'too long', n: 1, added: 'yes' }),
  );
  const changed = await api.patch('merge', `${path}/a`, { spec: { n: 2 } });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('warning')).toContain("failed rule: self != 'too long'");
  const worse = await api.patch('merge', `${path}/a`, { spec: { name: 'also too long' } });
  expect(causes(worse)).toContain('spec.name: Too long: may not be more than 3 bytes');
});

test('rules of a schema are run, with their messages, reasons and places, on changes too', async () => {
  const rules = [
    {
      rule: 'self.min <= self.max',
      message: 'min must not be above max',
      fieldPath: '.min',
      reason: 'FieldValueForbidden',
    },
    { rule: 'self.max >= oldSelf.max', messageExpression: "oldSelf.max > 4 ? 'max was large' : 'max was small'" },
  ];
  const spec = props({ min: { type: 'integer' }, max: { type: 'integer' } }, { 'x-kubernetes-validations': rules });
  const path = await define('ranges', 'Range', { schema: { properties: { spec } } });
  const refused = await api.post(path, object('Range', 'a', { spec: { min: 2, max: 1 } }));
  expect(causes(refused)).toEqual(['spec.min: Forbidden: min must not be above max']);
  expect((await api.post(path, object('Range', 'a', { spec: { min: 1, max: 5 } }))).status).toBe(201);
  const shrunk = await api.patch('merge', `${path}/a`, { spec: { max: 4 } });
  expect(causes(shrunk)).toEqual(['spec: Invalid value: max was large']);
  const untyped = await api.post(path, object('Range', 'b', { spec: { min: 'x', max: 1 } }));
  expect(causes(untyped)[1]).toMatch(/^<nil>: Invalid value: null: some validation rules were not checked/);
});

describe('subresources', () => {
  let apps: string;
  beforeAll(async () => {
    const status = props({ replicas: { type: 'integer', maximum: 9 }, selector: { type: 'string' } });
    const spec = props({ replicas: { type: 'integer' } });
    const scale = {
      ...{ specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      labelSelectorPath: '.status.selector',
    };
    const version = { subresources: { status: {}, scale } };
    apps = await define('gadgets', 'Gadget', { schema: { properties: { spec, status } }, version });
  });

  test('status is written through its own path only', async () => {
    const created = await api.post(apps, object('Gadget', 'a', { spec: { replicas: 2 }, status: { replicas: 9 } }));
    expect(created.body).not.toHaveProperty('status');
    const labels = { a: 'b' };
    const change = { metadata: { labels }, spec: { replicas: 7 }, status: { replicas: 3, selector: 'app=a' } };
    const written = await api.patch('merge', `${apps}/a/status`, change);
    expect(written.body).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 3, selector: 'app=a' } });
    expect(written.body.metadata.labels).toBeUndefined();
    expect(written.body.metadata.generation).toBe(1);
    const wrong = await api.patch('merge', `${apps}/a/status`, { status: { replicas: 10 } });
    expect(causes(wrong)).toEqual([
      'status.replicas: Invalid value: 10: replicas in body should be less than or equal to 9',
    ]);
    const plain = await api.patch('merge', `${apps}/a`, { spec: { replicas: 4 }, status: { replicas: 1 } });
    expect(plain.body).toMatchObject({ status: { replicas: 3 }, metadata: { generation: 2 } });
  });

  test('scale shows and changes the numbers that the definition points at', async () => {
    await api.post(apps, object('Gadget', 'b', { spec: { replicas: 2 } }));
    await api.patch('merge', `${apps}/b/status`, { status: { replicas: 1, selector: 'x=y' } });
    const shown = await api.get(`${apps}/b/scale`);
    expect(shown.body).toMatchObject({
      ...{ kind: 'Scale', apiVersion: 'autoscaling/v1' },
      ...{ spec: { replicas: 2 }, status: { replicas: 1, selector: 'x=y' } },
    });
    const scaled = await api.patch('merge', `${apps}/b/scale`, { spec: { replicas: 5 } });
    expect(scaled.body.spec).toEqual({ replicas: 5 });
    expect((await api.get(`${apps}/b`)).body.spec).toEqual({ replicas: 5 });
    const negative = await api.patch('merge', `${apps}/b`, { spec: { replicas: -1 } });
    expect(causes(negative)).toEqual(['.spec.replicas: Invalid value: -1: should be a non-negative integer']);
    await api.post(apps, object('Gadget', 'none', { spec: {} }));
    expect((await api.get(`${apps}/none/scale`)).status).toBe(500);
  });
});

test('columns, selectable fields, names of lists and warnings are what the definition says', async () => {
  const conditions = { type: 'array', items: props({ type: { type: 'string' }, status: { type: 'string' } }) };
  const schema = {
    properties: { spec: props({ color: { type: 'string' }, n: { type: 'integer' } }), status: props({ conditions }) },
  };
  const additionalPrinterColumns = [
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'N', type: 'integer', jsonPath: '.spec.n', priority: 1 },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ];
  const version = {
    ...{ additionalPrinterColumns, selectableFields: [{ jsonPath: '.spec.color' }] },
    ...{ deprecated: true, deprecationWarning: 'use something else' },
  };
  const spec = { names: { plural: 'birds', kind: 'Bird', listKind: 'Flock', singular: 'bird', shortNames: ['bi'] } };
  const path = await define('birds', 'Bird', { schema, version, spec });
  const status = {
    conditions: [
      { type: 'Old', status: 'x' },
      { type: 'Ready', status: 'True' },
    ],
  };
  const created = await api.post(path, object('Bird', 'a', { spec: { color: 'red', n: 3 }, status }));
  expect(created.headers.get('warning')).toContain('use something else');
  await api.post(path, object('Bird', 'b', { spec: { color: 'blue' } }));
  const list = await api.get(`${path}?fieldSelector=spec.color%3Dblue`);
  expect(list.body).toMatchObject({
    ...{ kind: 'Flock', metadata: { continue: '' } },
    items: [{ kind: 'Bird', apiVersion: `${group}/v1`, metadata: { name: 'b' } }],
  });
  expect(list.body.items).toHaveLength(1);
  const table = await api.get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(table.body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
    'Name',
    'Color',
    'N',
    'Ready',
  ]);
  expect(table.body.rows.map(({ cells }: { cells: unknown }) => cells)).toEqual([
    ['a', 'red', 3, 'True'],
    ['b', 'blue', null, null],
  ]);
});

test('apply merges lists and maps as the schema marks them, and what has no schema by its keys', async () => {
  const item = props({ name: { type: 'string' }, port: { type: 'integer' } }, { required: ['name'] });
  const spec = props({
    ports: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    whole: { type: 'array', items: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    constructor: { type: 'string' },
  });
  const path = await define('hosts', 'Host', { schema: { properties: { spec } } });
  const apply = (manager: string, value: object, force = false) =>
    api.call('PATCH', `${path}/a?fieldManager=${manager}&force=${force}`, object('Host', 'a', { spec: value }), {
      'content-type': 'application/apply-patch+yaml',
    });
  const first = { ports: [{ name: 'a', port: 1 }], tags: ['x'], whole: ['1'], free: { a: { b: 1 } } };
  const made = await apply('one', first);
  expect(made.status).toBe(201);
  expect(made.body.metadata.managedFields[0].fieldsV1).toEqual({
    'f:spec': {
      'f:free': { 'f:a': { '.': {}, 'f:b': {} } },
      'f:ports': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
      'f:tags': { 'v:"x"': {} },
      'f:whole': {},
    },
  });
  const both = await apply('two', { ports: [{ name: 'b', port: 2 }], tags: ['y'], free: { a: { c: 2 } } });
  expect(both.body.spec).toMatchObject({ tags: ['x', 'y'], free: { a: { b: 1, c: 2 } } });
  expect(both.body.spec.ports).toHaveLength(2);
  expect((await apply('two', { whole: ['2'] })).status).toBe(409);
  const removed = await apply('one', { whole: ['1'] });
  expect(removed.body.spec).toMatchObject({ tags: ['y'], ports: [{ name: 'b', port: 2 }], free: { a: { c: 2 } } });
});

test('versions of one shape differ by their name and by what their schemas know', async () => {
  const schema = (properties: object) => ({ openAPIV3Schema: props({ spec: props(properties) }) });
  const text = { type: 'string' };
  const versions = [
    { name: 'v1', served: true, storage: true, schema: schema({ a: text, b: { ...text, default: 'stored' } }) },
    { name: 'v2', served: true, storage: false, schema: schema({ a: text, c: { ...text, default: 'asked' } }) },
  ];
  const path = await define('twins', 'Twin', { spec: { versions } });
  await api.post(path, object('Twin', 'x', { spec: { a: '1' } }));
  const other = await api.get(`${path.replace('/v1/', '/v2/')}/x`);
  expect(other.body).toMatchObject({ apiVersion: `${group}/v2`, spec: { a: '1' } });
  expect(other.body.spec).not.toHaveProperty('b');
});

test('documents describe custom kinds', async () => {
  const spec = props({ n: { type: 'integer', nullable: true }, port: { 'x-kubernetes-int-or-string': true } });
  await define('pages', 'Page', { schema: { description: 'A page.', properties: { spec } } });
  const v3 = await eventually(async () => {
    const answer = await api.get(`/openapi/v3/apis/${group}/v1`);
    expect(answer.body.components.schemas).toHaveProperty(['com.example.v1.Page']);
    return answer.body.components.schemas;
  });
  const page = v3['com.example.v1.Page'];
  expect(page).toMatchObject({
    description: 'A page.',
    'x-kubernetes-group-version-kind': [{ group, kind: 'Page', version: 'v1' }],
  });
  expect(Object.keys(page.properties).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  expect(page.properties.spec.properties.port.anyOf).toEqual([{ type: 'integer' }, { type: 'string' }]);
  expect(v3['com.example.v1.PageList'].required).toEqual(['items']);
  const v2 = (await api.get('/openapi/v2')).body.definitions['com.example.v1.Page'];
  expect(v2.properties.spec.properties.n).not.toHaveProperty('type');
});
