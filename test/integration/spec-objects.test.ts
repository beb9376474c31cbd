// Sentences of the specification about objects, their metadata, paths, verbs and representations, in both dialects.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEnvelope } from '../../src/codec/protobuf/envelope.ts';
import { asBytes, readFields } from '../../src/codec/protobuf/reader.ts';
import { ProtobufWriter } from '../../src/codec/protobuf/writer.ts';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';
import { dialects, workload } from './dialects.ts';
import { eventually, gone } from './eventually.ts';

describe.each(dialects)('in the %s dialect', (name, { apiDomain, publicNamespace, vendor }) => {
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({ listen: false, dialect: name });
    api = apiOf(server);
    const spec = { group: 'e.x', scope: 'Namespaced', names: { plural: 'parts', kind: 'Part' } };
    const schema = { openAPIV3Schema: { type: 'object', [`x-${vendor}-preserve-unknown-fields`]: true } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const definition = { metadata: { name: 'parts.e.x' }, spec: { ...spec, versions } };
    await api.post(`/apis/apiextensions.${apiDomain}/v1/customresourcedefinitions`, definition);
    await eventually(async () => expect((await api.get(parts)).status).toBe(200));
    await eventually(async () => expect((await api.get(`${home}/serviceaccounts/default`)).status).toBe(200));
  });
  afterAll(() => server.close());

  const home = '/api/v1/namespaces/default';
  const parts = '/apis/e.x/v1/namespaces/default/parts';
  const pod = (called: string) => ({ metadata: { name: called }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  const status = async (answer: Promise<Answer>) => (await answer).status;
  const deployments = '/apis/apps/v1/namespaces/default/deployments';

  test('POST, GET, PUT and PATCH answer with the object, DELETE with a status or the object', async () => {
    const path = `${configMaps}/all`;
    const answers = [
      await api.post(configMaps, configMap('all', { a: '1' })),
      await api.get(path),
      await api.put(path, configMap('all', { a: '2' })),
      await api.patch('merge', path, { data: { a: '3' } }),
      await api.delete(path),
      await api.get(path),
    ];
    expect(answers.map(({ status: code, body }) => [code, body.kind, body.data?.a])).toEqual([
      [201, 'ConfigMap', '1'],
      [200, 'ConfigMap', '1'],
      [200, 'ConfigMap', '2'],
      [200, 'ConfigMap', '3'],
      [200, 'Status', undefined],
      [404, 'Status', undefined],
    ]);
  });

  describe('names', () => {
    test('are taken once per kind and namespace, and free after deletion', async () => {
      const elsewhere = `/api/v1/namespaces/${publicNamespace}/configmaps`;
      const first = await api.post(configMaps, configMap('taken'));
      const codes = [
        await status(api.post(configMaps, configMap('taken'))),
        await status(api.post(elsewhere, configMap('taken'))),
        await status(api.post(`${home}/secrets`, { metadata: { name: 'taken' } })),
        await status(api.delete(`${configMaps}/taken`)),
      ];
      expect([first.status, ...codes]).toEqual([201, 409, 201, 201, 200]);
      const again = await api.post(configMaps, configMap('taken'));
      expect([again.status, again.body.metadata.uid === first.body.metadata.uid]).toEqual([201, false]);
    });

    test('of kinds without a namespace are unique in the whole cluster', async () => {
      const node = { metadata: { name: 'one' } };
      expect([await status(api.post('/api/v1/nodes', node)), await status(api.post('/api/v1/nodes', node))]).toEqual([
        201, 409,
      ]);
    });

    test('are made of generateName where that is set', async () => {
      const make = async () => (await api.post(configMaps, { metadata: { generateName: 'made-' } })).body.metadata.name;
      const [one, other] = [await make(), await make()];
      expect([one === other, one, other]).toEqual([
        false,
        expect.stringMatching(/^made-\w{5}$/),
        expect.stringMatching(/^made-\w{5}$/),
      ]);
    });
  });

  describe('scope', () => {
    test('every type is of the cluster or of a namespace, and namespaces are of the cluster', async () => {
      const { resources } = (await api.get('/api/v1')).body as { resources: { name: string; namespaced: boolean }[] };
      const scope = new Map(resources.map((one) => [one.name, one.namespaced]));
      expect(new Set(scope.values())).toEqual(new Set([true, false]));
      expect([scope.get('namespaces'), scope.get('nodes'), scope.get('pods')]).toEqual([false, false, true]);
      expect(await status(api.get(`${home}/nodes`))).toBe(404);
      expect(await status(api.post('/api/v1/configmaps', configMap('no-home')))).toBe(405);
    });

    test('rights in a namespace open that namespace only', async () => {
      const rbac = `/apis/rbac.authorization.${apiDomain}/v1/namespaces/default`;
      const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }];
      const roleRef = { apiGroup: `rbac.authorization.${apiDomain}`, kind: 'Role', name: 'reader' };
      await api.post(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
      const subjects = [{ kind: 'User', name: 'ann', apiGroup: `rbac.authorization.${apiDomain}` }];
      await api.post(`${rbac}/rolebindings`, { metadata: { name: 'reader' }, roleRef, subjects });
      const as = { 'impersonate-user': 'ann' };
      expect(await status(api.get(configMaps, as))).toBe(200);
      expect(await status(api.get(`/api/v1/namespaces/${publicNamespace}/configmaps`, as))).toBe(403);
      expect(await status(api.get('/api/v1/configmaps', as))).toBe(403);
    });

    test('a namespace that goes takes its objects along, those that are going already too', async () => {
      const path = '/api/v1/namespaces/going';
      await api.post('/api/v1/namespaces', { metadata: { name: 'going' } });
      await api.post(`${path}/configmaps`, configMap('live'));
      await api.post(`${path}/configmaps`, configMap('terminating', {}, { finalizers: ['example.com/x'] }));
      await api.delete(`${path}/configmaps/terminating`);
      await api.delete(path);
      await gone(api, `${path}/configmaps/live`);
      // the namespace waits for what was going already
      expect((await api.get(path)).body.status.phase).toBe('Terminating');
      expect((await api.get(`${path}/configmaps`)).body.items).toMatchObject([{ metadata: { name: 'terminating' } }]);
      await api.patch('merge', `${path}/configmaps/terminating`, { metadata: { finalizers: null } });
      await gone(api, path);
      expect((await api.get(`${path}/configmaps`)).body.items).toEqual([]);
    });
  });

  test('there is no kind named List, and no request takes several objects', async () => {
    const item = configMap('listed');
    const bodies = [{ kind: 'List', apiVersion: 'v1', items: [item] }, [item]];
    for (const body of [...bodies, { kind: 'ConfigMapList', apiVersion: 'v1', items: [item] }])
      expect(await status(api.post(configMaps, body))).toBe(400);
    expect(await status(api.get(`${configMaps}/listed`))).toBe(404);
    const kinds = (await api.get('/api/v1')).body.resources.map(({ kind }: { kind: string }) => kind);
    expect(kinds).not.toContain('List');
  });

  test('virtual resources are answered, and not stored', async () => {
    const reviews = `/apis/authorization.${apiDomain}/v1/subjectaccessreviews`;
    const spec = { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods' } };
    const asked = await api.post(reviews, { spec });
    expect([asked.status, asked.body.status.allowed, asked.body.metadata.name]).toEqual([201, false, undefined]);
    expect([await status(api.get(reviews)), await status(api.get(`${reviews}/any`))]).toEqual([405, 404]);
    await api.post(`${home}/pods`, pod('evicted'));
    const eviction = await api.post(`${home}/pods/evicted/eviction`, { metadata: { name: 'evicted' } });
    expect([eviction.status, await status(api.get(`${home}/pods/evicted`))]).toEqual([201, 404]);
  });

  describe('metadata', () => {
    test('uid, versions and times are those of the server', async () => {
      const given = {
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      };
      const { metadata } = (await api.post(configMaps, configMap('owned', { a: '1' }, given))).body;
      const other = (await api.post(configMaps, configMap('owned-too', {}, given))).body.metadata;
      expect(other.uid).not.toBe(metadata.uid);
      expect(metadata.uid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(Date.parse(metadata.creationTimestamp)).toBeGreaterThan(Date.parse('2020-01-01T00:00:00Z'));
      expect([metadata.deletionTimestamp, metadata.namespace, typeof metadata.resourceVersion]).toEqual([
        undefined,
        'default',
        'string',
      ]);
    });

    test('resourceVersion is that of the last change, and of a collection that of its construction', async () => {
      const path = `${configMaps}/versioned`;
      const made = (await api.post(configMaps, configMap('versioned', { a: '1' }))).body;
      const same = (await api.put(path, made)).body;
      const changed = (await api.patch('merge', path, { data: { a: '2' } })).body;
      const last = (await api.post(configMaps, configMap('after'))).body;
      const version = (object: { metadata: { resourceVersion: string } }) => object.metadata.resourceVersion;
      expect(version(same)).toBe(version(made));
      expect(version(changed)).not.toBe(version(made));
      expect(version((await api.get(path)).body)).toBe(version(changed));
      const list = (await api.get(configMaps)).body;
      expect(Number(version(list))).toBeGreaterThanOrEqual(Number(version(last)));
      const stale = await api.put(path, { ...made, data: { a: '3' } });
      expect([stale.status, stale.body.reason]).toEqual([409, 'Conflict']);
    });

    test('labels and annotations are maps of text', async () => {
      for (const field of ['labels', 'annotations']) {
        const made = await api.post(configMaps, configMap(`texts-${field}`, {}, { [field]: { 'example.com/a': 'b' } }));
        expect([made.status, made.body.metadata[field]]).toEqual([201, { 'example.com/a': 'b' }]);
        expect(await status(api.post(configMaps, configMap('wrong', {}, { [field]: { a: 1 } })))).toBe(400);
      }
    });
  });

  test('finalizers go in any order, and the object with the last of them', async () => {
    const path = `${configMaps}/held`;
    const [x, y, z] = ['example.com/x', 'example.com/y', 'example.com/z'];
    const live = (await api.post(configMaps, configMap('held', {}, { finalizers: [x, y, z] }))).body.metadata;
    expect(live.deletionTimestamp).toBeUndefined();
    const finalizers = async (list: unknown) =>
      (await api.patch('merge', path, { metadata: { finalizers: list } })).body;
    expect((await finalizers([z, x, y])).metadata.finalizers).toEqual([z, x, y]);
    const { deletionTimestamp } = (await api.delete(path)).body.metadata;
    expect(Math.abs(Date.parse(deletionTimestamp) - Date.now())).toBeLessThan(60_000);
    for (const left of [[y, z, x], [y, x], [x]]) {
      expect((await finalizers(left)).metadata).toMatchObject({ finalizers: left, deletionTimestamp });
      expect((await api.delete(path)).body.metadata.deletionTimestamp).toBe(deletionTimestamp);
    }
    await finalizers(null);
    expect(await status(api.get(path))).toBe(404);
  });

  test('paths of collections, objects and sub-resources, with and without a namespace', async () => {
    await api.post('/api/v1/nodes', { metadata: { name: 'here' } });
    await api.post(`${home}/pods`, pod('here'));
    await api.post(deployments, workload('here'));
    for (const [path, kind] of [
      ['/api/v1/nodes', 'NodeList'],
      ['/api/v1/nodes/here', 'Node'],
      ['/api/v1/nodes/here/status', 'Node'],
      ['/api/v1/pods', 'PodList'],
      [`${home}/pods`, 'PodList'],
      [`${home}/pods/here`, 'Pod'],
      [`${home}/pods/here/status`, 'Pod'],
      ['/api/v1/namespaces', 'NamespaceList'],
      [home, 'Namespace'],
      ['/apis/apps/v1/deployments', 'DeploymentList'],
      [deployments, 'DeploymentList'],
      [`${deployments}/here`, 'Deployment'],
      [`${deployments}/here/scale`, 'Scale'],
    ]) {
      const { status: code, body } = await api.get(path as string);
      expect([path, code, body.kind]).toEqual([path, 200, kind]);
    }
    const everywhere = (await api.get('/api/v1/pods')).body.items as { metadata: { namespace: string } }[];
    expect(everywhere.map(({ metadata }) => metadata.namespace)).toContain('default');
    // below a collection there is no sub-resource, only an object of that name
    expect(await status(api.get(`${home}/pods/status`))).toBe(404);
  });

  test('a kind is the schema of a type: documents name it, and objects of the type have it and its fields', async () => {
    const { resources } = (await api.get('/api/v1')).body as { resources: { name: string; kind: string }[] };
    const { paths, components } = (await api.get('/openapi/v3/api/v1')).body;
    for (const [type, kind, body] of [
      ['pods', 'Pod', pod('of-a-kind')],
      ['configmaps', 'ConfigMap', { metadata: { name: 'of-a-kind' }, data: { a: '1' } }],
    ] as const) {
      expect(resources.find(({ name: found }) => found === type)?.kind).toBe(kind);
      const { post } = paths[`/api/v1/namespaces/{namespace}/${type}`];
      const { $ref } = post.requestBody.content['*/*'].schema;
      const schema = components.schemas[$ref.split('/').at(-1)];
      expect(schema[`x-${vendor}-group-version-kind`]).toEqual([{ group: '', version: 'v1', kind }]);
      const made = (await api.post(`${home}/${type}`, body)).body;
      expect([made.apiVersion, made.kind]).toEqual(['v1', kind]);
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(made)));
      const others = [
        { ...body, metadata: { name: 'other' }, kind: 'Secret', apiVersion: 'v1' },
        { ...body, metadata: { name: 'other' }, stringData: { a: '1' } },
      ];
      for (const other of others)
        expect(await status(api.post(`${home}/${type}?fieldValidation=Strict`, other))).toBe(400);
    }
  });

  test('a PUT creates or updates, by the state of the object', async () => {
    const leases = `/apis/coordination.${apiDomain}/v1/namespaces/default/leases`;
    const put = (holderIdentity: string, resourceVersion?: string) =>
      api.put(`${leases}/by-put`, { metadata: { name: 'by-put', resourceVersion }, spec: { holderIdentity } });
    const made = await put('one');
    const changed = await put('two', made.body.metadata.resourceVersion);
    expect([made.status, changed.status, changed.body.spec.holderIdentity]).toEqual([201, 200, 'two']);
    expect(changed.body.metadata.uid).toBe(made.body.metadata.uid);
  });

  test('deletecollection acts on several, by selector', async () => {
    for (const [at, tier] of ['a', 'a', 'b'].entries())
      await api.post(`${home}/secrets`, { metadata: { name: `many-${at}`, labels: { tier } } });
    const answer = await api.delete(`${home}/secrets?labelSelector=tier%3Da`);
    expect([answer.status, answer.body.kind, answer.body.items.length]).toEqual([200, 'SecretList', 2]);
    const left = (await api.get(`${home}/secrets?labelSelector=tier`)).body.items as { metadata: { name: string } }[];
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['many-2']);
  });

  test('a connection to a node or a service is a verb on one object', async () => {
    for (const path of [`${home}/services/none/proxy/`, '/api/v1/nodes/none/proxy/', `${home}/pods/none/proxy/`])
      expect((await api.get(path)).body).toMatchObject({
        kind: 'Status',
        reason: 'NotFound',
        details: { name: 'none' },
      });
  });

  describe('representations', () => {
    const table = `application/json;as=Table;g=meta.${apiDomain};v=v1`;
    const protobuf = `application/vnd.${vendor}.protobuf`;

    test('a table has its version, columns with name and type, and a row per object', async () => {
      await api.post(configMaps, configMap('rows'));
      const { headers, body } = await api.get(`${configMaps}/rows`, { accept: table });
      expect(headers.get('content-type')).toBe('application/json');
      expect([body.kind, body.apiVersion, body.rows.length]).toEqual(['Table', `meta.${apiDomain}/v1`, 1]);
      const columns = body.columnDefinitions as { name: string; type: string }[];
      expect(columns.map(({ name: column, type }) => `${column} ${type}`)).toEqual([
        'Name string',
        'Data string',
        'Age string',
      ]);
      expect([body.rows[0].cells[0], body.rows[0].cells.length]).toEqual(['rows', columns.length]);
      expect(body.rows[0].object.metadata.name).toBe('rows');
      expect((await api.get(configMaps, { accept: table })).body.rows.length).toBeGreaterThan(1);
    });

    test('a type without tables answers with the fallback, or 406', async () => {
      await api.post(`${home}/pods`, pod('tableless'));
      const path = `${home}/pods/tableless/resize`;
      expect(await status(api.get(path, { accept: table }))).toBe(406);
      expect((await api.get(path, { accept: `${table}, application/json` })).body.kind).toBe('Pod');
    });

    test('protobuf has four bytes and an envelope, and is taken by POST and PUT', async () => {
      const send = (method: string, path: string, body: Uint8Array | string, type = protobuf) =>
        server.fetch(path, { method, body, headers: { 'content-type': type, accept: protobuf } });
      const json = JSON.stringify(configMap('binary', { a: '1' }));
      const shown = await send('POST', `${configMaps}?dryRun=All`, json, 'application/json');
      expect(shown.headers.get('content-type')).toBe(protobuf);
      const bytes = Buffer.from(await shown.arrayBuffer());
      expect([...bytes.subarray(0, 4)]).toEqual([0x6b, 0x38, 0x73, 0x00]);
      const { apiVersion, kind, raw } = openEnvelope(bytes);
      expect([apiVersion, kind, raw.length > 0]).toEqual(['v1', 'ConfigMap', true]);
      const made = await send('POST', configMaps, bytes);
      const same = await send('PUT', `${configMaps}/binary`, Buffer.from(await made.arrayBuffer()));
      expect([made.status, same.status]).toEqual([201, 200]);
      expect((await api.get(`${configMaps}/binary`)).body.data).toEqual({ a: '1' });
      const foreign = Buffer.from(bytes).fill(1, 3, 4);
      expect((await send('POST', configMaps, foreign)).status).toBe(400);
    });

    test('an envelope that leaves out the type of its content holds protobuf', async () => {
      const shown = await server.fetch(`${configMaps}?dryRun=All`, {
        method: 'POST',
        body: JSON.stringify(configMap('untyped', { a: '1' })),
        headers: { 'content-type': 'application/json', accept: protobuf },
      });
      const bytes = Buffer.from(await shown.arrayBuffer());
      const fields = [...readFields(bytes.subarray(4))].map(({ number, value }) => [number, asBytes(value)] as const);
      const written = fields.filter(([number, value]) => number > 2 && value.length > 0);
      expect(written).toEqual([]);
      const raw = fields.find(([number]) => number === 2)?.[1] as Uint8Array;
      const content = new ProtobufWriter()
        .message(1, (meta) => meta.string(1, 'v1').string(2, 'ConfigMap'))
        .bytes(2, raw)
        .finish();
      const made = await server.fetch(configMaps, {
        method: 'POST',
        body: Buffer.concat([bytes.subarray(0, 4), content]),
        headers: { 'content-type': protobuf },
      });
      expect(made.status).toBe(201);
      expect((await api.get(`${configMaps}/untyped`)).body.data).toEqual({ a: '1' });
    });

    test('custom resources have no protobuf form', async () => {
      await api.post(parts, { apiVersion: 'e.x/v1', kind: 'Part', metadata: { name: 'p' } });
      expect(await status(api.get(`${parts}/p`, { accept: protobuf }))).toBe(406);
    });

    test.each([
      [undefined, 'application/json'],
      ['application/json', 'application/json'],
      [protobuf, protobuf],
      [`text/html, ${protobuf}`, protobuf],
    ])('Accept %s is answered as %s', async (accept, type) => {
      const { headers } = await server.fetch(`${home}`, { headers: accept === undefined ? {} : { accept } });
      expect(headers.get('content-type')).toBe(type);
    });

    test('where no type is supported the answer is 406', async () => {
      for (const accept of ['text/html', 'application/xml, image/png'])
        expect(await status(api.get(home, { accept }))).toBe(406);
    });
  });
});
