// Sentences of the specification about dry runs, field validation, server-side apply and field ownership, in both dialects.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';
import { applyType, dialects, workload } from './dialects.ts';
import { eventually } from './eventually.ts';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: { readonly 'f:data'?: object };
}

/** Manager and operation to the keys of data that they own. */
const ownersOf = ({ body }: Answer): Record<string, string[]> =>
  Object.fromEntries(
    ((body.metadata.managedFields ?? []) as Entry[]).map(({ manager, operation, fieldsV1 }) => [
      `${manager} ${operation}`,
      Object.keys(fieldsV1['f:data'] ?? {}).filter((key) => key !== '.'),
    ]),
  );
const warningsOf = ({ headers }: Answer) => headers.get('warning');

describe.each(dialects)('in the %s dialect', (dialect, { apiDomain, vendor }) => {
  let server: Server;
  let api: Api;
  const registration = `admissionregistration.${apiDomain}`;
  beforeAll(async () => {
    server = await startTestServer({
      ...{
        listen: false,
        dialect,
        runtimeConfig: { [`${registration}/v1beta1/validatingwebhookconfigurations`]: true },
      },
    });
    api = apiOf(server);
    await eventually(async () => expect((await api.get(`${home}/serviceaccounts/default`)).status).toBe(200));
  });
  afterAll(() => server.close());

  const home = '/api/v1/namespaces/default';
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const apply = (manager: string, name: string, data: Record<string, string>, query = ''): Promise<Answer> =>
    api.call('PATCH', `${configMaps}/${name}?fieldManager=${manager}${query}`, configMap(name, data), applyType);

  describe('a dry run', () => {
    test('answers every verb as the real request, and nothing of it stays', async () => {
      const path = `${configMaps}/tried`;
      const before = (await api.post(configMaps, configMap('tried', { a: '1' }))).body;
      const changed = configMap('tried', { a: '2' });
      const answers = [
        await api.post(`${configMaps}?dryRun=All`, configMap('new', { a: '2' })),
        await api.put(`${path}?dryRun=All`, changed),
        await api.patch('merge', `${path}?dryRun=All`, { data: { a: '2' } }),
        await api.call('PATCH', `${path}?dryRun=All&fieldManager=m&force=true`, changed, applyType),
        await api.delete(`${path}?dryRun=All`),
        await api.delete(`${configMaps}?dryRun=All&fieldSelector=metadata.name%3Dtried`),
      ];
      expect(answers.map(({ status, body }) => [status, body.data?.a])).toEqual([
        [201, '2'],
        [200, '2'],
        [200, '2'],
        [200, '2'],
        [200, undefined],
        [200, undefined],
      ]);
      expect(answers.at(-1)?.body.items).toMatchObject([{ metadata: { name: 'tried' } }]);
      expect((await api.get(path)).body).toEqual(before);
      expect((await api.get(`${configMaps}/new`)).status).toBe(404);
    });

    test('without a value is none: the write is made, or the value is invalid', async () => {
      const path = `${configMaps}/empty-value`;
      const answers = [
        await api.post(`${configMaps}?dryRun=`, configMap('empty-value', { a: '1' })),
        await api.put(`${path}?dryRun=`, configMap('empty-value', { a: '2' })),
        await api.patch('merge', `${path}?dryRun=`, { data: { a: '3' } }),
      ];
      const isValid = dialect === 'cluster';
      expect(answers.map(({ status }) => status)).toEqual(isValid ? [201, 200, 200] : [422, 422, 422]);
      const { status, body } = await api.get(path);
      expect([status, body.data]).toEqual(isValid ? [200, { a: '3' }] : [404, undefined]);
      expect((await api.delete(`${path}?dryRun=`)).status).toBe(isValid ? 200 : 422);
      expect((await api.get(path)).status).toBe(404);
      expect((await api.post(`${configMaps}?dryRun=Some`, configMap('odd'))).status).toBe(422);
    });

    test('is charged to no quota', async () => {
      const limited = '/api/v1/namespaces/limited';
      await api.post('/api/v1/namespaces', { metadata: { name: 'limited' } });
      await api.post(`${limited}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { secrets: '1' } } });
      const used = async () => (await api.get(`${limited}/resourcequotas/q`)).body.status?.used;
      await eventually(async () => expect(await used()).toEqual({ secrets: '0' }));
      const create = async (query: string, name: string) =>
        (await api.post(`${limited}/secrets${query}`, { metadata: { name } })).status;
      for (let count = 0; count < 3; count++) expect(await create('?dryRun=All', `s${count}`)).toBe(201);
      expect(await used()).toEqual({ secrets: '0' });
      expect([await create('', 'real'), await create('?dryRun=All', 'too-many')]).toEqual([201, 403]);
    });

    test('runs admission, defaults and validation', async () => {
      const container = { name: 'c', image: 'i' };
      const dry = (spec: object) => api.post(`${home}/pods?dryRun=All`, { metadata: { name: 'p' }, spec });
      const { status, body } = await dry({ containers: [container] });
      expect([status, body.spec.dnsPolicy, body.spec.serviceAccountName]).toEqual([201, 'ClusterFirst', 'default']);
      expect((await dry({ containers: [container], serviceAccountName: 'none' })).status).toBe(403);
      expect((await dry({ containers: [container, container] })).status).toBe(422);
      expect((await dry({ containers: 1 })).status).toBe(400);
    });

    test('needs the rights of the real request', async () => {
      for (const query of ['', '?dryRun=All']) {
        const body = configMap('stranger');
        const refused = await api.call('POST', `${configMaps}${query}`, body, { 'impersonate-user': 'ann' });
        expect(refused.status).toBe(403);
      }
    });

    test('makes up name, uid and time, and the addresses and ports of services', async () => {
      const { metadata } = (await api.post(`${configMaps}?dryRun=All`, { metadata: { generateName: 'g-' } })).body;
      expect([metadata.name, metadata.uid, metadata.creationTimestamp]).toEqual([
        expect.stringMatching(/^g-\w{5}$/),
        expect.any(String),
        expect.any(String),
      ]);
      const spec = { type: 'NodePort', ports: [{ port: 80 }] };
      const service = (await api.post(`${home}/services?dryRun=All`, { metadata: { name: 's' }, spec })).body.spec;
      expect([service.clusterIP, service.ports[0].nodePort]).toEqual([
        expect.stringMatching(/^10\./),
        expect.any(Number),
      ]);
      expect((await api.get(`${home}/services/s`)).status).toBe(404);
    });

    test('is refused where a webhook with side effects would be asked', async () => {
      const path = `/apis/${registration}/v1beta1/validatingwebhookconfigurations`;
      const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }];
      // never asked: the request is refused before
      const clientConfig = { url: 'https://127.0.0.1:1/hook' };
      const webhook = { name: 'a.example.com', sideEffects: 'Some', clientConfig, rules };
      expect((await api.post(path, { metadata: { name: 'effects' }, webhooks: [webhook] })).status).toBe(201);
      const dry = await api.post(`${home}/secrets?dryRun=All`, { metadata: { name: 'x' } });
      expect([dry.status, dry.body.message]).toEqual([400, expect.stringContaining('does not support dry run')]);
      await api.delete(`${path}/effects`);
    });
  });

  describe('field validation', () => {
    const text = (name: string) =>
      `{"metadata":{"name":"${name}","odd":1},"data":{"a":"1","a":"2"},"strange":1,"kind":"ConfigMap","apiVersion":"v1"}`;
    /** Writes with two unknown fields and one that repeats. */
    const writes: Readonly<Record<string, (query: string) => Promise<Answer>>> = {
      POST: (query) => api.call('POST', `${configMaps}?dryRun=All${query}`, text('new')),
      PUT: (query) => api.call('PUT', `${configMaps}/there?dryRun=All${query}`, text('there')),
      PATCH: (query) =>
        api.call('PATCH', `${configMaps}/there?dryRun=All${query}`, text('there'), {
          'content-type': 'application/merge-patch+json',
        }),
    };
    const fields = ['unknown field \\"metadata.odd\\"', 'unknown field \\"strange\\"', 'duplicate field \\"data.a\\"'];
    beforeAll(async () => {
      await api.post(configMaps, configMap('there', { a: '0' }));
    });

    test.each(Object.keys(writes))(
      '%s drops unknown and repeated fields, tells each of them, or refuses',
      async (verb) => {
        const write = writes[verb] as (query: string) => Promise<Answer>;
        const ignored = await write('&fieldValidation=Ignore');
        expect([ignored.status < 300, warningsOf(ignored), ignored.body.data, ignored.body.strange]).toEqual([
          true,
          null,
          { a: '2' },
          undefined,
        ]);
        for (const query of ['', '&fieldValidation=Warn']) {
          const warned = await write(query);
          expect([warned.status < 300, warned.body.data, warned.body.strange]).toEqual([true, { a: '2' }, undefined]);
          expect(warningsOf(warned)?.split(', ')).toHaveLength(fields.length);
          for (const field of fields) expect(warningsOf(warned)).toContain(field);
        }
        const strict = await write('&fieldValidation=Strict');
        expect(strict.status).toBe(verb === 'PATCH' && dialect === 'kubernetes' ? 422 : 400);
        for (const field of fields) expect(strict.body.message).toContain(field.replaceAll('\\', ''));
        expect((await write('&fieldValidation=Loud')).status).toBe(422);
      },
    );

    test.each(['Ignore', 'Warn', 'Strict'])('types are always validated: %s', async (level) => {
      const answer = await api.post(`${configMaps}?fieldValidation=${level}`, {
        ...configMap('typed'),
        data: { a: 1 },
      });
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
    });

    test('custom resources that preserve unknown fields have none', async () => {
      const preserve = { [`x-${vendor}-preserve-unknown-fields`]: true };
      const properties = { spec: { type: 'object', ...preserve }, closed: { type: 'object' } };
      const schema = { openAPIV3Schema: { type: 'object', properties } };
      const names = { plural: 'boxes', kind: 'Box' };
      const versions = [{ name: 'v1', served: true, storage: true, schema }];
      await api.post(`/apis/apiextensions.${apiDomain}/v1/customresourcedefinitions`, {
        metadata: { name: 'boxes.e.x' },
        spec: { group: 'e.x', scope: 'Namespaced', names, versions },
      });
      const path = '/apis/e.x/v1/namespaces/default/boxes';
      await eventually(async () => expect((await api.get(path)).status).toBe(200));
      const box = { apiVersion: 'e.x/v1', kind: 'Box', metadata: { name: 'b' }, spec: { any: { thing: 1 } } };
      const kept = await api.post(`${path}?fieldValidation=Strict`, box);
      expect([kept.status, kept.body.spec]).toEqual([201, { any: { thing: 1 } }]);
      const closed = await api.put(`${path}/b`, { ...kept.body, closed: { odd: 1 } });
      expect([warningsOf(closed), closed.body.closed]).toEqual(['299 - "unknown field \\"closed.odd\\""', {}]);
    });
  });

  describe('server-side apply', () => {
    test('needs a manager, and creates what is absent', async () => {
      const path = `${configMaps}/applied`;
      expect((await api.call('PATCH', path, configMap('applied'), applyType)).status).toBe(422);
      const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  k: "1"\n';
      const made = await api.call('PATCH', `${path}?fieldManager=m`, yaml, applyType);
      expect([made.status, made.body.data]).toEqual([201, { k: '1' }]);
      const changed = await apply('m', 'applied', { k: '2' });
      expect([changed.status, changed.body.data]).toEqual([200, { k: '2' }]);
    });

    test('records manager, operation, version, time and fields', async () => {
      const applied = (await apply('m', 'entry', { a: '1' })).body.metadata;
      expect(applied.managedFields).toEqual([
        {
          manager: 'm',
          operation: 'Apply',
          apiVersion: 'v1',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        },
      ]);
      const carried = { ...configMap('entry'), metadata: { name: 'entry', managedFields: applied.managedFields } };
      expect((await api.call('PATCH', `${configMaps}/entry?fieldManager=m`, carried, applyType)).status).toBe(400);
    });

    test('other writes record their manager: from the parameter, or from the user agent', async () => {
      const agent = { 'user-agent': 'tool/1.0 (x)', 'content-type': 'application/json' };
      const made = await api.call('POST', configMaps, configMap('agents', { a: '1' }), agent);
      const changed = await api.patch('merge', `${configMaps}/agents?fieldManager=me`, { data: { b: '2' } });
      expect([ownersOf(made), ownersOf(changed)]).toEqual([
        { 'tool Update': ['f:a'] },
        { 'tool Update': ['f:a'], 'me Update': ['f:b'] },
      ]);
    });

    test('conflicts change nothing, and are resolved by force, by dropping the field, or by the live value', async () => {
      await apply('a', 'forced', { k: '1', l: '1' });
      const refused = await apply('b', 'forced', { k: '2' });
      expect([refused.status, (await api.get(`${configMaps}/forced`)).body.data]).toEqual([409, { k: '1', l: '1' }]);
      const forced = await apply('b', 'forced', { k: '2' }, '&force=true');
      expect([forced.body.data, ownersOf(forced)]).toEqual([
        { k: '2', l: '1' },
        { 'a Apply': ['f:l'], 'b Apply': ['f:k'] },
      ]);
      const matched = await apply('a', 'forced', { k: '2', l: '1' });
      expect(ownersOf(matched)).toEqual({ 'a Apply': ['f:k', 'f:l'], 'b Apply': ['f:k'] });
      // a shared field conflicts, whichever owner changes it
      expect([
        (await apply('a', 'forced', { k: '3' })).status,
        (await apply('b', 'forced', { k: '3' })).status,
      ]).toEqual([409, 409]);
      const dropped = await apply('b', 'forced', { l: '1' });
      expect([dropped.body.data, ownersOf(dropped)]).toEqual([
        { k: '2', l: '1' },
        { 'a Apply': ['f:k', 'f:l'], 'b Apply': ['f:l'] },
      ]);
    });

    test('what its only owner drops is deleted, or reset to its default', async () => {
      await apply('a', 'dropping', { k: '1', l: '1' });
      expect((await apply('a', 'dropping', { l: '1' })).body.data).toEqual({ l: '1' });
      const scaled = { apiVersion: 'apps/v1', kind: 'Deployment', ...workload('web', { replicas: 3 }) };
      const path = `${deployments}/web?fieldManager=a`;
      expect((await api.call('PATCH', path, scaled, applyType)).body.spec.replicas).toBe(3);
      const plain = { apiVersion: 'apps/v1', kind: 'Deployment', ...workload('web') };
      expect((await api.call('PATCH', path, plain, applyType)).body.spec.replicas).toBe(1);
    });

    test('writes that are no apply never conflict, and take the field; a manager without fields goes', async () => {
      await apply('a', 'taken', { k: '0' });
      const path = `${configMaps}/taken`;
      const owners = [
        await api.patch('merge', `${path}?fieldManager=m`, { data: { k: '1' } }),
        await api.patch('json', `${path}?fieldManager=j`, [{ op: 'replace', path: '/data/k', value: '2' }]),
        await api.put(`${path}?fieldManager=u`, configMap('taken', { k: '3' })),
      ].map(ownersOf);
      expect(owners).toEqual([{ 'm Update': ['f:k'] }, { 'j Update': ['f:k'] }, { 'u Update': ['f:k'] }]);
    });

    test('a controller applies with force, without a read and without a version', async () => {
      for (const round of ['1', '2']) {
        await api.patch('merge', `${configMaps}/kept?fieldManager=other`, { data: { k: 'else' } });
        const { body } = await apply('controller', 'kept', { k: round }, '&force=true');
        expect(body.data).toEqual({ k: round });
      }
    });

    test('the scale of an object is tracked under its subresource', async () => {
      await api.post(deployments, workload('scaled'));
      await api.patch('merge', `${deployments}/scaled/scale?fieldManager=s`, { spec: { replicas: 4 } });
      const { managedFields } = (await api.get(`${deployments}/scaled`)).body.metadata;
      const entry = managedFields.find(({ manager }: Entry) => manager === 's');
      expect(entry).toMatchObject({ subresource: 'scale', fieldsV1: { 'f:spec': { 'f:replicas': {} } } });
    });

    test.each(['merge', 'json'] as const)(
      'managedFields are stripped by a %s patch with one empty entry',
      async (kind) => {
        const name = `stripped-${kind}`;
        await apply('a', name, { k: '1' });
        const replace = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];
        const body = kind === 'merge' ? { metadata: { managedFields: [{}] } } : replace;
        const answer = await api.patch(kind, `${configMaps}/${name}`, body);
        expect([answer.status, answer.body.metadata.managedFields]).toEqual([200, undefined]);
      },
    );
  });

  test('what no schema describes is merged by its keys, and its lists are atomic', async () => {
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
    const spec = {
      group: 'free.example.com',
      scope: 'Namespaced',
      names: { plural: 'clouds', kind: 'Cloud' },
      versions,
    };
    await api.post(`/apis/apiextensions.${apiDomain}/v1/customresourcedefinitions`, {
      ...{ metadata: { name: 'clouds.free.example.com' }, spec },
    });
    const path = '/apis/free.example.com/v1/namespaces/default/clouds';
    await eventually(async () => expect((await api.get(path)).status).toBe(200));
    const object = { apiVersion: 'free.example.com/v1', kind: 'Cloud', metadata: { name: 'a' } };
    const applied = (manager: string, content: object) =>
      api.call('PATCH', `${path}/a?fieldManager=${manager}`, { ...object, spec: content }, applyType);
    const made = await applied('one', { shape: { a: 1 }, list: [{ name: 'x' }] });
    expect(made.body.metadata.managedFields[0].fieldsV1).toEqual({
      'f:spec': { '.': {}, 'f:list': {}, 'f:shape': { '.': {}, 'f:a': {} } },
    });
    expect((await applied('two', { shape: { b: 2 } })).body.spec.shape).toEqual({ a: 1, b: 2 });
    expect((await applied('two', { list: [{ name: 'y' }] })).status).toBe(409);
  });

  test('merge markers are in the documents, in the word of the dialect', async () => {
    const v3 = await (await server.fetch('/openapi/v3/api/v1')).text();
    const v2 = await (await server.fetch('/openapi/v2')).text();
    for (const document of [v2, v3]) {
      for (const [marker, value] of [
        ['list-type', '"atomic"'],
        ['list-type', '"set"'],
        ['list-type', '"map"'],
        ['list-map-keys', '["'],
        ['map-type', '"atomic"'],
      ])
        expect(document).toContain(`"x-${vendor}-${marker}":${value}`);
      const other = vendor === 'cluster' ? 'kubernetes' : 'cluster';
      expect(document).not.toContain(`"x-${other}-`);
    }
    const { schemas } = JSON.parse(v3).components as {
      schemas: Record<string, { properties: Record<string, object> }>;
    };
    const of = (kind: string) => schemas[Object.keys(schemas).find((name) => name.endsWith(`.${kind}`)) ?? ''];
    const granular = [of('ConfigMap')?.properties['data'], of('PodSpec')?.properties['securityContext']];
    for (const part of granular) expect(Object.keys(part ?? {})).not.toContain(`x-${vendor}-map-type`);
    // a map, and a struct
    const atomic = [of('PodSpec')?.properties['nodeSelector'], of('LabelSelector')];
    for (const part of atomic) expect(part).toMatchObject({ [`x-${vendor}-map-type`]: 'atomic' });
  });

  test.each(['kubernetes', 'cluster'])(
    'schemas of custom resources mark lists and maps in the word %s',
    async (word) => {
      const group = `${word}.example.com`;
      const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
      const text = { type: 'string' };
      const content = {
        type: 'object',
        properties: {
          keyed: { type: 'array', items: item, [`x-${word}-list-type`]: 'map', [`x-${word}-list-map-keys`]: ['name'] },
          set: { type: 'array', items: text, [`x-${word}-list-type`]: 'set' },
          whole: { type: 'object', additionalProperties: text, [`x-${word}-map-type`]: 'atomic' },
          plain: { type: 'array', items: text },
        },
      };
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec: content } } };
      const versions = [{ name: 'v1', served: true, storage: true, schema }];
      const names = { plural: 'marks', kind: 'Mark' };
      const made = await api.post(`/apis/apiextensions.${apiDomain}/v1/customresourcedefinitions`, {
        ...{ metadata: { name: `marks.${group}` }, spec: { group, scope: 'Namespaced', names, versions } },
      });
      expect([made.status, made.body.message]).toEqual([201, undefined]);
      const path = `/apis/${group}/v1/namespaces/default/marks`;
      await eventually(async () => expect((await api.get(path)).status).toBe(200));
      const applied = (manager: string, spec: object) => {
        const object = { apiVersion: `${group}/v1`, kind: 'Mark', metadata: { name: 'a' }, spec };
        return api.call('PATCH', `${path}/a?fieldManager=${manager}`, object, applyType);
      };
      const first = { keyed: [{ name: 'x' }], set: ['x'], whole: { a: '1' }, plain: ['x'] };
      const { metadata } = (await applied('one', first)).body;
      expect(metadata.managedFields[0].fieldsV1['f:spec']).toEqual({
        'f:keyed': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
        'f:set': { 'v:"x"': {} },
        'f:whole': {},
        'f:plain': {},
      });
      const second = await applied('two', { keyed: [{ name: 'y' }], set: ['y'] });
      expect(second.body.spec).toMatchObject({ keyed: [{ name: 'x' }, { name: 'y' }], set: ['x', 'y'] });
      expect((await applied('two', { whole: { b: '2' } })).status).toBe(409);
    },
  );
});
