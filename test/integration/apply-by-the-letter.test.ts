// Sentences of the specification about writes (Content types, Dry-run, Server-side apply) that no other test says, over the
// API; the last part in the dialect that keeps to its letter.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const applyType = { 'content-type': 'application/apply-patch+yaml' };

function applierOf(of: () => Api) {
  return (manager: string, name: string, data: Record<string, string>, query = ''): Promise<Answer> =>
    of().call('PATCH', `${configMaps}/${name}?fieldManager=${manager}${query}`, configMap(name, data), applyType);
}
const apply = applierOf(() => api);

/** Manager and operation to the keys of data that they own. */
function ownersOf({ body }: Answer): Record<string, string[]> {
  interface Entry {
    readonly manager: string;
    readonly operation: string;
    readonly fieldsV1: { readonly 'f:data'?: object };
  }
  const entries: readonly Entry[] = body.metadata.managedFields ?? [];
  return Object.fromEntries(
    entries.map(({ manager, operation, fieldsV1 }) => [
      `${manager} ${operation}`,
      Object.keys(fieldsV1['f:data'] ?? {}).filter((key) => key !== '.'),
    ]),
  );
}

describe('content types', () => {
  test('a configuration is applied as YAML and as JSON, under the same type', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written\ndata:\n  k: "1"\n';
    const path = `${configMaps}/written?fieldManager=a`;
    const asYaml = await api.call('PATCH', path, text, applyType);
    expect([asYaml.status, asYaml.body.data]).toEqual([201, { k: '1' }]);
    const asJson = await apply('a', 'written', { k: '1' });
    expect([asJson.status, asJson.body.metadata]).toEqual([200, asYaml.body.metadata]);
  });

  test('the answer says what it is written in', async () => {
    await api.post(configMaps, configMap('typed'));
    const path = `${configMaps}/typed`;
    for (const [accept, expected] of [
      ['application/json', 'application/json'],
      ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf'],
      ['application/yaml', 'application/yaml'],
      ['application/json;as=Table;g=meta.k8s.io;v=v1, application/json', 'application/json'],
    ] as const) {
      expect((await api.get(path, { accept })).headers.get('content-type')).toContain(expected);
    }
    expect((await api.get(path, { accept: 'text/csv' })).status).toBe(406);
  });
});

describe('a dry run goes through every stage', () => {
  const home = '/api/v1/namespaces/staged';
  const pod = (cpu?: string) => ({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i', ...(cpu ? { resources: { limits: { cpu } } } : {}) }] },
  });
  beforeAll(async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'staged' } });
    const limits = [{ type: 'Container', defaultRequest: { cpu: '100m' }, max: { cpu: '1' } }];
    await api.post(`${home}/limitranges`, { metadata: { name: 'l' }, spec: { limits } });
    await api.post(`${home}/serviceaccounts`, { metadata: { name: 'default' } });
  });

  test('admission that changes, defaults and the answer of the real request', async () => {
    const { status, body } = await api.post(`${home}/pods?dryRun=All`, pod());
    expect([status, body.spec.containers[0].resources.requests, body.spec.dnsPolicy]).toEqual([
      201,
      { cpu: '100m' },
      'ClusterFirst',
    ]);
    expect((await api.get(`${home}/pods`)).body.items).toEqual([]);
  });

  test('admission that refuses, validation and decoding', async () => {
    expect((await api.post(`${home}/pods?dryRun=All`, pod('2'))).status).toBe(403);
    expect((await api.post(`${home}/pods?dryRun=All`, { metadata: { name: 'p' }, spec: {} })).status).toBe(422);
    expect((await api.post(`${home}/pods?dryRun=All`, { ...pod(), spec: 1 })).status).toBe(400);
    const unknown = await api.post(`${home}/pods?dryRun=All&fieldValidation=Strict`, { ...pod(), odd: 1 });
    expect(unknown.status).toBe(400);
  });

  test('a patch is merged', async () => {
    await api.post(`${home}/configmaps`, configMap('merged', { a: '1' }));
    const path = `${home}/configmaps/merged`;
    const shown = await api.patch('merge', `${path}?dryRun=All`, { data: { b: '2' } });
    expect([shown.status, shown.body.data]).toEqual([200, { a: '1', b: '2' }]);
    expect((await api.get(path)).body.data).toEqual({ a: '1' });
  });
});

describe('server-side apply', () => {
  test('a conflict is resolved by force, by dropping the field, or by matching the live value', async () => {
    for (const [name, data, query, after] of [
      ['forced', { k: '2', mine: 'b' }, '&force=true', { data: { k: '2', mine: 'b' }, 'b Apply': ['f:k', 'f:mine'] }],
      ['dropped', { mine: 'b' }, '', { data: { k: '1', mine: 'b' }, 'a Apply': ['f:k'], 'b Apply': ['f:mine'] }],
      [
        'matched',
        { k: '1', mine: 'b' },
        '',
        { data: { k: '1', mine: 'b' }, 'a Apply': ['f:k'], 'b Apply': ['f:k', 'f:mine'] },
      ],
    ] as const) {
      await apply('a', name, { k: '1' });
      expect((await apply('b', name, { k: '2', mine: 'b' })).status).toBe(409);
      const answer = await apply('b', name, data, query);
      expect({ data: answer.body.data, ...ownersOf(answer) }).toEqual(after);
    }
  });

  test('a controller applies with force, without reading the object or its version first', async () => {
    for (const [round, status] of [
      ['1', 201],
      ['2', 200],
      ['2', 200],
    ] as const) {
      expect((await apply('controller', 'kept-up', { round }, '&force=true')).status).toBe(status);
      await api.patch('merge', `${configMaps}/kept-up?fieldManager=other`, { data: { round: 'mine' } });
    }
    const last = await apply('controller', 'kept-up', { round: '3' }, '&force=true');
    expect([last.body.data, ownersOf(last)]).toEqual([{ round: '3' }, { 'controller Apply': ['f:round'] }]);
  });

  test('writes that are no apply never conflict, whichever manager owns what they change', async () => {
    await apply('a', 'taken', { k: '1' });
    const changes = [
      () => api.patch('merge', `${configMaps}/taken?fieldManager=m`, { data: { k: '2' } }),
      () => api.patch('strategic', `${configMaps}/taken?fieldManager=s`, { data: { k: '3' } }),
      () => api.patch('json', `${configMaps}/taken?fieldManager=j`, [{ op: 'add', path: '/data/k', value: '4' }]),
      () => api.put(`${configMaps}/taken?fieldManager=u`, configMap('taken', { k: '5' })),
    ];
    const owners: unknown[] = [];
    for (const change of changes) owners.push(ownersOf(await change()));
    expect(owners).toEqual(['m', 's', 'j', 'u'].map((manager) => ({ [`${manager} Update`]: ['f:k'] })));
  });
});

describe('by the letter, managedFields', () => {
  let cluster: Server;
  let its: Api;
  const applyThere = applierOf(() => its);
  beforeAll(async () => {
    cluster = await startTestServer({ listen: false, dialect: 'cluster' });
    its = apiOf(cluster);
  });
  afterAll(() => cluster.close());

  test('are not reset by an empty list', async () => {
    await applyThere('a', 'empty', { k: '1' });
    const path = `${configMaps}/empty`;
    const answers = [
      await its.patch('merge', path, { metadata: { managedFields: [] } }),
      await its.patch('json', path, [{ op: 'replace', path: '/metadata/managedFields', value: [] }]),
    ];
    expect(answers.map(ownersOf)).toEqual([{ 'a Apply': ['f:k'] }, { 'a Apply': ['f:k'] }]);
  });

  test.each(['merge', 'json'] as const)('are stripped by a %s patch with one empty entry', async (kind) => {
    const name = `stripped-${kind}`;
    await applyThere('a', name, { k: '1' });
    const replace = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];
    const body = kind === 'merge' ? { metadata: { managedFields: [{}] } } : replace;
    const answer = await its.patch(kind, `${configMaps}/${name}`, body);
    expect([answer.status, answer.body.metadata.managedFields]).toEqual([200, undefined]);
  });

  test('are reset before the other changes of the request, which are owned then', async () => {
    await applyThere('a', 'both', { k: '1', l: '1' });
    const change = { metadata: { managedFields: [{}] }, data: { l: '2' } };
    const answer = await its.patch('merge', `${configMaps}/both?fieldManager=b`, change);
    expect([answer.body.data, ownersOf(answer)]).toEqual([{ k: '1', l: '2' }, { 'b Update': ['f:l'] }]);
  });

  test('of an object without them begin with what was there before the first apply', async () => {
    await applyThere('a', 'begun', { k: '1' });
    await its.patch('merge', `${configMaps}/begun`, { metadata: { managedFields: [{}] } });
    const answer = await applyThere('b', 'begun', { l: '2' });
    expect(ownersOf(answer)).toEqual({ 'b Apply': ['f:l'], 'before-first-apply Update': ['f:k'] });
  });
});
